import type { Artifact } from '../documents/deploy.ts';
import type { EnvironmentDocument } from '../documents/environment.ts';
import type { Problem } from '../errors.ts';

/** Only what is current in another environment may come here. `current`: its version there, when it has one; told where `seen`. */
export function promotionProblem(
  environment: EnvironmentDocument | undefined,
  artifact: Artifact,
  current: string | undefined,
  seen = true,
): Problem | undefined {
  const from = environment?.promotion?.from;
  if (environment === undefined || from === undefined || current === artifact.version) return undefined;
  const there = current === undefined ? 'none is current there' : `${current} is current there`;
  const instead = seen
    ? `, and of ${artifact.name} ${there}, not ${artifact.version}`
    : `: not ${artifact.name} ${artifact.version}`;
  return {
    code: 'promotion-required',
    path: 'artifact.version',
    message: `${environment.name} takes what is current in ${from}${instead}`,
    hint: `deploy ${artifact.name} ${artifact.version} to ${from} first`,
  };
}
