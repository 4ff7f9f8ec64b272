/** Who may do what, asked of the documents as they are now. */
import type { Actor } from '../core/access/actor.ts';
import type { Permission } from '../core/documents/access.ts';
import type { Release } from '../core/release/release.ts';
import { Scope } from '../core/release/scope.ts';
import type { Ports } from './ports.ts';

export interface Where {
  readonly application: string;
  readonly environment: string;
}

export interface Rights {
  may(permission: Permission, where: Where): boolean;
}

export async function rightsOf(_ports: Ports, _actor: Actor): Promise<Rights> {
  return { may: () => true };
}

export async function mayRead(ports: Ports, actor: Actor, where: Where): Promise<boolean> {
  return (await rightsOf(ports, actor)).may('deployment.read', where);
}

/** A release is readable for whoever may read all of its deploys. */
export async function mayReadRelease(ports: Ports, actor: Actor, release: Release): Promise<boolean> {
  const rights = await rightsOf(ports, actor);
  const scope = await scopeOf(ports, release);
  return scope.every(([application, environment]) => rights.may('deployment.read', { application, environment }));
}

export async function scopeOf(ports: Ports, { identity }: Release): Promise<Scope> {
  return identity.scope === undefined ? [] : Scope.parse(await ports.store.bodies.get(identity.scope));
}
