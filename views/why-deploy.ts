/** Why a deploy is where it is: the answer in a sentence, and its reasons from the nearest to the root. */
import type { WhyReason, WhyView } from '../api/contract.ts';
import type { Actor } from '../core/access/actor.ts';
import { isFinal, shownState } from '../core/deploy/deploy.ts';
import type { Ports } from '../orchestration/ports.ts';
import { rightsOf } from '../orchestration/rights.ts';
import type { DeployRow } from '../store/deploys.ts';
import { iso, listed } from './instant.ts';
import { asSeen } from './seen.ts';
import { endedReasons } from './why-ended.ts';
import { openReasons } from './why-open.ts';

export async function whyDeploy(ports: Ports, row: DeployRow, by: Actor): Promise<WhyView> {
  const rights = await rightsOf(ports, by);
  const { identity, status } = row.deploy;
  const head = { kind: 'deploy', id: identity.id, state: shownState(status.state), since: iso(status.since) } as const;
  if (isFinal(status.state)) {
    const seen = { ...row, deploy: await asSeen(ports, rights, row.deploy) };
    return { ...head, ...(await endedReasons(ports, seen, rights)) };
  }
  const reasons = await openReasons(ports, row, rights);
  return { ...head, summary: summaryOf(identity.id, reasons), reasons };
}

const WAITS_FOR = {
  scheduled: (id: string) => `${id} waits for its time.`,
  approval: (id: string) => `${id} waits to be approved.`,
  frozen: (id: string) => `${id} waits for the end of a freeze.`,
  slot: (id: string) => `${id} waits for a slot of its environment.`,
} as const;

/** The reasons in a few words; each says the rest itself. */
function summaryOf(id: string, reasons: readonly WhyReason[]): string {
  const [nearest, ...deeper] = reasons;
  const about = (wanted: readonly WhyReason[]) => listed([...new Set(wanted.flatMap(({ about }) => about?.id ?? []))]);
  switch (nearest?.code) {
    case 'dependency': {
      const held = deeper.some(({ code }) => code === 'paused') ? ', and the release is paused' : '';
      // Of what the caller may not read nothing but its id is told, in the reason itself.
      const named = about(reasons.filter(({ code }) => code === 'dependency')) || 'what it comes after';
      return `${id} waits for ${named}${held}.`;
    }
    case 'layer':
      return `${id} waits for its layer to come.`;
    case 'scheduled':
    case 'approval':
    case 'frozen':
    case 'slot':
      return WAITS_FOR[nearest.code](id);
    case 'turn':
      return `${id} waits for its turn, which ${about([nearest]) || 'another deploy'} has.`;
    case 'paused':
      return `${id} does not start, because its release is paused.`;
    case 'failing':
    case 'rolling-back':
      return nearest.about?.kind === 'release'
        ? `${id} does not start any more, because its release stops.`
        : `${id} has failed, and its own rollback runs.`;
    case 'cancelling':
      return `${id} is being cancelled.`;
    case 'starting':
      return `${id} is about to start.`;
    default:
      return `${id} runs.`;
  }
}
