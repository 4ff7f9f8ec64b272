/** Who may do what, where. Without any document only administrators may do anything. */
import * as z from 'zod';
import { API_VERSION } from './deploy.ts';
import { Glob } from './environment.ts';
import { LIMITS } from './limits.ts';
import { Name } from './names.ts';

export const PERMISSIONS = [
  'deployment.read',
  'deployment.submit',
  'deployment.cancel',
  'deployment.approve',
  'deployment.rollback',
  'deployment.freeze-override',
  'environment.write',
  'access.write',
] as const;
export const Permission = z.enum(PERMISSIONS);
export type Permission = z.infer<typeof Permission>;

/**
 * `user:<subject of the token>`, `group:<name in the token's groups>`, `pipeline:<ARN of an IAM principal>`,
 * `pipeline:<account>` and `pipeline:<account>/<event source>`; `*` for any characters at the end.
 */
export const Subject = z
  .string()
  .max(300)
  .regex(/^(user|group|pipeline):[^\s*]*\*?$/, 'must be user:, group: or pipeline: and a name; * only at the end')
  .refine((text) => !/^(user|group|pipeline):$/.test(text), 'names nobody')
  .refine(
    (text) => !/^pipeline:arn:[^:]*:sts::[^:]*:assumed-role\//.test(text),
    'names a session, whose name anybody in the role may choose; name the role: pipeline:arn:aws:iam::<account>:role/<role>',
  );

export const AccessDocument = z
  .strictObject({
    apiVersion: z.literal(API_VERSION).describe('The version of this format.'),
    kind: z.literal('Access').describe('What this document is.'),
    name: Name.describe('Under which it is kept; applying another one of the same name replaces it.'),
    roles: z
      .record(Name, z.array(Permission).min(1))
      .refine((roles) => Object.keys(roles).length <= LIMITS.rolesPerAccess, `at most ${LIMITS.rolesPerAccess} roles`)
      .describe('Permissions by the name of a role.'),
    bindings: z
      .array(
        z.strictObject({
          role: Name.describe('A name in `roles`.'),
          subjects: z.array(Subject).min(1).max(LIMITS.subjectsPerBinding).describe('Who has it.'),
          applications: z.array(Glob).min(1).default(['*']).describe('On which applications; `*` for any text.'),
          environments: z.array(Glob).min(1).default(['*']).describe('In which environments; `*` for any text.'),
        }),
      )
      .max(LIMITS.bindingsPerAccess)
      .describe('Who has which role, where.'),
  })
  .meta({ title: 'Access', description: 'Who may do what, on which applications and environments.' });
export type AccessDocument = z.infer<typeof AccessDocument>;
