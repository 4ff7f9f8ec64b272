/** Whether a release that failed went back as it should: in order, and to the last byte. */
import { DeployView, type ReleaseView } from '../../api/contract.ts';
import { DEPLOYED, type OnDisk } from './disk.ts';

export interface Proof {
  readonly good: boolean;
  readonly text: string;
}

/** What succeeded was taken back in the exact reverse of the plan's order, one at a time. */
export async function wentBack({ deploys }: ReleaseView, read: (id: string) => Promise<unknown>): Promise<Proof> {
  const out = deploys.filter(({ state }) => state === 'SUCCESS').map(({ name }) => name);
  const rollbacks: DeployView[] = [];
  for (const { rollbackId } of deploys) {
    if (rollbackId !== undefined) rollbacks.push(DeployView.parse(await read(rollbackId)));
  }
  rollbacks.sort((a, b) => began(a) - began(b));
  const back = rollbacks.map(({ release }) => release?.name ?? '');
  const good =
    back.join() === out.toReversed().join() &&
    rollbacks.every(({ state }) => state === 'SUCCESS') &&
    rollbacks.slice(1).every((rollback, at) => ended(rollbacks[at]) <= began(rollback));
  return { good, text: `went out: ${out.join(', ')}; went back, one at a time: ${back.join(', ')}` };
}

function began({ startedAt = '' }: DeployView): number {
  return Date.parse(startedAt);
}

function ended(deploy: DeployView | undefined): number {
  return Date.parse(deploy?.endedAt ?? '');
}

/** The files of every service before a release and now. */
export function compared(
  { deploys }: ReleaseView,
  before: readonly OnDisk[],
  now: readonly OnDisk[],
): Proof & { readonly rows: readonly (readonly string[])[] } {
  const pairs = before.map((old) => ({ old, current: now.find(({ service }) => service === old.service) }));
  const good = pairs.every(({ old, current }) => current?.fingerprint === old.fingerprint);
  const rows = pairs.map(({ old, current }) => [
    old.service,
    old.version,
    deploys.find(({ name }) => name === old.service)?.artifact.version ?? '',
    current?.version ?? 'nothing',
    String(current?.files ?? 0),
    short(old.fingerprint),
    current === undefined ? '' : short(current.fingerprint),
  ]);
  return {
    good,
    text: `every file in ${DEPLOYED} ${good ? 'is what it was before, byte for byte' : 'should be what it was before, and is NOT'}`,
    rows: [['service', 'before', 'tried', 'now', 'files', 'SHA-256 before', 'SHA-256 now'], ...rows],
  };
}

function short(fingerprint: string): string {
  return fingerprint.slice(0, 14);
}
