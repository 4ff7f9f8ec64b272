import type { Actor } from '../../../core/access/actor.ts';
import { type AccessDocument, PERMISSIONS, type Permission } from '../../../core/documents/access.ts';

export interface Bound {
  readonly to: readonly string[];
  readonly permissions?: readonly Permission[];
  readonly applications?: readonly string[];
  readonly environments?: readonly string[];
}

/** A document with one role for each binding. */
export function access(...bindings: readonly Bound[]): AccessDocument {
  return {
    apiVersion: 'renga/v1',
    kind: 'Access',
    name: 'test',
    roles: Object.fromEntries(
      bindings.map(({ permissions = PERMISSIONS }, index) => [`role-${index}`, [...permissions]]),
    ),
    bindings: bindings.map(({ to, applications = ['*'], environments = ['*'] }, index) => ({
      role: `role-${index}`,
      subjects: [...to],
      applications: [...applications],
      environments: [...environments],
    })),
  };
}

export const user = (subject: string, ...groups: string[]): Actor => ({ subject, kind: 'user', groups });
export const pipeline = (subject: string, ...groups: string[]): Actor => ({ subject, kind: 'pipeline', groups });
