/** What holds for everything that is deployed to an environment, and for one application in it. */
import * as z from 'zod';
import { Freeze } from '../calendar/freeze.ts';
import { API_VERSION } from './deploy.ts';
import { Duration } from './duration.ts';
import { LIMITS } from './limits.ts';
import { Name } from './names.ts';
import { CurrentImport, ParamName, Params, ParamsFrom, TargetsFrom } from './plugin-call.ts';
import { Targets } from './target.ts';

/** Text in which `*` stands for any number of characters, the rest for itself. */
export const Glob = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[\x21-\x7e]+$/, 'must be printable ASCII without spaces');

export const EnvironmentDocument = z
  .strictObject({
    apiVersion: z.literal(API_VERSION).describe('The version of this format.'),
    kind: z.literal('Environment').describe('What this document is.'),
    name: Name.describe('The environment, as deploys name it.'),
    concurrency: z
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .describe('How many deploys may run in it at once; any number when absent.'),
    approval: z
      .strictObject({
        required: z.int().min(1).max(20).default(1).describe('How many people must approve.'),
        expiresAfter: Duration('1m', '30d').default('24h').describe('How long approval may take, 1m to 30d.'),
        selfApproval: z.boolean().default(false).describe('Whether whoever asks may be one of them.'),
      })
      .optional()
      .describe('Who must agree before a deploy starts; nobody when absent.'),
    freezes: z.array(Freeze).max(LIMITS.freezesPerEnvironment).default([]).describe('Times in which nothing starts.'),
    promotion: z
      .strictObject({ from: Name.describe('The environment in which the same version must be current.') })
      .optional()
      .describe('Only what is current elsewhere may be deployed here.'),
    policy: z
      .strictObject({
        plugins: z.array(Name).min(1).max(50).optional().describe('Plugins that may be used.'),
        sources: z.array(Glob).min(1).max(50).optional().describe('What the source of an artifact must match.'),
        types: z.array(Name).min(1).max(50).optional().describe('Types of artifacts.'),
        params: z.array(Glob).max(50).optional().describe('Parameters that deploys may set or import.'),
        targets: z.array(Glob).max(50).optional().describe('Hosts that deploys may set or import.'),
      })
      .optional()
      .describe('What a deploy may say; what is absent is free. Text with `*` for anything.'),
  })
  .meta({ title: 'Environment', description: 'What holds for all that is deployed to an environment.' });
export type EnvironmentDocument = z.infer<typeof EnvironmentDocument>;

export const EnvironmentConfigDocument = z
  .strictObject({
    apiVersion: z.literal(API_VERSION).describe('The version of this format.'),
    kind: z.literal('EnvironmentConfig').describe('What this document is.'),
    application: Name.describe('The application that it is about.'),
    environment: Name.describe('The environment that it is about.'),
    tenant: Name.optional().describe('The tenant that it is about; when absent, all that have none of their own.'),
    plugin: Name.optional().describe('What carries deploys out here.'),
    params: Params.default({}).describe('Parameters that every deploy here gets.'),
    overridable: z.array(ParamName).max(200).default([]).describe('Parameters that a deploy may set otherwise.'),
    targets: Targets.optional().describe('Hosts that every deploy here acts on.'),
    imports: z.record(Name, CurrentImport).default({}).describe('Exports of what is current elsewhere.'),
    targetsFrom: TargetsFrom.default([]),
    paramsFrom: ParamsFrom.default({}),
    rollback: z
      .record(Name, z.enum(['never', 'allowed']))
      .default({})
      .describe('By type of artifact, whether it can be taken back; migration: never, unless said otherwise.'),
    reconcile: z
      .enum(['off', 'detect', 'correct'])
      .default('off')
      .describe('What is done about drift; only off is supported yet.'),
  })
  .meta({ title: 'EnvironmentConfig', description: 'What one application has in one environment.' });
export type EnvironmentConfigDocument = z.infer<typeof EnvironmentConfigDocument>;
