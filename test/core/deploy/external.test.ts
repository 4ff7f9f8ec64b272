/** What may happen to a deploy that another pipeline runs. */
import { describe, expect, it, test } from 'vitest';
import type { DeployIdentity } from '../../../core/deploy/deploy.ts';
import { type DeployEvent, transition } from '../../../core/deploy/transition.ts';
import { decided, deployOf, FAILURE, NOW } from '../../contracts/records.ts';

const external = (over: Partial<NonNullable<DeployIdentity['external']>> = {}) =>
  deployOf('ci:1', { kind: 'external', external: { pipeline: 'ci', owner: '1/ci', ...over } });
const reported = { type: 'reported', outcome: 'SUCCESS' } as const;

describe('a deploy of another pipeline', () => {
  it('runs from the beginning, since when its pipeline says, but never since the future', () => {
    expect(external().status).toMatchObject({ state: 'RUNNING', since: NOW, startedAt: NOW });
    expect(external({ startedAt: NOW - 5 }).status).toMatchObject({ since: NOW, startedAt: NOW - 5 });
    expect(external({ startedAt: NOW + 5 }).status).toMatchObject({ startedAt: NOW });
  });

  it.each([
    [undefined, NOW + 10],
    [NOW + 4, NOW + 4],
    [NOW + 99, NOW + 10],
    [NOW - 99, NOW],
  ])('that says it ended at %s ended at %s', (at, endedAt) => {
    expect(decided(external(), { ...reported, at }, NOW + 10).status).toMatchObject({ since: NOW + 10, endedAt });
    const failed = { type: 'reported', outcome: 'ERROR', failure: FAILURE, at } as const;
    expect(decided(external(), failed, NOW + 10).status).toMatchObject({ state: 'ERROR', endedAt, startedAt: NOW });
  });

  it('learns its version once, and the largest number', () => {
    const first = decided(external({ seq: 2 }), { type: 'start-repeated', version: '3', seq: 1 });
    expect(first.identity).toMatchObject({ artifact: { version: '3' }, external: { version: '3', seq: 2 } });
    const second = decided(first, { type: 'start-repeated', version: '4', seq: 7 });
    expect(second.identity).toMatchObject({ artifact: { version: '3' }, external: { version: '3', seq: 7 } });
    expect(second.pending.map(({ action, from, to }) => `${action} ${from} ${to}`).slice(1)).toEqual([
      'deploy.reported RUNNING RUNNING',
      'deploy.reported RUNNING RUNNING',
    ]);
  });

  const same: readonly DeployEvent[] = [
    { type: 'start-repeated' },
    { type: 'start-repeated', version: '9' },
    { type: 'start-repeated', seq: 2 },
    { type: 'start-repeated', version: '9', seq: 1 },
  ];
  test.each(same)('says nothing new with %o', (event) => {
    const known = external({ version: '3', seq: 2 });
    expect(transition(known, event, 'ci', NOW)).toEqual({ kind: 'unchanged' });
  });

  it('is not started again once it has ended (I3)', () => {
    const ended = decided(external(), reported);
    expect(transition(ended, { type: 'start-repeated', seq: 9 }, 'ci', NOW).kind).toBe('refused');
    expect(transition(ended, reported, 'ci', NOW).kind).toBe('refused');
  });

  const steering: readonly DeployEvent[] = [
    { type: 'cancel', reason: 'because' },
    { type: 'approved' },
    { type: 'failed', failure: FAILURE },
    { type: 'succeeded' },
  ];
  test.each(steering)('is not steered from here by %o', (event) => {
    expect(transition(external(), event, 'ada', NOW)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('another pipeline, ci'),
    });
  });

  test.each([reported, { type: 'start-repeated', seq: 9 } as const])('is none that runs here: %o', (event) => {
    expect(transition(deployOf('d'), event, 'ci', NOW).kind).not.toBe('changed');
  });
});
