import { frozen } from '../calendar/freeze.ts';
import type { DeployIdentity } from '../deploy/deploy.ts';
import type { EnvironmentDocument } from '../documents/environment.ts';
import type { Problem } from '../errors.ts';

export interface Freeze {
  /** Epoch milliseconds, the end excluded. */
  readonly from: number;
  readonly until: number;
  readonly reason: string;
}

export type Freezable = Pick<DeployIdentity, 'kind' | 'dryRun' | 'release' | 'freezeOverride'>;

/**
 * Whether a freeze holds a deploy. A release's rollback goes on in a freeze (its submission asked for the right to roll
 * back), so does a deploy that overrides it, and a dry run, which changes nothing.
 */
export function isExempt(deploy: Freezable): boolean {
  if (deploy.dryRun === true || deploy.freezeOverride !== undefined) return true;
  return deploy.kind === 'rollback' && deploy.release !== undefined;
}

/** The freeze that is in force in an environment. */
export function freezeOf(environment: EnvironmentDocument | undefined, now: number): Freeze | undefined {
  return environment === undefined || environment.freezes.length === 0 ? undefined : frozen(environment.freezes, now);
}

/** Why a deploy can't be submitted, or recorded, now. `path`: where its environment stands in what was sent. */
export function freezeProblem(
  environment: EnvironmentDocument | undefined,
  deploy: Freezable,
  now: number,
  path: string,
): Problem | undefined {
  const freeze = isExempt(deploy) ? undefined : freezeOf(environment, now);
  if (freeze === undefined || environment === undefined) return undefined;
  return {
    code: 'frozen',
    path,
    message: `${environment.name} is frozen until ${new Date(freeze.until).toISOString()}: ${freeze.reason}`,
    hint: 'submit it after that; in an emergency write freezeOverride with the reason, if you may',
  };
}
