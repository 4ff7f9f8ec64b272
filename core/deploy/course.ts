/**
 * The course of a deploy's jobs, pure: which comes first, and what follows when one has ended. Custom steps before, in
 * order; then each wave, the deploy job first and then the probes of its verification; then custom steps after.
 */
import type { Target } from '../documents/target.ts';
import type { Failure } from '../failure.ts';
import type { Configuration, ConfiguredStep } from './configuration.ts';
import { probePlace, stepPlace, wavePlace } from './job-key.ts';
import type { JobPlace, Progress } from './progress.ts';

export interface Course {
  readonly configuration: Configuration;
  /** Only a plan is made, of everything at once. */
  readonly dryRun: boolean;
}

/** How a job ended, as its plugin tells it. */
export interface JobEnd {
  readonly status: 'success' | 'error';
  readonly message?: string | undefined;
}

export type Onward =
  | { readonly kind: 'job'; readonly progress: Progress }
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly failure: Failure };

export function firstJob({ configuration, dryRun }: Course): Progress {
  if (dryRun) return deployIn(configuration, 0);
  const [step] = stepsOf(configuration, 'before');
  return step === undefined ? deployIn(configuration, 0) : stepJob(step);
}

/** What follows when the job at `progress` has ended. */
export function afterJob(course: Course, progress: Progress, end: JobEnd, now: number): Onward {
  const { configuration, dryRun } = course;
  const { place } = progress;
  if (place.kind === 'verify') return afterProbe(configuration, progress, place, end, now);
  if (end.status === 'error') return { kind: 'failed', failure: failureAt(configuration, place, end.message) };
  if (dryRun) return { kind: 'succeeded' };
  if (place.kind === 'step') return afterStep(configuration, place.step);
  const { verify } = configuration;
  if (verify === undefined) return afterWave(configuration, place.wave);
  return job({
    place: probePlace(place.wave, 0),
    timeoutSeconds: verify.timeoutSeconds,
    verifying: { since: now, successes: 0 },
  });
}

function afterStep(configuration: Configuration, name: string): Onward {
  const step = configuration.steps.find((each) => each.name === name);
  if (step === undefined) throw new Error(`the configuration has no step "${name}"`);
  const same = stepsOf(configuration, step.when);
  const next = same[same.indexOf(step) + 1];
  if (next !== undefined) return job(stepJob(next));
  return step.when === 'before' ? job(deployIn(configuration, 0)) : { kind: 'succeeded' };
}

function afterWave(configuration: Configuration, wave: number): Onward {
  if (wave + 1 < wavesOf(configuration).length) return job(deployIn(configuration, wave + 1));
  const [step] = stepsOf(configuration, 'after');
  return step === undefined ? { kind: 'succeeded' } : job(stepJob(step));
}

/** A probe that failed begins the count anew; one that could only begin after the time is over is not waited for. */
function afterProbe(
  configuration: Configuration,
  { verifying }: Progress,
  place: Extract<JobPlace, { kind: 'verify' }>,
  end: JobEnd,
  now: number,
): Onward {
  const { verify } = configuration;
  if (verify === undefined || verifying === undefined) throw new Error(`${place.key} verifies nothing`);
  const successes = end.status === 'success' ? verifying.successes + 1 : 0;
  if (successes >= verify.successes) return afterWave(configuration, place.wave);
  const deadline = verifying.since + verify.timeoutSeconds * 1000;
  const notBefore = now + verify.intervalSeconds * 1000;
  if (notBefore >= deadline) {
    return { kind: 'failed', failure: verifyFailure(configuration, place, successes, lastWord(end)) };
  }
  return job({
    place: probePlace(place.wave, place.probe + 1),
    timeoutSeconds: Math.ceil((deadline - notBefore) / 1000),
    notBefore,
    verifying: { since: verifying.since, successes },
  });
}

function lastWord({ status, message }: JobEnd): string {
  if (message !== undefined) return `the last one said: ${message}`;
  return status === 'success' ? 'the last one succeeded' : 'the last one failed without saying why';
}

/** What it means for the deploy that the job at a place ended with an error. */
function failureAt(configuration: Configuration, place: JobPlace, message: string | undefined): Failure {
  const said = message ?? 'the plugin reported an error without saying which';
  if (place.kind === 'step') return { code: 'step-failed', message: `step "${place.step}": ${said}` };
  return { code: 'plugin-failed', message: `${inWave(configuration, place.wave)}${said}` };
}

