/** Documents that say what holds: environments, configurations in them, other pipelines, access. Replaced as a whole. */
import type { Actor } from '../core/access/actor.ts';
import { EVERYWHERE } from '../core/access/rights.ts';
import type { Decision } from '../core/deploy/deploy.ts';
import { contentHash, differences } from '../core/documents/content.ts';
import { RengaError } from '../core/errors.ts';
import { environmentOf, type Key } from '../store/schema.ts';
import { keyOf, type Setting, type SettingsDocument } from '../store/settings.ts';
import { environmentChanged } from './environment-changed.ts';
import type { Ports } from './ports.ts';
import { demand, rightsOf } from './rights.ts';

export interface Applied {
  readonly result: 'created' | 'changed' | 'unchanged';
  /** What differs from the document before, in words. */
  readonly differences: readonly string[];
}

/** A document's name, as people and the audit say it: `Environment prod`. */
export function settingName(document: SettingsDocument): string {
  switch (document.kind) {
    case 'Environment':
    case 'Access':
    case 'Pipeline':
      return `${document.kind} ${document.name}`;
    case 'EnvironmentConfig': {
      const { application, environment, tenant } = document;
      return `EnvironmentConfig ${application}/${environment}${tenant === undefined ? '' : `/${tenant}`}`;
    }
  }
}

/** Puts a document in the place of the one before. Throws `forbidden`. `dry`: only says what it would change. */
export async function applySetting(
  ports: Ports,
  document: SettingsDocument,
  by: Actor,
  { dry = false }: { readonly dry?: boolean } = {},
): Promise<Applied> {
  await mayWrite(ports, document, by);
  await mayImport(ports, document, by);
  for (;;) {
    const before = await ports.store.settings.read(keyOf(document));
    if (before !== undefined) {
      // Another pipeline's document may be about another application: both are the writer's to answer for.
      await mayReplace(ports, before.document, by);
      if (contentHash(before.document) === contentHash(document)) {
        // Whoever wrote it may have been cut off before it was looked at, and sends it again.
        if (!dry) await settleSetting(ports, keyOf(document));
        if (!dry && document.kind === 'Environment') await environmentChanged(ports, document.name);
        return { result: 'unchanged', differences: [] };
      }
    }
    const changed = before === undefined ? [] : differences(before.document, document);
    const result = before === undefined ? 'created' : 'changed';
    if (!dry && !(await write(ports, document, before, by))) continue;
    return { result, differences: changed };
  }
}

/** What follows from the last decision about a document, unless it is done: its audit row, and a look at who waits. */
export async function settleSetting(ports: Ports, key: Key): Promise<void> {
  const pending = await ports.store.settings.pending(key);
  if (pending === undefined) return;
  const { decision, about } = pending;
  await ports.store.audit.append(key, [decision], about);
  const name = environmentOf(key);
  if (name !== undefined) await environmentChanged(ports, name);
  await ports.store.settings.settle(key, decision.seq);
}

async function write(
  ports: Ports,
  document: SettingsDocument,
  before: Setting | undefined,
  by: Actor,
): Promise<boolean> {
  const now = ports.now();
  const key = keyOf(document);
  // What the decision before still has to bring about would be lost with it.
  await settleSetting(ports, key);
  const seq = 1 + (before?.seq ?? (await ports.store.settings.seqOf(key)));
  const why = before === undefined ? undefined : differences(before.document, document).join('; ');
  const decision: Decision = {
    seq,
    at: now,
    by: by.subject,
    action: before === undefined ? 'setting.created' : 'setting.changed',
    to: settingName(document),
    ...(why !== undefined && why !== '' && { why }),
  };
  if (!(await ports.store.settings.replace(document, decision))) return false;
  await settleSetting(ports, key);
  return true;
}

/** Whoever lets an environment import something lets every deploy there read it, so they must be able to themselves. */
async function mayImport(ports: Ports, document: SettingsDocument, by: Actor): Promise<void> {
  if (document.kind !== 'EnvironmentConfig') return;
  for (const { current } of Object.values(document.imports)) {
    const { application, environment = document.environment } = current;
    await demand(ports, by, 'deployment.read', { application, environment });
  }
}

/** Throws `forbidden`, without a word about what stands there to whoever may not read it. */
async function mayReplace(ports: Ports, before: SettingsDocument, by: Actor): Promise<void> {
  const rights = await rightsOf(ports, by);
  if (before.kind !== 'Pipeline' || rights.may('deployment.read', before)) return mayWrite(ports, before, by);
  if (rights.may('environment.write', before)) return;
  throw new RengaError('forbidden', `the ${settingName(before)} is somebody else's`, {
    hint: 'it takes environment.write on what it is about now as well',
  });
}

/** Whether somebody may know that a document is there. */
async function maySee(ports: Ports, document: SettingsDocument, by: Actor): Promise<boolean> {
  const rights = await rightsOf(ports, by);
  switch (document.kind) {
    case 'Access':
      return rights.may('access.write', EVERYWHERE);
    case 'Environment':
      return rights.mayIn('deployment.read', document.name) || rights.mayIn('environment.write', document.name);
    case 'EnvironmentConfig':
    case 'Pipeline':
      return rights.may('deployment.read', document) || rights.may('environment.write', document);
  }
}

async function mayWrite(ports: Ports, document: SettingsDocument, by: Actor): Promise<void> {
  switch (document.kind) {
    case 'Access':
      return demand(ports, by, 'access.write', EVERYWHERE);
    case 'Environment':
      // Its freezes and approvals bind every application in it.
      return demand(ports, by, 'environment.write', { environment: document.name });
    case 'EnvironmentConfig':
    case 'Pipeline':
      return demand(ports, by, 'environment.write', document);
  }
}

/**
 * Takes a document away. Throws `not-found`, also for one that is not theirs to see, and `forbidden` for what they may only
 * read.
 */
export async function removeSetting(ports: Ports, key: Key, name: string, by: Actor): Promise<void> {
  const [kind] = name.split(' ');
  for (;;) {
    // Whether there is a document of access is for whoever may write them.
    if (kind === 'Access') await demand(ports, by, 'access.write', EVERYWHERE);
    const before = await ports.store.settings.read(key);
    if (before === undefined || !(await maySee(ports, before.document, by))) {
      throw new RengaError('not-found', `there is no ${name}`, {
        hint: 'the list of them shows those that you may see',
      });
    }
    await mayWrite(ports, before.document, by);
    await settleSetting(ports, key);
    const decision = { seq: before.seq + 1, at: ports.now(), by: by.subject, action: 'setting.removed' };
    if (!(await ports.store.settings.remove(before.document, { ...decision, to: settingName(before.document) })))
      continue;
    return settleSetting(ports, key);
  }
}
