import { describe, expect, test } from 'vitest';
import { type Deploy, type DeployIdentity, type DeployState, isFinal } from '../../../core/deploy/deploy.ts';
import { type DeployEvent, recordDeploy, transition } from '../../../core/deploy/transition.ts';

const identity: DeployIdentity = {
  id: 'shop.api',
  kind: 'deploy',
  application: 'api',
  environment: 'prod',
  artifact: { type: 'application', name: 'api', version: '1.0.0' },
  plugin: 'command',
  timeoutSeconds: 60,
  afterTimeoutSeconds: 60,
  automaticRollback: false,
  after: ['shop.db'],
  waits: true,
  document: 'hash',
  submittedBy: 'ada',
  createdAt: 1000,
};
const failure = { code: 'plugin-failed', message: 'exit code 3' };

const events = {
  dependencies: { type: 'dependencies-succeeded' },
  dependencyFailed: { type: 'dependency-failed', failure },
  start: { type: 'started' },
  succeed: { type: 'succeeded' },
  publish: { type: 'published', revision: 1 },
  fail: { type: 'failed', failure },
  rollBack: { type: 'rolling-back', failure },
  rolledBack: { type: 'rolled-back', rolledBack: true },
  cancel: { type: 'cancel', reason: 'because' },
  stopped: { type: 'job-stopped' },
} satisfies Record<string, DeployEvent>;
type Step = keyof typeof events;

/** Applies steps that must all change something. */
function after(...steps: Step[]): Deploy {
  return steps.reduce(
    (deploy, step, index) => {
      const decided = transition(deploy, events[step], 'ada', 2000 + index);
      if (decided.kind !== 'changed') throw new Error(`${step} was ${decided.kind} in ${deploy.status.state}`);
      return decided.next;
    },
    recordDeploy(identity, 1000),
  );
}

const REACHED: Record<string, readonly Step[]> = {
  WAITING_DEPENDENCY: [],
  ENQUEUED: ['dependencies'],
  RUNNING: ['dependencies', 'start'],
  'RUNNING, being cancelled': ['dependencies', 'start', 'cancel'],
  ROLLING_BACK: ['dependencies', 'start', 'rollBack'],
  CONCLUDING: ['dependencies', 'start', 'succeed'],
  SUCCESS: ['dependencies', 'start', 'succeed', 'publish'],
  ERROR: ['dependencies', 'start', 'fail'],
  CANCELLED: ['cancel'],
  DEPENDENCY_FAILED: ['dependencyFailed'],
};

/** What each event makes of each state; what stands nowhere here is refused or changes nothing. */
const CHANGES: Record<string, Partial<Record<Step, DeployState>>> = {
  WAITING_DEPENDENCY: {
    dependencies: 'ENQUEUED',
    dependencyFailed: 'DEPENDENCY_FAILED',
    fail: 'ERROR',
    cancel: 'CANCELLED',
  },
  ENQUEUED: { dependencyFailed: 'DEPENDENCY_FAILED', start: 'RUNNING', fail: 'ERROR', cancel: 'CANCELLED' },
  RUNNING: { succeed: 'CONCLUDING', fail: 'ERROR', rollBack: 'ROLLING_BACK', cancel: 'RUNNING' },
  'RUNNING, being cancelled': { succeed: 'CONCLUDING', fail: 'ERROR', rollBack: 'ROLLING_BACK', stopped: 'CANCELLED' },
  ROLLING_BACK: { fail: 'ERROR', rolledBack: 'ERROR' },
  CONCLUDING: { publish: 'SUCCESS' },
  SUCCESS: {},
  ERROR: {},
  CANCELLED: {},
  DEPENDENCY_FAILED: {},
};

describe('a deploy', () => {
  const cases = Object.keys(REACHED).flatMap((from) =>
    (Object.keys(events) as Step[]).map((event) => ({ from, event })),
  );
  test.each(cases)('that is $from, on $event', ({ from, event }) => {
    const deploy = after(...(REACHED[from] ?? []));
    const decided = transition(deploy, events[event], 'ada', 5000);
    const expected = CHANGES[from]?.[event];
    if (expected === undefined) {
      expect(decided.kind).not.toBe('changed');
    } else {
      expect(decided).toMatchObject({ kind: 'changed', next: { status: { state: expected }, seq: deploy.seq + 1 } });
    }
  });

  test('never leaves a final state (I3)', () => {
    for (const [from, steps] of Object.entries(REACHED)) {
      const deploy = after(...steps);
      if (!isFinal(deploy.status.state)) continue;
      for (const event of Object.values(events)) {
        expect(transition(deploy, event, 'ada', 9000), `${from} on ${event.type}`).toMatchObject({ kind: 'refused' });
      }
    }
  });

  test('keeps every decision, with who, when and why, until it is told', () => {
    expect(after('dependencies', 'start', 'cancel').pending).toEqual([
      { seq: 1, at: 1000, by: 'ada', action: 'deploy.recorded', to: 'WAITING_DEPENDENCY' },
      { seq: 2, at: 2000, by: 'ada', action: 'after.finish', from: 'WAITING_DEPENDENCY', to: 'ENQUEUED' },
      { seq: 3, at: 2001, by: 'ada', action: 'deploy.started', from: 'ENQUEUED', to: 'RUNNING' },
      {
        seq: 4,
        at: 2002,
        by: 'ada',
        action: 'deploy.cancel-requested',
        from: 'RUNNING',
        to: 'RUNNING',
        why: 'because',
      },
    ]);
  });

  test('that fails while its own rollback runs says so, and keeps the first error', () => {
    const decided = transition(
      after('dependencies', 'start', 'rollBack'),
      { type: 'failed', failure: { code: 'timeout', message: 'too slow' } },
      'renga',
      5000,
    );
    expect(decided).toMatchObject({
      next: {
        status: {
          state: 'ERROR',
          rolledBack: false,
          failure: { code: 'plugin-failed', message: 'exit code 3; its own rollback: too slow' },
        },
      },
    });
  });

  test('without dependencies is recorded ENQUEUED', () => {
    expect(recordDeploy({ ...identity, after: [] }, 1).status.state).toBe('ENQUEUED');
  });
});
