import * as z from 'zod';
import { OnFailure, Start } from '../../core/documents/release.ts';
import { Instant } from './parts.ts';

const PlannedDeploy = z.strictObject({
  name: z.string(),
  id: z.string(),
  after: z.array(z.string()).describe('Names of deploys of this release that must succeed first.'),
  external: z.array(z.string()).describe('Ids of deploys outside the release that must succeed first.'),
});

const Wait = z.strictObject({
  name: z.string(),
  layer: z.int().describe('Counted from 1.'),
  deploys: z.array(z.string()),
  external: z.array(z.string()),
  barrier: z
    .int()
    .describe('Deploys of the layer before that must conclude first although it does not depend on them.'),
});

const Period = z.strictObject({ from: Instant, until: Instant, reason: z.string() });

const PlannedEnvironment = z
  .strictObject({
    name: z.string(),
    deploys: z.array(z.string()).describe('Names of the deploys that go there.'),
    approvals: z.int().optional().describe('How many must approve each of them; absent when nobody is asked.'),
    freeze: Period.optional().describe('The freeze that is in force: a submission would be refused.'),
    nextFreeze: Period.optional(),
    queue: z
      .strictObject({ slots: z.int(), held: z.int(), waiting: z.int() })
      .optional()
      .describe('How many deploys may run there at once, do, and wait; absent when any number may.'),
  })
  .meta({ id: 'PlannedEnvironment' });

export const PlanView = z
  .strictObject({
    release: z.string(),
    order: z.enum(['dag', 'sequential']),
    start: Start,
    onFailure: OnFailure,
    deployCount: z.int(),
    criticalPathLength: z.int().describe('Deploys one after another that no parallelism can shorten.'),
    layers: z.array(z.array(PlannedDeploy)),
    rollbackOrder: z.array(z.string()).describe('Names, most dependent first.'),
    irreversible: z.array(z.string()).describe('Names of deploys that can not be taken back: a rollback stops there.'),
    environments: z
      .array(PlannedEnvironment)
      .optional()
      .describe('What holds where the deploys go, as far as the caller may know; absent without a server.'),
    waits: z.array(Wait).describe('The deploys that wait for something, in the order of the plan.'),
    externalWaits: z.array(z.string()).describe('Ids outside the release that something waits for, each once.'),
    machine: z.strictObject({
      bytes: z.int(),
      bytesLimit: z.int(),
      historyEvents: z.strictObject({ success: z.int(), most: z.int(), limit: z.int() }),
    }),
    transitions: z
      .strictObject({
        release: z.strictObject({ success: z.int(), most: z.int() }),
        deploys: z.int().describe('When each deploy waits for nothing of its own and succeeds.'),
        success: z.int().describe('Of the release and its deploys, when everything succeeds.'),
        most: z.int().describe('When everything but the last succeeds and then all of it goes back.'),
      })
      .describe('State transitions, which Step Functions charges for.'),
    definition: z.record(z.string(), z.unknown()).optional().describe('The state machine, with ?definition=true.'),
  })
  .meta({ id: 'Plan' });
export type PlanView = z.infer<typeof PlanView>;

const Flag = z.enum(['true', 'false']).transform((text) => text === 'true');

export const PlanQuery = z.strictObject({
  definition: Flag.optional().describe('Adds the state machine.'),
  tags: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]*(?:,[a-z0-9][a-z0-9._-]*)*$/, 'must be tags with commas between them')
    .transform((text) => text.split(','))
    .optional()
    .describe('Plans only the deploys with one of these tags: a,b,c.'),
  withDependencies: Flag.optional().describe('With tags: adds what the picked deploys wait for.'),
});
