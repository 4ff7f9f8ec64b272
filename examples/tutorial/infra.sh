#!/bin/sh
# Stands for Terraform: makes two machines and a database, and tells what it made.
set -eu
echo "infrastructure $RENGA_VERSION for $RENGA_ENVIRONMENT"
echo "vms=[\"$NETWORK.11\",\"$NETWORK.12\"]" >> "$RENGA_OUTPUT"
echo "db_host=db.$RENGA_ENVIRONMENT.internal" >> "$RENGA_OUTPUT"
