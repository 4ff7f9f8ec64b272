/** A branch of a release's machine comes to its deploy: start the deploy's own machine, and let its end answer the branch. */
import { isFinal } from '../core/deploy/deploy.ts';
import type { DeployInput } from '../statemachines/deploy-machine.ts';
import { executionName } from '../statemachines/names.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { Ports } from './ports.ts';
import { answer } from './settle.ts';

export async function startDeploy(
  ports: Ports,
  input: { readonly release: string; readonly attempt: number; readonly name: string; readonly token: string },
): Promise<void> {
  const member = await ports.store.releases.member(input.release, input.attempt, input.name);
  if (member === undefined) throw new Error(`${input.release} has no deploy ${input.name} in attempt ${input.attempt}`);
  const row = await ports.store.deploys.attach(member.deploy, { branchToken: input.token });
  if (row === undefined) throw new Error(`there is no deploy ${member.deploy}`);
  await begin(ports, row);
}

/**
 * Starts the machine of a deploy, or answers at once when it has ended. Storing the token and reading the state was one
 * write: either this sees the end, or whoever writes the end sees the token (I7).
 */
export async function begin(ports: Ports, row: DeployRow): Promise<void> {
  const { identity, status } = row.deploy;
  if (isFinal(status.state)) return answer(ports, row);
  if (identity.kind === 'external') return;
  const input: DeployInput = {
    deploy: identity.id,
    ...(status.state === 'SCHEDULED' && { scheduledAt: new Date(status.at).toISOString() }),
    ...(identity.approvalSeconds !== undefined && { approvalSeconds: identity.approvalSeconds }),
    waits: identity.waits,
    afterTimeoutSeconds: identity.afterTimeoutSeconds,
    timeoutSeconds: identity.timeoutSeconds,
    automaticRollback: identity.automaticRollback,
  };
  await ports.machines.start(ports.deployMachine, executionName(identity.id), input);
}
