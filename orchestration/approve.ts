/** What approvers say about a deploy that asks them. */
import type { Actor } from '../core/access/actor.ts';
import { hasAskedFor, selfApproval } from '../core/deploy/transition.ts';
import { RengaError } from '../core/errors.ts';
import type { DeployRow } from '../store/deploys.ts';
import { advance } from './advance.ts';
import { decideDeploy } from './decide.ts';
import type { Ports } from './ports.ts';
import { permittedDeploy } from './rights.ts';
import { settleDeploy } from './settle.ts';

/** Throws `not-found`; `forbidden` for whoever submitted it where somebody else must; `conflict` when it asks nobody, or not this one again. */
export async function approveDeploy(ports: Ports, id: string, by: Actor, reason?: string): Promise<void> {
  const row = await permittedDeploy(ports, id, by, 'deployment.approve');
  const { identity, status } = row.deploy;
  if (status.state === 'AWAITING_APPROVAL' && !status.selfApproval && hasAskedFor(identity, by.subject)) {
    throw new RengaError('forbidden', selfApproval(identity, by.subject), {
      hint: 'ask another approver; `renga why` names who may',
    });
  }
  const decided = await decideDeploy(ports, row, by.subject, { type: 'approved', reason });
  await told(ports, decided);
  await advance(ports, id);
}

/** Throws `not-found`, and `conflict` when it asks nobody. */
export async function rejectDeploy(ports: Ports, id: string, by: Actor, reason: string): Promise<void> {
  const row = await permittedDeploy(ports, id, by, 'deployment.approve');
  await told(ports, await decideDeploy(ports, row, by.subject, { type: 'rejected', reason }));
}

async function told(
  ports: Ports,
  decided: { readonly kind: string; readonly row: DeployRow; readonly reason?: string },
): Promise<void> {
  if (decided.kind === 'refused') throw new RengaError('conflict', decided.reason ?? 'it is not possible now');
  await settleDeploy(ports, decided.row);
}
