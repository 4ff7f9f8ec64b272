import * as z from 'zod';
import { LIMITS } from './limits.ts';

/** A name or an address: no white space, nothing that a shell or a URL would read as more than a host. */
export const Host = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[A-Za-z0-9]([A-Za-z0-9.:_-]*[A-Za-z0-9])?$|^\[[0-9A-Fa-f:.]+\]$/, 'must be a host name or an address');

/** A host that a plugin acts on, with what it needs to reach it. */
export const Target = z.strictObject({
  host: Host.describe('A name or an address.'),
  port: z.int().min(1).max(65_535).optional().describe('Where it listens for the plugin.'),
  user: z
    .string()
    .regex(/^[A-Za-z0-9_][A-Za-z0-9_.@-]{0,63}$/, 'must be a user name')
    .optional()
    .describe('As whom the plugin acts on it.'),
  labels: z
    .record(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_./-]{0,62}$/, 'must be a label'), z.string().max(256))
    .optional()
    .describe('What the plugin may choose by.'),
});
export type Target = z.infer<typeof Target>;

/** As people write one: a bare host stands for a target that has nothing else. */
export const WrittenTarget = z.union([Host, Target]);

export function targetOf(written: z.infer<typeof WrittenTarget>): Target {
  return typeof written === 'string' ? { host: written } : written;
}

export const Targets = z.array(WrittenTarget).min(1).max(LIMITS.targetsPerDeploy);
