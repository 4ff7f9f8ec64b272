import { describe, expect, test } from 'vitest';
import type { OnFailure } from '../../../core/documents/release.ts';
import type { Attempt, Release } from '../../../core/release/release.ts';
import { acceptRelease, type ReleaseEvent, transitionRelease } from '../../../core/release/transition.ts';

const attempt: Attempt = { number: 1, startedAt: 1000, machine: { name: 'm', arn: 'arn' }, execution: 'shop' };
const failure = { code: 'plugin-failed', message: 'web broke' };

const EVENTS = {
  failed: { type: 'deploy-failed', failure },
  refused: { type: 'recording-refused', name: 'db', failure },
  'rollback started': { type: 'rollback-started' },
  lost: { type: 'execution-lost', failure },
  cancel: { type: 'cancel', reason: 'because' },
  pause: { type: 'pause' },
  resume: { type: 'resume' },
  'concluded SUCCESS': { type: 'concluded', outcome: 'SUCCESS' },
  'concluded ERROR': { type: 'concluded', outcome: 'ERROR', failure },
  'concluded CANCELLED': { type: 'concluded', outcome: 'CANCELLED', failure },
  retry: { type: 'retry', attempt: { ...attempt, number: 2 } },
} satisfies Record<string, ReleaseEvent>;
type Event = keyof typeof EVENTS;

function accepted(onFailure: OnFailure): Release {
  return acceptRelease(
    {
      id: 'shop',
      mode: 'auto',
      start: 'layers',
      onFailure,
      document: 'hash',
      deploys: 4,
      submittedBy: 'ada',
      createdAt: 1000,
    },
    attempt,
  );
}

/** `phase`, `phase paused`, or a final state; `-` where the event changed nothing or was refused. */
function told(onFailure: OnFailure, ...events: Event[]): string {
  let release = accepted(onFailure);
  let last = '';
  for (const event of events) {
    const decided = transitionRelease(release, EVENTS[event], 'ada', 2000);
    last = decided.kind;
    if (decided.kind === 'changed') release = decided.next;
  }
  if (last !== 'changed') return '-';
  const { status } = release;
  return status.state === 'PENDING' ? `${status.phase}${status.paused ? ' paused' : ''}` : status.state;
}

describe('a release', () => {
  test.each<[OnFailure, Event[], string]>([
    ['stop', ['failed'], 'failing'],
    ['rollback', ['failed'], 'failing'],
    ['continue', ['failed'], 'running'],
    ['rollback', ['failed', 'rollback started'], 'rolling-back'],
    ['rollback', ['rollback started'], '-'],
    ['rollback', ['failed', 'lost', 'rollback started'], '-'],
    ['rollback', ['failed', 'rollback started', 'cancel'], 'cancelling'],
    ['rollback', ['cancel', 'rollback started'], '-'],
    ['stop', ['cancel', 'failed'], '-'],
    ['stop', ['cancel', 'cancel'], '-'],
    ['stop', ['cancel', 'lost'], 'cancelling'],
    ['stop', ['refused'], 'failing'],
    ['stop', ['pause'], 'running paused'],
    ['stop', ['pause', 'pause'], '-'],
    ['stop', ['pause', 'failed'], 'failing paused'],
    ['stop', ['pause', 'resume'], 'running'],
    ['stop', ['resume'], '-'],
    ['stop', ['concluded SUCCESS'], 'SUCCESS'],
    ['stop', ['concluded SUCCESS', 'concluded ERROR'], '-'],
    ['stop', ['concluded ERROR', 'failed'], '-'],
    ['stop', ['concluded ERROR', 'cancel'], '-'],
    ['stop', ['concluded ERROR', 'pause'], '-'],
    ['stop', ['retry'], '-'],
    ['stop', ['concluded SUCCESS', 'retry'], '-'],
    ['stop', ['concluded ERROR', 'retry'], 'running'],
    ['stop', ['concluded CANCELLED', 'retry'], 'running'],
    ['stop', ['concluded ERROR', 'retry', 'retry'], '-'],
  ])('with onFailure %s, after %j: %s', (onFailure, events, expected) => {
    expect(told(onFailure, ...events)).toBe(expected);
  });

  test('keeps the first failure, whatever follows', () => {
    let release = accepted('stop');
    for (const message of ['first', 'second']) {
      const decided = transitionRelease(
        release,
        { type: 'deploy-failed', failure: { code: 'x', message } },
        'renga',
        2000,
      );
      if (decided.kind === 'changed') release = decided.next;
    }
    expect(release.status.failure?.message).toBe('first');
  });
});
