/** The sample events of examples/events, held against our own schemas and rules. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { serviceReport, serviceRun, stateOf, textAt } from '../../bus/aws-events.ts';
import { eventSchemas } from '../../bus/event-schemas.ts';
import { Envelope } from '../../bus/incoming.ts';
import { rules } from '../../bus/rules.ts';
import { compilePattern } from '../../local/eventbridge/matcher.ts';

const FOLDER = new URL('../../examples/events/', import.meta.url);
const SAMPLES = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));
const read = (name: string): Envelope => Envelope.parse(JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')));

const OURS = 'arn:aws:states:eu-south-1:111122223333:stateMachine:renga-prod-';
const RULES = rules([{ prefix: `${OURS}r-` }, { prefix: `${OURS}deploy` }], OURS).flatMap(({ name, bus, pattern }) =>
  pattern === undefined ? [] : [{ name, bus, matches: compilePattern(pattern) }],
);
const matching = (event: unknown) => RULES.filter(({ matches }) => matches(event)).map(({ name }) => name);

/** What becomes of each. */
const GO_TO: Readonly<Record<string, readonly string[]>> = {
  'approval-requested.json': [],
  'callback-answered.json': ['pipeline-reported'],
  'callback-cancelled.json': [],
  'callback-requested.json': [],
  'codebuild-succeeded.json': ['pipeline-changed'],
  'codepipeline-started.json': ['pipeline-changed'],
  'codepipeline-succeeded.json': ['pipeline-changed'],
  'deploy-concluded-error.json': ['pipeline-reported'],
  'deploy-concluded.json': ['pipeline-reported'],
  'deploy-requested.json': ['submission-requested'],
  'deploy-started.json': ['pipeline-reported'],
  'deploy-state-changed.json': ['deploy-concluded'],
  'event-refused.json': [],
  'release-requested.json': ['submission-requested'],
  'release-state-changed.json': [],
  'stepfunctions-succeeded.json': ['machine-changed'],
};

/** Schemas as they are published, by the type of the event. */
const PUBLISHED = new Map(
  Object.keys(eventSchemas()).map((file) => {
    const written = JSON.parse(readFileSync(new URL(`../../schemas/${file}`, import.meta.url), 'utf8'));
    return [String(written.title), z.fromJSONSchema(written)] as const;
  }),
);

describe('sample events', () => {
  it('are all of those, and there is one at least of each type that has a schema', () => {
    expect(SAMPLES.sort()).toEqual(Object.keys(GO_TO).sort());
    const types = new Set(SAMPLES.map((name) => read(name)['detail-type']));
    expect([...PUBLISHED.keys()].filter((type) => !types.has(type))).toEqual([]);
  });

  it.each(SAMPLES)('%s goes where it should', (name) => expect(matching(read(name))).toEqual(GO_TO[name]));

  it.each(SAMPLES)('%s is what its schema says', (name) => {
    const event = read(name);
    const schema = PUBLISHED.get(event['detail-type']);
    if (event.source.startsWith('aws.')) expect(serviceReport(event)).toBeDefined();
    else expect(schema?.safeParse(event.detail).error).toBeUndefined();
  });

  it.each(SAMPLES.filter((name) => (GO_TO[name] ?? []).length > 0))(
    '%s goes nowhere from the source that it should not have',
    (name) => {
      const event = read(name);
      expect(matching({ ...event, source: event.source === 'renga' ? 'somebody' : 'renga' })).toEqual([]);
    },
  );
});

describe('state changes of AWS', () => {
  const changed = (over: object) => {
    const event = read('codepipeline-started.json');
    return serviceReport({ ...event, detail: { ...(event.detail as object), ...over } });
  };

  it.each([
    ['STARTED', 'RUNNING'],
    ['RESUMED', 'RUNNING'],
    ['SUCCEEDED', 'SUCCESS'],
    ['FAILED', 'ERROR'],
    ['CANCELED', 'CANCELLED'],
    ['STOPPED', 'CANCELLED'],
    ['SUPERSEDED', 'CANCELLED'],
  ])('of a pipeline to %s say %s', (state, wanted) => expect(changed({ state })?.state).toBe(wanted));

  it.each([['STOPPING'], ['constructor'], [''], [null], [undefined], [1]])('to %s say nothing', (state) =>
    expect(changed({ state })).toBeUndefined(),
  );

  it.each([
    ['InProgress', 'RUNNING'],
    ['Succeeded', 'SUCCESS'],
    ['Superseded', 'CANCELLED'],
    ['Cancelled', 'CANCELLED'],
    ['Stopping', undefined],
    ['TIMED_OUT', 'ERROR'],
    ['FAULT', 'ERROR'],
    ['PENDING_REDRIVE', undefined],
  ])('are the same in the answer %s', (status, wanted) => expect(stateOf(status)).toBe(wanted));

  it('name their runs as they are asked for again', () => {
    const names = ['codepipeline-started.json', 'codebuild-succeeded.json', 'stepfunctions-succeeded.json'];
    const ids = names.map((name) => serviceReport(read(name))?.id ?? '');
    expect(ids).toEqual([
      'codepipeline:shop-infra:6f1d3c52-8b1e-4f0a-9c57-2a4d1e0b7c11',
      'codebuild:shop-migrations:3b7f2f0e-52d4-4d3c-8a8e-0f5f3d1c9a10',
      'stepfunctions:nightly-load:2026-10-12',
    ]);
    expect(ids.map(serviceRun)).toEqual([
      { service: 'codepipeline', name: 'shop-infra', run: '6f1d3c52-8b1e-4f0a-9c57-2a4d1e0b7c11' },
      { service: 'codebuild', name: 'shop-migrations', run: '3b7f2f0e-52d4-4d3c-8a8e-0f5f3d1c9a10' },
      { service: 'stepfunctions', name: 'nightly-load', run: '2026-10-12' },
    ]);
    expect(serviceRun('ci:infra:42')).toBeUndefined();
  });

  it.each([
    ['codepipeline-succeeded.json', 'execution-trigger.commit-id', '4c1b0de9'],
    ['codepipeline-started.json', 'execution-trigger.commit-id', undefined],
    ['codebuild-succeeded.json', 'additional-information.source-version', 'v42'],
    ['stepfunctions-succeeded.json', 'input.version', '2026.10.12'],
    ['stepfunctions-succeeded.json', 'input.version.length', undefined],
    ['stepfunctions-succeeded.json', 'name.version', undefined],
    ['stepfunctions-succeeded.json', 'constructor.name', undefined],
    ['stepfunctions-succeeded.json', '__proto__', undefined],
    ['stepfunctions-succeeded.json', 'error', undefined],
    ['stepfunctions-succeeded.json', 'startDate', undefined],
  ])('of %s have at %s the text %s', (name, path, wanted) => expect(textAt(read(name).detail, path)).toBe(wanted));

  it('have text in lists as well', () => {
    expect(textAt({ sourceRevisions: [{ revisionId: 'a1' }] }, 'sourceRevisions[0].revisionId')).toBe('a1');
    expect(textAt({ sourceRevisions: [] }, 'sourceRevisions[0].revisionId')).toBeUndefined();
  });
});
