/** Who may do what, and where: what the bindings of all Access documents together give to one actor. */
import type { AccessDocument, Permission } from '../documents/access.ts';
import type { Actor } from './actor.ts';
import { globTest, isEverything } from './glob.ts';
import { subjectTest } from './subject.ts';

/**
 * What a permission is asked for. A field that is absent means all of them, which only a binding over all of them (`*`)
 * gives: an Environment document is `{environment}`, since its freezes and approvals bind every application in it.
 */
export interface Place {
  readonly application?: string;
  readonly environment?: string;
}

export const EVERYWHERE: Place = {};

export interface Rights {
  /** An administrator: everything, everywhere, whatever documents say. */
  readonly all: boolean;
  /** `access.write` counts from bindings over everything alone, whatever the place: who has it can give all the rest. */
  may(permission: Permission, place: Place): boolean;
  /** Whether there is any application on which they may in an environment. */
  mayIn(permission: Permission, environment: string): boolean;
  /** Whether there is any place where they may. */
  mayAnywhere(permission: Permission): boolean;
}

type Binding = AccessDocument['bindings'][number];
type Scope = (place: Place) => boolean;

export function rightsOf(documents: readonly AccessDocument[], actor: Actor): Rights {
  if (actor.administrator === true) return { all: true, may: () => true, mayIn: () => true, mayAnywhere: () => true };
  const means = subjectTest(actor);
  const scopes = new Map<Permission, Scope[]>();
  const environments = new Map<Permission, ((environment: string) => boolean)[]>();
  for (const { binding, permissions } of grantsOf(documents)) {
    if (!binding.subjects.some(means)) continue;
    const scope = scopeOf(binding);
    for (const permission of permissions) {
      if (!canCount(permission, scope)) continue;
      const known = scopes.get(permission);
      if (known === undefined) scopes.set(permission, [scope]);
      else known.push(scope);
      environments.set(permission, [...(environments.get(permission) ?? []), dimension(binding.environments)]);
    }
  }
  return {
    all: false,
    may: (permission, place) => (scopes.get(permission) ?? []).some((scope) => scope(place)),
    mayIn: (permission, environment) => (environments.get(permission) ?? []).some((holds) => holds(environment)),
    mayAnywhere: (permission) => scopes.has(permission),
  };
}

/**
 * Subjects that may, as bindings name them, in the documents' order: whom to ask. Administrators stand in no document, so
 * they are not among them.
 */
export function whoMay(documents: readonly AccessDocument[], permission: Permission, place: Place): string[] {
  const subjects = grantsOf(documents)
    .filter(({ permissions }) => permissions.includes(permission))
    .filter(({ binding }) => {
      const scope = scopeOf(binding);
      return canCount(permission, scope) && scope(place);
    })
    .flatMap(({ binding }) => binding.subjects);
  return [...new Set(subjects)];
}

/** A binding to a role that its own document does not have gives nothing. */
function grantsOf(documents: readonly AccessDocument[]) {
  return documents.flatMap(({ roles, bindings }) =>
    bindings.map((binding) => ({
      binding,
      permissions: (Object.hasOwn(roles, binding.role) ? roles[binding.role] : undefined) ?? [],
    })),
  );
}

function scopeOf({ applications, environments }: Binding): Scope {
  const application = dimension(applications);
  const environment = dimension(environments);
  return (place) => application(place.application) && environment(place.environment);
}

function dimension(globs: readonly string[]): (value: string | undefined) => boolean {
  if (globs.some(isEverything)) return () => true;
  const tests = globs.map(globTest);
  return (value) => value !== undefined && tests.some((test) => test(value));
}

function canCount(permission: Permission, scope: Scope): boolean {
  return permission !== 'access.write' || scope(EVERYWHERE);
}
