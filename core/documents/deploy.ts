import * as z from 'zod';
import { Duration } from './duration.ts';
import { LIMITS } from './limits.ts';
import { DependencyId, DeployId, Name } from './names.ts';

export const API_VERSION = 'renga/v1';

export const Artifact = z
  .strictObject({
    type: Name.describe(
      'What kind of thing it is: application, migration, terraform … It decides what can be reverted.',
    ),
    name: Name.describe('The artifact, the same over all its versions.'),
    version: z
      .string()
      .min(1)
      .max(128)
      .describe('The version, always text: quote what looks like a number, such as "1.10".'),
    source: z
      .string()
      .min(1)
      .max(2048)
      .optional()
      .describe('Where the artifact is kept, as its plugin understands it.'),
  })
  .describe('What is deployed.');
export type Artifact = z.infer<typeof Artifact>;

/** A plugin's parameter. */
const Param = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
const ParamName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'a parameter must match [A-Za-z_][A-Za-z0-9_]*');

const Import = z.strictObject({
  deployment: DependencyId.describe(
    'The deploy that exports: an id in `after`, inside a release a name in its `after`.',
  ),
});

const Export = z.strictObject({
  /** `<step>.<key>`: an output of the plugin (step `deploy`). */
  from: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]*\.[A-Za-z0-9_][A-Za-z0-9_.-]*$/, 'must be <step>.<key>, such as deploy.url')
    .describe('The output to export, as <step>.<key>; the only step is deploy.'),
  format: z.enum(['string']).default('string').describe('What the value is.'),
  /** RE2 syntax, matched against the whole value. */
  pattern: z
    .string()
    .min(1)
    .max(LIMITS.patternLength)
    .describe('What the whole value must match, line breaks included; RE2 syntax.'),
});
export type Export = z.infer<typeof Export>;

const ExportReference = z.strictObject({
  import: Name.describe('A name in `imports`.'),
  export: Name.describe('An export of the deploy that is imported.'),
});

export const DeployDocument = z
  .strictObject({
    apiVersion: z.literal(API_VERSION).describe('The version of this format.'),
    kind: z.literal('Deploy').default('Deploy').describe('What this document is; Deploy when absent.'),
    id: DeployId.optional().describe('Runs once under this id; generated when absent, <release>.<name> in a release.'),
    application: Name.describe('The application that gets the artifact.'),
    environment: Name.describe('Where it is deployed to.'),
    tenant: Name.optional().describe('Whose it is, where several share an application.'),
    artifact: Artifact,
    after: z
      .array(DependencyId)
      .default([])
      .describe('Ids of deploys that must succeed first; inside a release those outside of it.'),
    afterTimeout: Duration('1m', '30d').default('24h').describe('How long to wait for `after`, 1m to 30d.'),
    /** Only `false` can be written, which says what its absence says; a checked document never has it. */
    dryRun: z.literal(false).optional().describe('Only false; dry runs are not supported yet.'),
    imports: z.record(Name, Import).default({}).describe('Exports of other deploys, by the name they have here.'),
    exports: z.record(Name, Export).default({}).describe('Outputs that other deploys may import, by name.'),
    deploy: z
      .strictObject({
        plugin: Name.describe('What carries the deploy out.'),
        params: z.record(ParamName, Param).default({}).describe("The plugin's parameters."),
        paramsFrom: z
          .record(ParamName, ExportReference)
          .default({})
          .describe('Parameters that take the value of an imported export.'),
        timeout: Duration('1s', '30d').default('1h').describe('How long the plugin may take, 1s to 30d.'),
      })
      .describe('The step that deploys.'),
    rollback: z
      .strictObject({
        automatic: z.boolean().default(false).describe("Whether a failure runs the plugin's own rollback."),
      })
      .default({ automatic: false })
      .describe('What happens after a failure.'),
  })
  .meta({ title: 'Deploy', description: 'One artifact version going to one application in one environment.' });
/** A deploy as the rest of renga sees it: checked, with every default filled in. */
export type DeployDocument = z.infer<typeof DeployDocument>;
