import type { Artifact } from '../documents/deploy.ts';
import type { EnvironmentConfigDocument } from '../documents/environment.ts';
import type { Failure } from '../failure.ts';

/** Types of artifacts that can't be taken back unless an environment says otherwise: their data has no earlier state. */
const IRREVERSIBLE: ReadonlySet<string> = new Set(['migration']);

export function isReversible(type: string, config: EnvironmentConfigDocument | undefined): boolean {
  const said = config !== undefined && Object.hasOwn(config.rollback, type) ? config.rollback[type] : undefined;
  return said === undefined ? !IRREVERSIBLE.has(type) : said === 'allowed';
}

/** Why an artifact can't be taken back; undefined when it can. */
export function irreversible(artifact: Artifact, config: EnvironmentConfigDocument | undefined): Failure | undefined {
  if (isReversible(artifact.type, config)) return undefined;
  const message = `${artifact.name} is a ${artifact.type}, which can't be taken back; undo it by hand if it must be`;
  return { code: 'irreversible', message };
}
