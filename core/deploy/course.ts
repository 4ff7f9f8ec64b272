/** Which job of a deploy comes after which. Pure: the caller knows what the last one came to, and what time it is. */
import { type Failure, oneLine } from '../failure.ts';
import type { Configuration, ConfiguredStep } from './configuration.ts';
import type { JobPlace, Progress } from './progress.ts';

type Course = Pick<Configuration, 'waves' | 'timeoutSeconds' | 'steps' | 'verify'>;

/** What a job came to; a probe's failure need not be the deploy's. */
export interface JobEnd {
  readonly status: 'success' | 'error';
  readonly message?: string | undefined;
}

export type NextStep =
  | { readonly kind: 'job'; readonly progress: Progress }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** The first job. A dry run has that one alone. */
export function firstProgress(course: Course, now: number, dryRun = false): Progress {
  const [first] = dryRun ? [] : course.steps.filter(({ when }) => when === 'before');
  const place = first === undefined ? wavePlace(0) : stepPlace(first);
  return { place, number: 0, since: now, timeoutSeconds: first?.timeoutSeconds ?? course.timeoutSeconds };
}

export function nextStep(course: Course, progress: Progress, end: JobEnd, now: number, dryRun = false): NextStep {
  const { place } = progress;
  if (place.kind === 'verify') return afterProbe(course, progress, place, end, now);
  if (end.status === 'error') return { kind: 'failed', failure: failureOf(place, end) };
  if (dryRun) return { kind: 'done' };
  if (place.kind === 'step') return afterStep(course, progress, place.step, now);
  if (course.verify === undefined) return afterWave(course, progress, place.wave, now);
  const verifying = { since: now, successes: 0 };
  return job(progress, probePlace(place.wave, 1), now, { timeoutSeconds: course.verify.timeoutSeconds, verifying });
}

function afterStep(course: Course, progress: Progress, name: string, now: number): NextStep {
  const steps = course.steps;
  const done = steps.find((step) => step.name === name);
  const same = steps.filter(({ when }) => when === done?.when);
  const next = same[same.findIndex((step) => step.name === name) + 1];
  if (next !== undefined) return stepJob(progress, next, now);
  return done?.when === 'before' ? waveJob(course, progress, 0, now) : { kind: 'done' };
}

function afterWave(course: Course, progress: Progress, wave: number, now: number): NextStep {
  if (wave + 1 < course.waves.length) return waveJob(course, progress, wave + 1, now);
  const [first] = course.steps.filter(({ when }) => when === 'after');
  return first === undefined ? { kind: 'done' } : stepJob(progress, first, now);
}

/** A probe that fails begins the row of successes anew; only time ends the attempts. */
function afterProbe(
  course: Course,
  progress: Progress,
  { wave, probe }: Extract<JobPlace, { kind: 'verify' }>,
  end: JobEnd,
  now: number,
): NextStep {
  const { verify } = course;
  if (verify === undefined) throw new Error('a probe came back, and there is nothing to verify');
  const since = progress.verifying?.since ?? now;
  const successes = end.status === 'success' ? (progress.verifying?.successes ?? 0) + 1 : 0;
  if (successes >= verify.successes) return afterWave(course, progress, wave, now);
  const left = (since + verify.timeoutSeconds * 1_000 - now) / 1_000 - verify.intervalSeconds;
  if (left <= 0) {
    const where = course.waves.length === 1 ? '' : ` of wave ${wave + 1}`;
    const last = end.status === 'error' ? oneLine(end.message ?? 'it failed without saying why') : 'it succeeded';
    const message = `the verification${where} did not succeed ${times(verify.successes)} within ${verify.timeoutSeconds} s; the last of ${probe} probes: ${last}`;
    return { kind: 'failed', failure: { code: 'verify-failed', message } };
  }
  return job(progress, probePlace(wave, probe + 1), now, {
    timeoutSeconds: Math.max(1, Math.floor(left)),
    pauseSeconds: verify.intervalSeconds,
    verifying: { since, successes },
  });
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times in a row`;
}

function failureOf(
  place: JobPlace,
  { message = 'the plugin reported an error without saying which' }: JobEnd,
): Failure {
  if (place.kind === 'step') return { code: 'step-failed', message: `step ${place.step}: ${message}` };
  return { code: 'plugin-failed', message };
}

function waveJob(course: Course, progress: Progress, wave: number, now: number): NextStep {
  return job(progress, wavePlace(wave), now, { timeoutSeconds: course.timeoutSeconds });
}

function stepJob(progress: Progress, step: ConfiguredStep, now: number): NextStep {
  return job(progress, stepPlace(step), now, { timeoutSeconds: step.timeoutSeconds });
}

function job(
  before: Progress,
  place: JobPlace,
  now: number,
  rest: Pick<Progress, 'timeoutSeconds' | 'pauseSeconds' | 'verifying'>,
): NextStep {
  return { kind: 'job', progress: { place, number: before.number + 1, since: now, ...rest } };
}

function wavePlace(wave: number): JobPlace {
  return { kind: 'deploy', key: wave === 0 ? 'deploy' : `deploy-${wave + 1}`, wave };
}

function stepPlace({ name }: ConfiguredStep): JobPlace {
  return { kind: 'step', key: `step-${name}`, step: name };
}

function probePlace(wave: number, probe: number): JobPlace {
  return { kind: 'verify', key: `verify-${wave + 1}-${probe}`, wave, probe };
}

/** Which of a configuration's targets a job acts on: those of its wave, or all. */
export function targetsOf<T>(
  course: { readonly waves: readonly number[]; readonly targets: readonly T[] },
  place: JobPlace,
): T[] {
  if (place.kind === 'step') return [...course.targets];
  const start = course.waves.slice(0, place.wave).reduce((sum, count) => sum + count, 0);
  return course.targets.slice(start, start + (course.waves[place.wave] ?? 0));
}

/** The targets of the waves that have begun: what may have to be undone. */
export function targetsBegun<T>(course: Course & { readonly targets: readonly T[] }, place: JobPlace): T[] | undefined {
  if (place.kind === 'step') {
    const before = course.steps.some(({ name, when }) => name === place.step && when === 'before');
    return before ? undefined : [...course.targets];
  }
  const count = course.waves.slice(0, place.wave + 1).reduce((sum, size) => sum + size, 0);
  return course.targets.slice(0, count);
}
