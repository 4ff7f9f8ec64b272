import { z } from 'zod';
import { Duration } from './duration.ts';
import { DependencyId, DeployId, Name } from './names.ts';

export const API_VERSION = 'renga/v1';

export const Artifact = z.strictObject({
  /** What kind of thing it is: `application`, `migration`, `terraform` … Governs whether it can be reverted. */
  type: Name,
  name: Name,
  version: z.string().min(1).max(128),
  source: z.string().min(1).max(2048).optional(),
});
export type Artifact = z.infer<typeof Artifact>;

/** A plugin's parameter. `{secret: name}` is resolved by the plugin itself and never stored. */
const Param = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
export type Param = z.infer<typeof Param>;
const ParamName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'a parameter must match [A-Za-z_][A-Za-z0-9_]*');

const Import = z.strictObject({ deployment: DependencyId });
export type Import = z.infer<typeof Import>;

const Export = z.strictObject({
  /** `<step>.<key>`: an output of the plugin (step `deploy`). */
  from: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]*\.[A-Za-z0-9_][A-Za-z0-9_.-]*$/, 'must be <step>.<key>, such as deploy.url'),
  format: z.enum(['string']).default('string'),
  /** RE2 syntax, matched against the whole value. */
  pattern: z.string().min(1).max(1024),
});
export type Export = z.infer<typeof Export>;

const ExportReference = z.strictObject({ import: Name, export: Name });

export const DeployDocument = z.strictObject({
  apiVersion: z.literal(API_VERSION),
  kind: z.literal('Deploy').default('Deploy'),
  id: DeployId.optional(),
  application: Name,
  environment: Name,
  tenant: Name.optional(),
  artifact: Artifact,
  after: z.array(DependencyId).default([]),
  afterTimeout: Duration('1m', '30d').default('24h'),
  imports: z.record(Name, Import).default({}),
  exports: z.record(Name, Export).default({}),
  deploy: z.strictObject({
    plugin: Name,
    params: z.record(ParamName, Param).default({}),
    paramsFrom: z.record(ParamName, ExportReference).default({}),
    timeout: Duration('1s', '30d').default('1h'),
  }),
  rollback: z.strictObject({ automatic: z.boolean().default(false) }).default({ automatic: false }),
});
/** A deploy as the rest of renga sees it: checked, with every default filled in. */
export type DeployDocument = z.infer<typeof DeployDocument>;
