/** Why a deploy is where it is: the answer in a sentence, and its reasons from the nearest to the root. */
import type { WhyView } from '../api/contract.ts';
import { isFinal, shownState } from '../core/deploy/deploy.ts';
import type { Ports } from '../orchestration/ports.ts';
import type { DeployRow } from '../store/deploys.ts';
import { iso } from './instant.ts';
import { endedReasons } from './why-ended.ts';
import { openReasons } from './why-open.ts';

export async function whyDeploy(ports: Ports, row: DeployRow): Promise<WhyView> {
  const { identity, status } = row.deploy;
  const head = { kind: 'deploy', id: identity.id, state: shownState(status.state), since: iso(status.since) } as const;
  if (isFinal(status.state)) return { ...head, ...(await endedReasons(ports, row)) };
  const reasons = await openReasons(ports, row);
  return { ...head, summary: reasons[0]?.text ?? `${identity.id} is ${head.state}.`, reasons };
}
