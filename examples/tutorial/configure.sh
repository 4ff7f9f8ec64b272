#!/bin/sh
# Stands for Ansible: configures the machines that it is given, and no others.
set -eu
echo "os-config $RENGA_VERSION, wave ${RENGA_WAVE:-1}, database $db_host"
tr ',' '\n' < "$RENGA_TARGETS" | sed -n 's/.*"host":"\([^"]*\)".*/configured \1/p'
