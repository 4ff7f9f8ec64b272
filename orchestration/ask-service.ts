/** The event of the end of another pipeline's run may have been lost: the service that runs it is asked. */
import { serviceRun, stateOf } from '../bus/aws-events.ts';
import type { Deploy } from '../core/deploy/deploy.ts';
import { concludeExternal, serviceOwner } from './external.ts';
import type { Ports } from './ports.ts';

/** Only services of AWS, in this account, can be asked. What nobody knows stays as it was (I9). */
export async function askService(ports: Ports, { identity: { id, external } }: Deploy): Promise<void> {
  const owner = serviceOwner(ports.account);
  const named = external?.owner === owner ? serviceRun(id) : undefined;
  if (external === undefined || named === undefined) return;
  const status = await ports.services[named.service]?.(named.name, named.run);
  const state = status === undefined ? undefined : stateOf(status);
  if (state === undefined || state === 'RUNNING') return;
  const message = `${external.pipeline} ended ${status}, as it answered when it was asked`;
  await concludeExternal(ports, { id, state, message }, { owner });
}
