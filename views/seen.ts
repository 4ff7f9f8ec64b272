/**
 * A deploy as somebody may see it. Why it did not run is told in the words of what failed before it, and those words are
 * for whoever may read that as well: to others it is named, and no more is said.
 */
import type { AuditEntry } from '../api/contract.ts';
import { type Deploy, isFinal } from '../core/deploy/deploy.ts';
import type { Failure } from '../core/failure.ts';
import type { Release } from '../core/release/release.ts';
import { bound } from '../orchestration/dependencies.ts';
import type { Ports } from '../orchestration/ports.ts';
import { mayForAll, type Rights } from '../orchestration/rights.ts';

export async function asSeen(ports: Ports, rights: Rights, deploy: Deploy): Promise<Deploy> {
  const { status } = deploy;
  if (rights.all || !('failure' in status) || status.failure === undefined) return deploy;
  const message = await wordsFor(ports, rights, deploy, status.failure);
  if (message === status.failure.message) return deploy;
  return { ...deploy, status: { ...status, failure: { ...status.failure, message } } as Deploy['status'] };
}

/** Decisions repeat why a deploy ended: in the same words. */
export function timelineSeen(entries: readonly AuditEntry[], whole: Deploy, seen: Deploy): AuditEntry[] {
  if (whole === seen || !('failure' in whole.status) || !('failure' in seen.status)) return [...entries];
  const hidden = whole.status.failure?.message ?? '';
  const shown = seen.status.failure?.message ?? '';
  return entries.map((entry) =>
    entry.why === undefined ? entry : { ...entry, why: entry.why.replaceAll(hidden, shown) },
  );
}

async function wordsFor(ports: Ports, rights: Rights, deploy: Deploy, failure: Failure): Promise<string> {
  const { state } = deploy.status;
  if (state === 'DEPENDENCY_FAILED' && failure.code === 'dependency-failed') {
    const hidden = await hiddenCause(ports, rights, deploy);
    if (hidden !== undefined) return `${hidden} did not succeed`;
  }
  const ofRelease =
    failure.code === 'release-stopped' || /^(?:the release stops:|it depends on )/.test(failure.message);
  const { release } = deploy.identity;
  if (release === undefined || !ofRelease || (await readsRelease(ports, rights, release.id))) return failure.message;
  return `its release ${release.id} stops`;
}

/** A release tells why its deploys ended: in the words that the reader may have of each. */
export async function releaseSeen(ports: Ports, rights: Rights, release: Release): Promise<Release> {
  const { status } = release;
  if (rights.all || status.failure === undefined) return release;
  const message = await releaseWords(ports, rights, release, status.failure.message);
  if (message === status.failure.message) return release;
  return { ...release, status: { ...status, failure: { ...status.failure, message } } as Release['status'] };
}

/** The same for what was decided about it. */
export async function releaseTimelineSeen(
  ports: Ports,
  rights: Rights,
  release: Release,
  entries: readonly AuditEntry[],
): Promise<AuditEntry[]> {
  if (rights.all) return [...entries];
  return Promise.all(
    entries.map(async (entry) =>
      entry.why === undefined ? entry : { ...entry, why: await releaseWords(ports, rights, release, entry.why) },
    ),
  );
}

async function releaseWords(ports: Ports, rights: Rights, release: Release, text: string): Promise<string> {
  const members = await ports.store.releases.members(release.identity.id, release.attempt.number);
  const rows = await ports.store.deploys.readMany(members.map(({ deploy }) => deploy));
  let words = text;
  for (const { deploy } of rows.values()) {
    const seen = await asSeen(ports, rights, deploy);
    if (seen === deploy || !('failure' in seen.status) || !('failure' in deploy.status)) continue;
    words = words.replaceAll(deploy.status.failure?.message ?? '', seen.status.failure?.message ?? '');
  }
  return words;
}

/** Whether all of a release is the reader's to see, or nothing is known of it any more. */
export async function readsRelease(ports: Ports, rights: Rights, id: string): Promise<boolean> {
  if (rights.all) return true;
  const found = await ports.store.releases.read(id);
  return found !== undefined && mayForAll(ports, rights, 'deployment.read', found.release);
}

/** A deploy that it waited for, when that or what failed before that may not be read. */
async function hiddenCause(ports: Ports, rights: Rights, deploy: Deploy): Promise<string | undefined> {
  const seen = new Set<string>();
  let wave = (await bound(ports, deploy.identity)).map((id) => ({ id, first: id }));
  while (wave.length > 0) {
    const rows = await ports.store.deploys.readMany(wave.map(({ id }) => id));
    const next: typeof wave = [];
    for (const { id, first } of wave) {
      const row = rows.get(id);
      if (row === undefined || seen.has(id)) continue;
      seen.add(id);
      const { identity, status } = row.deploy;
      if (!isFinal(status.state) || status.state === 'SUCCESS') continue;
      if (!rights.may('deployment.read', identity)) return first;
      if (status.state === 'DEPENDENCY_FAILED') {
        next.push(...(await bound(ports, identity)).map((before) => ({ id: before, first })));
      }
    }
    wave = next;
  }
  return undefined;
}
