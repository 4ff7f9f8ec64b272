import type { ApprovalRule, DeployIdentity } from '../deploy/deploy.ts';
import { seconds } from '../documents/duration.ts';
import type { EnvironmentDocument } from '../documents/environment.ts';

type Asked = Pick<DeployIdentity, 'kind' | 'dryRun' | 'release'>;

/**
 * What an environment asks of a deploy that could start now. A release's rollback needs no new approval, a dry run changes
 * nothing, and what another pipeline runs is approved there.
 */
export function approvalOf(
  environment: EnvironmentDocument | undefined,
  deploy: Asked,
  now: number,
): ApprovalRule | undefined {
  const asked = approvalSeconds(environment, deploy);
  if (asked === undefined || environment?.approval === undefined) return undefined;
  const { required, selfApproval } = environment.approval;
  return { required, selfApproval, expiresAt: now + asked * 1_000 };
}

/** How many seconds the approval of a deploy may take; undefined when none is asked for. */
export function approvalSeconds(environment: EnvironmentDocument | undefined, deploy: Asked): number | undefined {
  if (environment?.approval === undefined || deploy.dryRun === true || deploy.kind === 'external') return undefined;
  if (deploy.kind === 'rollback' && deploy.release !== undefined) return undefined;
  return seconds(environment.approval.expiresAfter);
}
