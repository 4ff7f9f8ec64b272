import * as z from 'zod';
import { CronExpression } from '../calendar/cron.ts';
import { Instant } from '../calendar/instant.ts';
import { TimeZone } from '../calendar/zone.ts';
import { Duration } from './duration.ts';
import { LIMITS } from './limits.ts';
import { DependencyId, DeployId, Name } from './names.ts';
import { CurrentImport, Params, ParamsFrom, TargetsFrom } from './plugin-call.ts';
import { Targets } from './target.ts';

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

const DeploymentImport = z.strictObject({
  deployment: DependencyId.describe(
    'The deploy that exports: an id in `after`, inside a release a name in its `after`.',
  ),
});
export const Import = z.union([DeploymentImport, CurrentImport]);
export type Import = z.infer<typeof Import>;

const OutputKey = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/, 'an output must match [A-Za-z0-9_][A-Za-z0-9_.-]*');

export const Export = z.strictObject({
  /** `<step>.<key>`: an output of the plugin (step `deploy`), or a declared one of a custom step. */
  from: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]*\.[A-Za-z0-9_][A-Za-z0-9_.-]*$/, 'must be <step>.<key>, such as deploy.url')
    .describe('The output to export, as <step>.<key>: deploy, or a step of `steps` that declares it.'),
  format: z
    .enum(['string', 'targets'])
    .default('string')
    .describe(
      'string: a value that matches `pattern`. targets: a JSON list of hosts, or of {host, port, user, labels}.',
    ),
  /** RE2 syntax, matched against the whole value; for `targets` against every host. */
  pattern: z
    .string()
    .min(1)
    .max(LIMITS.patternLength)
    .optional()
    .describe('What the whole value must match, line breaks included; RE2 syntax. For targets: each host; optional.'),
  public: z.boolean().default(false).describe('Whether deploys of other tenants may import it.'),
});
export type Export = z.infer<typeof Export>;

/** A deploy that no pipeline has started yet: the next one of that pipeline and version. */
const Expectation = z.strictObject({
  expect: z
    .strictObject({
      pipeline: DependencyId.describe('As its events name it: codepipeline:shop-infra, or a name of its own.'),
      version: z
        .string()
        .regex(/^[A-Za-z0-9._+/-]{1,100}$/, 'must match [A-Za-z0-9._+/-]{1,100}')
        .describe('The version that it reports.'),
    })
    .describe('A deploy that another pipeline has not started yet.'),
});
export const After = z.union([DependencyId, Expectation]);
export type After = z.infer<typeof After>;

const Schedule = z.union([
  z.strictObject({ at: Instant.describe('When it starts, with an offset: 2026-10-12T22:00:00+02:00.') }),
  z.strictObject({
    cron: CronExpression.describe('Minute, hour, day of month, month, day of week; each time submits a new deploy.'),
    timezone: TimeZone.describe('The zone whose clock counts, such as Europe/Rome.'),
  }),
]);

/** Stays text, so that a document reads back as it was written: a count of targets, or a share of all of them. */
const WaveSize = z.union([
  z.int().min(1).max(LIMITS.targetsPerDeploy),
  z.string().regex(/^(100|[1-9][0-9]?)%$/, 'must be a count, or a share such as 25%'),
]);

const STEP_NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/;
/** Names that a custom step can't have: they are steps already. */
export const OWN_STEPS: readonly string[] = ['deploy', 'verify', 'rollback', 'config'];

const CustomStep = z.strictObject({
  name: z.string().regex(STEP_NAME, 'must match [a-z0-9][a-z0-9_-]*').describe('Unique in the deploy.'),
  when: z.enum(['before', 'after']).default('after').describe('Before the deploy step, or after it.'),
  plugin: Name.describe('What carries the step out.'),
  params: Params.default({}).describe("The plugin's parameters."),
  paramsFrom: ParamsFrom.default({}),
  outputs: z.array(OutputKey).max(LIMITS.pluginOutputs).default([]).describe('Outputs that exports may name.'),
  timeout: Duration('1s', '30d').default('1h').describe('How long the step may take, 1s to 30d.'),
});

const Verify = z.strictObject({
  plugin: Name.describe('What looks whether it works.'),
  params: Params.default({}).describe("The plugin's parameters."),
  paramsFrom: ParamsFrom.default({}),
  interval: Duration('1s', '5m').default('10s').describe('Pause between one look and the next, 1s to 5m.'),
  timeout: Duration('1s', '1d').default('10m').describe('How long it may take until it works, 1s to 1d.'),
  successes: z.int().min(1).max(100).default(1).describe('How many looks in a row must succeed.'),
});

const DeployStep = z.strictObject({
  plugin: Name.optional().describe("What carries the deploy out; the environment's configuration may say it instead."),
  params: Params.default({}).describe("The plugin's parameters."),
  paramsFrom: ParamsFrom.default({}),
  targets: Targets.optional().describe('Hosts that the plugin acts on.'),
  targetsFrom: TargetsFrom.default([]),
  waves: z
    .array(z.strictObject({ size: WaveSize.describe('A count of targets, or up to which share of all: 25%.') }))
    .min(1)
    .max(LIMITS.wavesPerDeploy)
    .optional()
    .describe('Batches of targets, one after another; what is left comes last. Without: all at once.'),
  timeout: Duration('1s', '30d').default('1h').describe('How long the plugin may take, each wave; 1s to 30d.'),
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
      .array(After)
      .default([])
      .describe(
        'Ids of deploys that must succeed first, or {expect: {pipeline, version}}; inside a release those outside of it.',
      ),
    afterTimeout: Duration('1m', '30d').default('24h').describe('How long to wait for `after`, 1m to 30d.'),
    schedule: Schedule.optional().describe('When it starts: once at an instant, or again and again.'),
    /** Absent when false: that says what its absence says. */
    dryRun: z
      .boolean()
      .optional()
      .describe('Whether the plugin only plans; nothing is changed or recorded as current.'),
    freezeOverride: z
      .string()
      .min(1, { abort: true })
      .max(500)
      .regex(/\S/, 'must say why')
      .optional()
      .describe('Why it goes on during a freeze; needs the permission deployment.freeze-override.'),
    imports: z.record(Name, Import).default({}).describe('Exports of other deploys, by the name they have here.'),
    exports: z.record(Name, Export).default({}).describe('Outputs that other deploys may import, by name.'),
    deploy: DeployStep.prefault({}).describe('The step that deploys.'),
    steps: z.array(CustomStep).max(LIMITS.stepsPerDeploy).default([]).describe('Steps of your own around it.'),
    verify: Verify.optional().describe('How to see that it works, after each wave.'),
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

/** The id that stands for an expectation wherever ids of dependencies stand. No deploy can have it. */
export const EXPECTED = 'expect:';

export function dependencyId(after: After): string {
  return typeof after === 'string' ? after : `${EXPECTED}${after.expect.pipeline}@${after.expect.version}`;
}
