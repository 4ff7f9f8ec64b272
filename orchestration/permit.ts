/** What a submission asks of whoever submits, before anything else is said about it. */
import type { Actor } from '../core/access/actor.ts';
import type { Permission } from '../core/documents/access.ts';
import type { DeployDocument } from '../core/documents/deploy.ts';
import type { ReleaseDocument } from '../core/documents/release.ts';
import { type Problem, RengaError } from '../core/errors.ts';
import type { Ports } from './ports.ts';
import { placeName, type Rights, rightsOf } from './rights.ts';

/** Throws `forbidden`, naming each permission that is missing and where. `also`: what this deploy needs beside submitting. */
export async function permitDeploy(
  ports: Ports,
  document: DeployDocument,
  by: Actor,
  permission: Permission = 'deployment.submit',
): Promise<void> {
  const rights = await rightsOf(ports, by);
  refuse(by, missing(rights, document, '', [permission]));
}

/** A release needs for each of its deploys what that needs alone, and the right to roll back when it may do so itself. */
export async function permitRelease(ports: Ports, release: ReleaseDocument, by: Actor): Promise<void> {
  const rights = await rightsOf(ports, by);
  if (rights.all) return;
  const needed: Permission[] = ['deployment.submit'];
  if (release.onFailure === 'rollback') needed.push('deployment.rollback');
  refuse(
    by,
    release.deploys.flatMap(({ descriptor }, index) =>
      missing(rights, descriptor, `deploys[${index}].descriptor`, needed),
    ),
  );
}

function missing(rights: Rights, document: DeployDocument, path: string, needed: readonly Permission[]): Problem[] {
  const wanted: readonly (readonly [Permission, string])[] = [
    ...needed.map((permission) => [permission, 'application'] as const),
    ...(document.freezeOverride === undefined ? [] : [['deployment.freeze-override', 'freezeOverride'] as const]),
  ];
  return wanted
    .filter(([permission]) => !rights.may(permission, document))
    .map(([permission, field]) => ({
      code: 'not-permitted',
      path: path === '' ? field : `${path}.${field}`,
      message: `${permission} is needed on ${placeName(document)}`,
      hint: 'ask somebody who has access.write to grant it',
    }));
}

function refuse(by: Actor, problems: readonly Problem[]): void {
  if (problems.length === 0) return;
  const first = problems[0]?.message ?? '';
  const more = problems.length === 1 ? '' : `, and ${problems.length - 1} more`;
  throw new RengaError('forbidden', `${by.subject} may not do this: ${first}${more}; nothing was stored or started`, {
    problems,
  });
}
