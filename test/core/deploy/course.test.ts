/** Courses as words: what runs after what, and what each job is called with. */
import { describe, expect, test } from 'vitest';
import { Configuration } from '../../../core/deploy/configuration.ts';
import { afterJob, begunTargets, type Course, callAt, firstJob, overdue } from '../../../core/deploy/course.ts';
import type { Progress } from '../../../core/deploy/progress.ts';

type Written = Partial<Configuration>;

function courseOf(written: Written = {}, dryRun = false): Course {
  const configuration = Configuration.parse({
    artifact: { type: 'application', name: 'shop', version: '1' },
    plugin: 'command',
    params: {},
    timeoutSeconds: 60,
    provenance: {},
    ...written,
  });
  return { configuration, dryRun };
}

const hosts = (count: number) => Array.from({ length: count }, (_, at) => ({ host: `h${at + 1}` }));
const step = (name: string, when: 'before' | 'after') => ({
  name,
  when,
  plugin: 'lambda',
  params: {},
  outputs: [],
  timeoutSeconds: 30,
});
const verify = (more: object = {}) => ({
  plugin: 'probe',
  params: {},
  intervalSeconds: 10,
  timeoutSeconds: 60,
  successes: 1,
  ...more,
});

/** Runs a course: `ends` are words by key, `error` where nothing is said otherwise; each job takes a second. */
function run(course: Course, ends: Readonly<Record<string, 'error' | 'success'>> = {}, seconds = 1) {
  const keys: string[] = [];
  let now = 0;
  let progress: Progress = firstJob(course);
  for (;;) {
    keys.push(progress.place.key);
    now = Math.max(now, progress.notBefore ?? 0) + seconds * 1000;
    const onward = afterJob(course, progress, { status: ends[progress.place.key] ?? 'success' }, now);
    if (onward.kind !== 'job') return { keys, onward, now };
    progress = onward.progress;
  }
}

describe('a course', () => {
  const three = { targets: hosts(4), waves: [1, 1, 2] };
  test.each<[string, Written, string]>([
    ['is one job where nothing else is said', {}, 'deploy'],
    ['has one wave where there are no targets, whatever its size', { waves: [0] }, 'deploy'],
    ['has one wave of all targets', { targets: hosts(3), waves: [3] }, 'deploy'],
    ['has a job a wave', three, 'deploy deploy-2 deploy-3'],
    ['leaves waves of nothing out', { targets: hosts(2), waves: [1, 0, 1] }, 'deploy deploy-2'],
    [
      'has steps around it, in their order',
      { steps: [step('a', 'after'), step('b', 'before'), step('c', 'after'), step('d', 'before')] },
      'step-b step-d deploy step-a step-c',
    ],
    [
      'verifies after each wave',
      { ...three, verify: verify() },
      'deploy verify-1-1 deploy-2 verify-2-1 deploy-3 verify-3-1',
    ],
    [
      'has all of it in this order',
      {
        targets: hosts(2),
        waves: [1, 1],
        verify: verify({ successes: 2 }),
        steps: [step('a', 'before'), step('z', 'after')],
      },
      'step-a deploy verify-1-1 verify-1-2 deploy-2 verify-2-1 verify-2-2 step-z',
    ],
  ])('%s', (_, written, keys) => {
    const { keys: ran, onward } = run(courseOf(written));
    expect(ran.join(' ')).toBe(keys);
    expect(onward).toEqual({ kind: 'succeeded' });
  });

  test.each<[string, Written, Record<string, 'error'>, string, object]>([
    ['a step before', { steps: [step('a', 'before')] }, { 'step-a': 'error' }, 'step-a', { code: 'step-failed' }],
    ['a wave', three, { 'deploy-2': 'error' }, 'deploy deploy-2', { code: 'plugin-failed' }],
    ['a step after', { steps: [step('z', 'after')] }, { 'step-z': 'error' }, 'deploy step-z', { code: 'step-failed' }],
  ])('ends with the failure of %s, and nothing comes after it', (_, written, ends, keys, failure) => {
    const { keys: ran, onward } = run(courseOf(written), ends);
    expect(ran.join(' ')).toBe(keys);
    expect(onward).toMatchObject({ kind: 'failed', failure });
  });

  test('names the wave that failed, where there are several', () => {
    const failureOf = (written: Written) => run(courseOf(written), { deploy: 'error' }).onward;
    expect(failureOf(three)).toMatchObject({ failure: { message: expect.stringMatching(/^wave 1 of 3: /) } });
    expect(failureOf({})).toMatchObject({ failure: { message: expect.stringMatching(/^the plugin reported/) } });
  });

  test('of a dry run is one job, with all targets, whatever else is written', () => {
    const course = courseOf({ ...three, verify: verify(), steps: [step('a', 'before')] }, true);
    expect(run(course).keys).toEqual(['deploy']);
    expect(callAt(course, firstJob(course).place, false)).toEqual({
      operation: 'plan',
      plugin: 'command',
      params: {},
      targets: hosts(4),
    });
  });
});

