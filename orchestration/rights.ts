/** Who may do what, asked of the documents as they are now. What somebody may not read is to them as if it did not exist. */
import type { Actor } from '../core/access/actor.ts';
import { withAdministrators } from '../core/access/administrators.ts';
import { type Place, type Rights, rightsOf as rightsFrom, whoMay } from '../core/access/rights.ts';
import type { Permission } from '../core/documents/access.ts';
import { RengaError } from '../core/errors.ts';
import type { Release } from '../core/release/release.ts';
import { Scope } from '../core/release/scope.ts';
import type { DeployRow } from '../store/deploys.ts';
import type { ReleaseRow } from '../store/releases.ts';
import type { Ports } from './ports.ts';

export type { Place, Rights };

/** What an actor may do now. Documents are read anew: what was taken from somebody is gone at once. */
export async function rightsOf(ports: Ports, actor: Actor): Promise<Rights> {
  return actor.administrator === true ? rightsFrom([], actor) : rightsFrom(await ports.store.settings.access(), actor);
}

/** Somebody who was stored with what goes on under their name, with the rights of now. */
export function actorOf(
  ports: Ports,
  stored: Pick<Actor, 'subject' | 'groups'> & { readonly kind?: Actor['kind'] | undefined },
): Actor {
  const { subject, groups, kind = 'user' } = stored;
  return withAdministrators(ports.administrators, { subject, kind, groups });
}

export async function mayRead(ports: Ports, actor: Actor, place: Place): Promise<boolean> {
  return (await rightsOf(ports, actor)).may('deployment.read', place);
}

/** A release is readable for whoever may read all of its deploys. */
export async function mayReadRelease(ports: Ports, actor: Actor, release: Release): Promise<boolean> {
  return mayForAll(ports, await rightsOf(ports, actor), 'deployment.read', release);
}

/** Whether somebody may do something to every deploy of a release. */
export async function mayForAll(
  ports: Ports,
  rights: Rights,
  permission: Permission,
  release: Release,
): Promise<boolean> {
  if (rights.all) return true;
  const places = await scopeOf(ports, release);
  return places?.every(([application, environment]) => rights.may(permission, { application, environment })) === true;
}

/** Undefined when it is not known which deploys it has: then nobody but administrators may. */
async function scopeOf(ports: Ports, { identity }: Release): Promise<Scope | undefined> {
  return identity.scope === undefined ? undefined : Scope.parse(await ports.store.bodies.get(identity.scope));
}

export const RECORDED_LATER = 'a deploy of a release is there once the release has recorded it';

/** A deploy that the actor may read. Throws `not-found`, whether it does not exist or is not theirs to see. */
export async function readDeploy(ports: Ports, id: string, actor: Actor): Promise<DeployRow> {
  const row = await ports.store.deploys.read(id);
  if (row !== undefined && (await mayRead(ports, actor, row.deploy.identity))) return row;
  const release = await ports.store.releases.read(id);
  const known = release !== undefined && (await mayReadRelease(ports, actor, release.release));
  const hint = known ? `${id} is a release: renga release status ${id}` : RECORDED_LATER;
  throw new RengaError('not-found', `there is no deploy ${id}`, { hint });
}

/** A release that the actor may read, all of it. Throws `not-found`, whether it does not exist or is not theirs to see. */
export async function readRelease(ports: Ports, id: string, actor: Actor): Promise<ReleaseRow> {
  const row = await ports.store.releases.read(id);
  if (row !== undefined && (await mayReadRelease(ports, actor, row.release))) return row;
  const deploy = await ports.store.deploys.read(id);
  const known = deploy !== undefined && (await mayRead(ports, actor, deploy.deploy.identity));
  const hint = known ? `${id} is a deploy: renga status ${id}` : undefined;
  throw new RengaError('not-found', `there is no release ${id}`, hint === undefined ? {} : { hint });
}

/** A deploy that the actor may read and do something to. Throws `not-found`, and `forbidden` for what they may only read. */
export async function permittedDeploy(
  ports: Ports,
  id: string,
  actor: Actor,
  permission: Permission,
): Promise<DeployRow> {
  const row = await readDeploy(ports, id, actor);
  await demand(ports, actor, permission, row.deploy.identity);
  return row;
}

/** A release that the actor may read, and do something to every deploy of. Throws `not-found` and `forbidden`. */
export async function permittedRelease(
  ports: Ports,
  id: string,
  actor: Actor,
  permission: Permission,
): Promise<ReleaseRow> {
  const row = await readRelease(ports, id, actor);
  if (await mayForAll(ports, await rightsOf(ports, actor), permission, row.release)) return row;
  const message = `${actor.subject} has not ${permission} on all deploys of the release ${id}`;
  throw new RengaError('forbidden', message, { hint: 'it takes somebody who has it on each of them' });
}

/** Throws `not-found` unless the actor may read there: to them nothing is known of it. */
export async function demandRead(ports: Ports, actor: Actor, place: Place): Promise<void> {
  if (await mayRead(ports, actor, place)) return;
  throw new RengaError('not-found', `nothing is known of ${placeName(place)}`);
}

/** Throws `forbidden` unless the actor may. */
export async function demand(ports: Ports, actor: Actor, permission: Permission, place: Place): Promise<void> {
  if ((await rightsOf(ports, actor)).may(permission, place)) return;
  throw new RengaError('forbidden', `${actor.subject} has not ${permission} on ${placeName(place)}`, {
    hint: await whoHas(ports, permission, place),
  });
}

export function placeName({ application, environment }: Place): string {
  const where = environment === undefined ? 'everywhere' : `in ${environment}`;
  return application === undefined ? `all applications ${where}` : `${application} ${where}`;
}

/** Whom to ask, in words. */
async function whoHas(ports: Ports, permission: Permission, place: Place): Promise<string> {
  const subjects = whoMay(await ports.store.settings.access(), permission, place);
  if (subjects.length === 0) return 'only administrators have it';
  const shown = subjects.slice(0, 5).join(', ');
  return `${shown}${subjects.length > 5 ? ` and ${subjects.length - 5} more` : ''} and administrators have it`;
}

/** Those of these deploys that exist and are the actor's to see. */
export async function readableDeploys(
  ports: Ports,
  actor: Actor,
  ids: readonly string[],
): Promise<Map<string, DeployRow>> {
  const rows = await ports.store.deploys.readMany(ids);
  if (rows.size === 0) return rows;
  const rights = await rightsOf(ports, actor);
  return new Map([...rows].filter(([, { deploy }]) => rights.may('deployment.read', deploy.identity)));
}
