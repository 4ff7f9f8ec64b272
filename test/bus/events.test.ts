import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { SOURCE } from '../../bus/events.ts';
import { rules } from '../../bus/rules.ts';
import { compilePattern } from '../../local/eventbridge/matcher.ts';
import { deployEvents, releaseEvents } from '../../orchestration/announce.ts';
import { decided, decidedRelease, deployOf, FAILURE, NOW, releaseOf } from '../contracts/records.ts';

const schema = (name: string) =>
  z.fromJSONSchema(JSON.parse(readFileSync(new URL(`../../schemas/${name}.schema.json`, import.meta.url), 'utf8')));
const SCHEMAS: Record<string, z.ZodType> = {
  'Deploy State Changed': schema('deploy-state-changed'),
  'Release State Changed': schema('release-state-changed'),
  'Approval Requested': schema('approval-requested'),
};

const recorded = deployOf('d', { tenant: 'retail', release: { id: 'r', attempt: 1, name: 'api' } });
const running = decided(recorded, { type: 'started' });
const succeeded = decided(decided(running, { type: 'succeeded' }), { type: 'published', revision: 1 });
const release = releaseOf('r');
const LONG = { code: 'plugin-failed', message: 'x'.repeat(500_000) };
const approval = { required: 2, selfApproval: false, expiresAt: NOW + 60_000 };
const waiting = deployOf('d', { after: ['e'], tenant: 'retail', release: { id: 'r', attempt: 1, name: 'api' } });
const events = {
  approval: deployEvents(decided(waiting, { type: 'dependencies-succeeded', approval })),
  long: deployEvents(decided(running, { type: 'failed', failure: LONG })),
  longRelease: releaseEvents(decidedRelease(release, { type: 'deploy-failed', failure: LONG })),
  succeeded: deployEvents(succeeded),
  failed: deployEvents(decided(running, { type: 'failed', failure: FAILURE })),
  cancelled: deployEvents(decided(recorded, { type: 'cancel', reason: 'because' })),
  release: releaseEvents(
    decidedRelease(decidedRelease(release, { type: 'deploy-failed', failure: FAILURE }), {
      type: 'concluded',
      outcome: 'ERROR',
      failure: FAILURE,
    }),
  ),
};

/** An event as EventBridge hands it on. */
const onBus = (type: string, detail: unknown, source = SOURCE) => ({ source, 'detail-type': type, detail });
const [concluded] = rules([{ prefix: 'arn:m' }], 'arn:m').filter(({ name }) => name === 'deploy-concluded');
const wakes = compilePattern(concluded?.pattern);

describe('the events that renga puts on its bus', () => {
  it.each(Object.entries(events))('are what their schemas say: %s', (_, all) => {
    expect(all.length).toBeGreaterThan(0);
    for (const { type, detail } of all) {
      expect(SCHEMAS[type]?.safeParse(JSON.parse(JSON.stringify(detail))).error).toBeUndefined();
      expect(Date.parse(String(Reflect.get(detail, 'at')))).toBeGreaterThanOrEqual(NOW);
    }
  });

  it.each(Object.entries(events))('end far below the 256 KB of an event: %s', (_, all) => {
    for (const { detail } of all) expect(JSON.stringify(detail).length).toBeLessThan(16_000);
  });

  it('ask for approval when a deploy comes to wait for it, once', () => {
    const asked = events.approval.filter(({ type }) => type === 'Approval Requested');
    expect(asked.map(({ detail }) => detail)).toMatchObject([
      { id: 'd', required: 2, seq: 2, expiresAt: new Date(NOW + 60_000).toISOString(), release: { id: 'r' } },
    ]);
  });

  it('are none for a success that is still being written down', () => {
    expect(events.succeeded.map(({ detail }) => Reflect.get(detail, 'state'))).toEqual([
      'ENQUEUED',
      'RUNNING',
      'SUCCESS',
    ]);
  });

  it('wake whoever waits when a deploy has ended, and only then', () => {
    const waking = Object.values(events)
      .flat()
      .filter(({ type, detail }) => wakes(onBus(type, detail)))
      .map(({ detail }) => Reflect.get(detail, 'state'));
    expect(waking).toEqual(['ERROR', 'SUCCESS', 'ERROR', 'CANCELLED']);
  });

  it.each([
    ['another source', onBus('Deploy State Changed', { state: 'SUCCESS' }, 'somebody')],
    ['another type', onBus('Release State Changed', { state: 'SUCCESS' })],
    ['a state that is null', onBus('Deploy State Changed', { state: null })],
    ['no state', onBus('Deploy State Changed', {})],
    ['a state that is a number', onBus('Deploy State Changed', { state: 0 })],
    ['a state in other letters', onBus('Deploy State Changed', { state: 'success' })],
  ])('do not wake with %s', (_, event) => expect(wakes(event)).toBe(false));

  it.each([
    ['a sequence number as text', { seq: '4' }],
    ['no id', { id: undefined }],
    ['an instant without a zone', { at: '2026-10-01T00:00:00' }],
    ['an error that is text', { error: 'it failed' }],
  ])('are refused by their schema with %s', (_, wrong) => {
    const [event] = events.failed;
    const detail = JSON.parse(JSON.stringify({ ...event?.detail, ...wrong }));
    expect(SCHEMAS['Deploy State Changed']?.safeParse(detail).success).toBe(false);
  });
});