/** What it means for the deploy that the job at a place did not end in its time, and was stopped. */
export function overdue(configuration: Configuration, { place, timeoutSeconds, verifying }: Progress): Failure {
  const within = `did not end within ${timeoutSeconds} s and was stopped`;
  switch (place.kind) {
    case 'step':
      return { code: 'step-failed', message: `step "${place.step}" ${within}` };
    case 'deploy':
      return { code: 'timeout', message: `${inWave(configuration, place.wave)}${configuration.plugin} ${within}` };
    case 'verify':
      return verifyFailure(
        configuration,
        place,
        verifying?.successes ?? 0,
        `probe ${place.probe + 1} was still under way then and was stopped`,
      );
  }
}

function verifyFailure(
  configuration: Configuration,
  { wave, probe }: Extract<JobPlace, { kind: 'verify' }>,
  successes: number,
  last: string,
): Failure {
  const { successes: asked = 1, timeoutSeconds = 0 } = configuration.verify ?? {};
  const probes = probe === 0 ? '1 probe' : `${probe + 1} probes`;
  const message = `${inWave(configuration, wave)}not verified within ${timeoutSeconds} s: ${successes} of ${asked} successes in a row after ${probes}; ${last}`;
  return { code: 'verify-failed', message };
}

/** Nothing when there is one wave, of which nobody thinks as one. */
export function inWave(configuration: Configuration, wave: number, preposition = ''): string {
  const waves = wavesOf(configuration).length;
  return waves === 1 ? '' : `${preposition}wave ${wave + 1} of ${waves}: `;
}

/** What the job at a place is called with. */
export interface Call {
  readonly operation: 'plan' | 'deploy' | 'rollback' | 'observe';
  readonly plugin: string;
  readonly params: Configuration['params'];
  readonly targets: readonly Target[];
  /** Counts from 1; absent when there is one alone. */
  readonly wave?: { readonly number: number; readonly of: number };
  readonly step?: string;
}

/** `undoes`: the deploy puts an earlier version back. */
export function callAt({ configuration, dryRun }: Course, place: JobPlace, undoes: boolean): Call {
  const { targets, verify } = configuration;
  if (dryRun) return { operation: 'plan', plugin: configuration.plugin, params: configuration.params, targets };
  const operation = undoes ? 'rollback' : 'deploy';
  if (place.kind === 'step') {
    const step = configuration.steps.find(({ name }) => name === place.step);
    if (step === undefined) throw new Error(`the configuration has no step "${place.step}"`);
    return { operation, plugin: step.plugin, params: step.params, targets, step: step.name };
  }
  const waves = wavesOf(configuration);
  const wave = waves.length === 1 ? {} : { wave: { number: place.wave + 1, of: waves.length } };
  const inThisWave = waves[place.wave] ?? [];
  if (place.kind === 'deploy') {
    return { operation, plugin: configuration.plugin, params: configuration.params, targets: inThisWave, ...wave };
  }
  if (verify === undefined) throw new Error(`${place.key} verifies nothing`);
  return { operation: 'observe', plugin: verify.plugin, params: verify.params, targets: inThisWave, ...wave };
}

/** The targets of the waves that have begun when the jobs have got to a place; undefined when none has. */
export function begunTargets({ configuration, dryRun }: Course, place: JobPlace): readonly Target[] | undefined {
  if (dryRun) return undefined;
  if (place.kind !== 'step')
    return wavesOf(configuration)
      .slice(0, place.wave + 1)
      .flat();
  const step = configuration.steps.find(({ name }) => name === place.step);
  return step?.when === 'after' ? configuration.targets : undefined;
}

/** The targets of each wave; there is always one, be it of no targets. The last has whatever is left. */
function wavesOf({ waves, targets }: Configuration): readonly (readonly Target[])[] {
  const sizes = waves.filter((size) => size > 0);
  let from = 0;
  return (sizes.length === 0 ? [0] : sizes).map((size, wave, all) => {
    const to = wave === all.length - 1 ? targets.length : from + size;
    const part = targets.slice(from, to);
    from = to;
    return part;
  });
}

function stepsOf({ steps }: Configuration, when: ConfiguredStep['when']): ConfiguredStep[] {
  return steps.filter((step) => step.when === when);
}

function stepJob({ name, timeoutSeconds }: ConfiguredStep): Progress {
  return { place: stepPlace(name), timeoutSeconds };
}

function deployIn({ timeoutSeconds }: Configuration, wave: number): Progress {
  return { place: wavePlace(wave), timeoutSeconds };
}

function job(progress: Progress): Onward {
  return { kind: 'job', progress };
}
