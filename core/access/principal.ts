/**
 * IAM principals by the name that bindings use. Somebody who has assumed a role shows the ARN of a session,
 * `arn:aws:sts::<account>:assumed-role/<role>/<session>`, and chooses the session's name: what counts is the role. The
 * session's ARN has lost the role's path (`role/teams/web/ci` shows as `assumed-role/ci/…`). That is no ambiguity, since
 * the name of a role is unique in its account whatever its path: a binding that writes out the path of one role means that role.
 */
const SESSION = /^arn:([a-z0-9-]+):sts::(\d{12}):assumed-role\/([^/]+)\/.+$/s;
const ROLE_WITH_PATH = /^(arn:[a-z0-9-]+:iam::\d{12}:role\/)(?:[^/]+\/)+([^/]+)$/s;

/** The ARN of the role behind a session, without its path; any other ARN as it is. */
export function principalOf(arn: string): string {
  const [, partition, account, role] = SESSION.exec(arn) ?? [];
  return role === undefined ? withoutPath(arn) : `arn:${partition}:iam::${account}:role/${role}`;
}

/** A role's ARN as its sessions show it. */
export function withoutPath(arn: string): string {
  return arn.replace(ROLE_WITH_PATH, '$1$2');
}
