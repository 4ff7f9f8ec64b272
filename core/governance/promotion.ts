import type { Artifact } from '../documents/deploy.ts';
import type { EnvironmentDocument } from '../documents/environment.ts';
import type { Problem } from '../errors.ts';

/** Only what is current in another environment may come here. `current`: its version there, when it has one. */
export function promotionProblem(
  environment: EnvironmentDocument | undefined,
  artifact: Artifact,
  current: string | undefined,
): Problem | undefined {
  const from = environment?.promotion?.from;
  if (environment === undefined || from === undefined || current === artifact.version) return undefined;
  const there = current === undefined ? `none is current` : `${current} is current`;
  return {
    code: 'promotion-required',
    path: 'artifact.version',
    message: `${environment.name} takes what is current in ${from}, and of ${artifact.name} ${there} there, not ${artifact.version}`,
    hint: `deploy ${artifact.name} ${artifact.version} to ${from} first`,
  };
}
