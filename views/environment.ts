/** An environment as people see it: its documents, the freeze in force, who runs in it and who waits. */
import type { EnvironmentList, EnvironmentView } from '../api/contract.ts';
import type { Actor } from '../core/access/actor.ts';
import { nextFreeze } from '../core/calendar/freeze.ts';
import type { EnvironmentDocument } from '../core/documents/environment.ts';
import { RengaError } from '../core/errors.ts';
import { type Freeze, freezeOf } from '../core/governance/freeze.ts';
import type { Ports } from '../orchestration/ports.ts';
import { type Rights, readableDeploys, rightsOf } from '../orchestration/rights.ts';
import { keys } from '../store/schema.ts';
import type { Setting } from '../store/settings.ts';
import { iso } from './instant.ts';
import { type PageQuery, pageOf } from './pages.ts';

/** Throws `not-found`, whether nothing is known of it or the actor may read nothing in it. */
export async function environmentView(ports: Ports, name: string, actor: Actor): Promise<EnvironmentView> {
  const rights = await rightsOf(ports, actor);
  const [setting, all] = await Promise.all([
    ports.store.settings.read(keys.environment(name)),
    ports.store.settings.configsOf(name),
  ]);
  const configurations = all.filter(({ document }) => maySee(rights, document));
  const document = setting?.document.kind === 'Environment' ? setting.document : undefined;
  if (!mayEnter(rights, name) || (document === undefined && configurations.length === 0)) {
    throw new RengaError('not-found', `there is no environment ${name}`);
  }
  return {
    name,
    ...(document !== undefined && setting !== undefined && { document, ...written(setting) }),
    configurations: configurations.map((each) => ({ document: each.document, ...written(each) })),
    ...freezes(document, ports.now()),
    queue: await queueOf(ports, name, document, actor),
  };
}

/** In the order of their names. */
export async function listEnvironments(ports: Ports, query: PageQuery, actor: Actor): Promise<EnvironmentList> {
  const rights = await rightsOf(ports, actor);
  return pageOf(
    'environments',
    query,
    async (limit, cursor) => {
      const page = await ports.store.lists.settings('Environment', limit, cursor);
      if (page === undefined) return undefined;
      return { rows: page.items, ...(page.cursor !== undefined && { cursor: page.cursor }) };
    },
    (setting) => {
      const { document } = setting;
      if (document.kind !== 'Environment' || !mayEnter(rights, document.name)) return [];
      const { freeze } = freezes(document, ports.now());
      return [{ name: document.name, document, ...written(setting), ...(freeze !== undefined && { freeze }) }];
    },
  );
}

/** Who may read or change anything in an environment may know what holds there. */
export function mayEnter(rights: Rights, environment: string): boolean {
  return rights.mayIn('deployment.read', environment) || rights.mayIn('environment.write', environment);
}

function maySee(rights: Rights, place: { readonly application: string; readonly environment: string }): boolean {
  return rights.may('deployment.read', place) || rights.may('environment.write', place);
}

function written({ by, at }: Setting) {
  return { by, at: iso(at) };
}

/** The freeze in force and the next one. */
export function freezes(document: EnvironmentDocument | undefined, now: number) {
  const shown = ({ from, until, reason }: Freeze) => ({ from: iso(from), until: iso(until), reason });
  const freeze = freezeOf(document, now);
  const next = document === undefined ? undefined : nextFreeze(document.freezes, now);
  return {
    ...(freeze !== undefined && { freeze: shown(freeze) }),
    ...(next !== undefined && { nextFreeze: shown(next) }),
  };
}

async function queueOf(ports: Ports, name: string, document: EnvironmentDocument | undefined, actor: Actor) {
  const running = (await ports.store.slots.holders(name)).map(({ deploy }) => deploy);
  const held = new Set(running);
  const waiting = (await ports.store.slots.line(name)).map(({ deploy }) => deploy).filter((id) => !held.has(id));
  const readable = await readableDeploys(ports, actor, [...running, ...waiting]);
  return {
    ...(document?.concurrency !== undefined && { slots: document.concurrency }),
    running: running.filter((id) => readable.has(id)),
    waiting: waiting.filter((id) => readable.has(id)),
  };
}