describe('a verification', () => {
  test.each<[string, object, string[], string, string]>([
    ['goes on at its first success', {}, [], '1', 'succeeded'],
    ['asks for successes in a row', { successes: 3 }, [], '1 2 3', 'succeeded'],
    ['counts anew after a probe that failed', { successes: 2 }, ['1', '3'], '1 2 3 4 5', 'succeeded'],
    // A probe takes a second: they end at 1, 12, 23, 34, 45 and 56, counted from when the wave was done.
    ['ends when the next probe would come too late', {}, ['1', '2', '3', '4', '5', '6'], '1 2 3 4 5 6', 'failed'],
    ['may succeed with the last probe that its time allows', {}, ['1', '2', '3', '4', '5'], '1 2 3 4 5 6', 'succeeded'],
    ['fails when the successes came too late', { successes: 2 }, ['1', '2', '3', '4', '5'], '1 2 3 4 5 6', 'failed'],
    ['has one probe where the interval is as long as its time', { intervalSeconds: 60 }, ['1'], '1', 'failed'],
  ])('%s', (_, more, failing, probes, end) => {
    const ends = Object.fromEntries(failing.map((probe) => [`verify-1-${probe}`, 'error' as const]));
    const { keys, onward } = run(courseOf({ verify: verify(more) }), ends);
    expect(
      keys
        .slice(1)
        .map((key) => key.replace('verify-1-', ''))
        .join(' '),
    ).toBe(probes);
    expect(onward.kind).toBe(end);
  });

  test('says how many had succeeded, after how many, and what the last one said', () => {
    const course = courseOf({ verify: verify({ successes: 3, timeoutSeconds: 5 }), targets: hosts(2), waves: [1, 1] });
    const progress: Progress = {
      place: { kind: 'verify', key: 'verify-2-4', wave: 1, probe: 3 },
      timeoutSeconds: 1,
      verifying: { since: 0, successes: 1 },
    };
    const message = (end: Parameters<typeof afterJob>[2]) => {
      const onward = afterJob(course, progress, end, 4_500);
      return onward.kind === 'failed' ? `${onward.failure.code}: ${onward.failure.message}` : onward.kind;
    };
    expect(message({ status: 'error', message: 'connection refused' })).toBe(
      'verify-failed: wave 2 of 2: not verified within 5 s: 0 of 3 successes in a row after 4 probes; the last one said: connection refused',
    );
    expect(message({ status: 'success' })).toBe(
      'verify-failed: wave 2 of 2: not verified within 5 s: 2 of 3 successes in a row after 4 probes; the last one succeeded',
    );
  });

  test('gives a probe what is left of its time, and each wave a time of its own', () => {
    const course = courseOf({ verify: verify({ successes: 2 }), targets: hosts(2), waves: [1, 1] });
    const first = afterJob(course, firstJob(course), { status: 'success' }, 5_000);
    if (first.kind !== 'job') throw new Error('nothing follows');
    expect(first.progress).toMatchObject({ timeoutSeconds: 60, verifying: { since: 5_000, successes: 0 } });
    const second = afterJob(course, first.progress, { status: 'success' }, 25_000);
    if (second.kind !== 'job') throw new Error('nothing follows');
    // 60 s from 5 s on end at 65 s; it begins at 35 s.
    expect(second.progress).toMatchObject({ timeoutSeconds: 30, notBefore: 35_000 });
    const next = afterJob(course, second.progress, { status: 'success' }, 40_000);
    expect(next).toEqual({
      kind: 'job',
      progress: { place: { kind: 'deploy', key: 'deploy-2', wave: 1 }, timeoutSeconds: 60 },
    });
  });
});

describe('a job', () => {
  const course = courseOf({
    targets: hosts(5),
    waves: [1, 2],
    verify: verify(),
    steps: [step('a', 'before'), step('z', 'after')],
  });
  const at = (key: string) => {
    let progress = firstJob(course);
    for (let now = 0; progress.place.key !== key; now += 1_000) {
      const onward = afterJob(course, progress, { status: 'success' }, now);
      if (onward.kind !== 'job') throw new Error(`there is no job ${key}`);
      progress = onward.progress;
    }
    return progress;
  };

  test.each<[string, string, number[], object | undefined]>([
    ['step-a', 'deploy lambda', [1, 2, 3, 4, 5], undefined],
    ['deploy', 'deploy command', [1], { number: 1, of: 2 }],
    ['verify-1-1', 'observe probe', [1], { number: 1, of: 2 }],
    // What no wave has is the last one's.
    ['deploy-2', 'deploy command', [2, 3, 4, 5], { number: 2, of: 2 }],
    ['step-z', 'deploy lambda', [1, 2, 3, 4, 5], undefined],
  ])('%s does «%s» on its targets', (key, does, targets, wave) => {
    const call = callAt(course, at(key).place, false);
    expect(`${call.operation} ${call.plugin}`).toBe(does);
    expect(call.targets.map(({ host }) => host)).toEqual(targets.map((number) => `h${number}`));
    expect(call.wave).toEqual(wave);
  });

  test('of a rollback has the operation rollback, and its probes still look', () => {
    const operations = ['step-a', 'deploy', 'verify-1-1'].map((key) => callAt(course, at(key).place, true).operation);
    expect(operations).toEqual(['rollback', 'rollback', 'observe']);
  });

  test.each<[string, number | undefined]>([
    ['step-a', undefined],
    ['deploy', 1],
    ['verify-1-1', 1],
    ['deploy-2', 5],
    ['step-z', 5],
  ])('that fails at %s leaves so many targets to take back', (key, count) => {
    expect(begunTargets(course, at(key).place)?.length).toBe(count);
  });

  test.each<[string, string, string]>([
    ['step-a', 'step-failed', 'step "a" did not end within 30 s'],
    ['deploy-2', 'timeout', 'wave 2 of 2: command did not end within 60 s'],
    ['verify-1-1', 'verify-failed', 'wave 1 of 2: not verified within 60 s: 0 of 1 successes'],
  ])('that does not end in its time, at %s, is a failure of its kind', (key, code, message) => {
    expect(overdue(course.configuration, at(key))).toMatchObject({ code, message: expect.stringContaining(message) });
  });
});
