import type { Failure, Recovering, Retrier } from './machine.ts';

/** No catcher and no retrier sees these unless it names them; `States.Runtime` not even then. */
const NOT_IN_ALL: readonly string[] = ['States.DataLimitExceeded', 'States.Runtime'];

export function matches(errors: readonly string[], { error = '' }: Failure): boolean {
  if (error === 'States.Runtime') return false;
  if (errors.includes(error)) return true;
  if (errors.includes('States.ALL')) return !NOT_IN_ALL.includes(error);
  if (error === 'States.HeartbeatTimeout') return errors.includes('States.Timeout');
  if (error === 'States.Timeout' || NOT_IN_ALL.includes(error)) return false;
  return errors.includes('States.TaskFailed');
}

/**
 * Milliseconds until the next attempt: `IntervalSeconds · BackoffRate^attempts`, at most `MaxDelaySeconds`; with full
 * jitter any part of it. Undefined when no retrier takes this failure (any more).
 *
 * @param attempts how often each retrier of the state has been used in this visit
 */
export function nextAttempt(
  state: Recovering,
  failed: Failure,
  attempts: readonly number[],
  random: () => number,
): { readonly retrier: number; readonly delay: number } | undefined {
  const retrier = state.retry.findIndex(({ errors }) => matches(errors, failed));
  const rule = state.retry[retrier];
  if (rule === undefined) return undefined;
  const used = attempts[retrier] ?? 0;
  if (used >= rule.maxAttempts) return undefined;
  return { retrier, delay: delayOf(rule, used, random) };
}

function delayOf(rule: Retrier, used: number, random: () => number): number {
  const full = rule.intervalSeconds * rule.backoffRate ** used;
  const limited = Math.min(full, rule.maxDelaySeconds ?? Number.POSITIVE_INFINITY);
  return Math.round(1000 * (rule.jitter === 'FULL' ? limited * random() : limited));
}
