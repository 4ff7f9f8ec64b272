/**
 * Names of a deploy's jobs: `deploy`, `deploy-2` …, `step-<name>`, `verify-<wave>-<probe>`, and `rollback` for the plugin's
 * own. People write them, and tokens end in them; waves and probes count from 1 there.
 */
import type { JobPlace } from './progress.ts';

/** The plugin's own rollback, which comes after a failure and is no part of the course. */
export const ROLLBACK_KEY = 'rollback';

export function stepPlace(step: string): JobPlace {
  return { kind: 'step', key: `step-${step}`, step };
}

export function wavePlace(wave: number): JobPlace {
  return { kind: 'deploy', key: wave === 0 ? 'deploy' : `deploy-${wave + 1}`, wave };
}

export function probePlace(wave: number, probe: number): JobPlace {
  return { kind: 'verify', key: `verify-${wave + 1}-${probe + 1}`, wave, probe };
}

/** What a key says about its job; undefined when it is none. */
export function jobOfKey(key: string): JobPlace | { readonly kind: 'rollback'; readonly key: string } | undefined {
  if (key === ROLLBACK_KEY) return { kind: 'rollback', key };
  const [, step, wave, verified, probe] = /^(?:step-(.+)|deploy(?:-(\d+))?|verify-(\d+)-(\d+))$/.exec(key) ?? [];
  if (step !== undefined) return stepPlace(step);
  if (verified !== undefined) return probePlace(Number(verified) - 1, Number(probe) - 1);
  return key.startsWith('deploy') && /^deploy(-\d+)?$/.test(key) ? wavePlace(Number(wave ?? 1) - 1) : undefined;
}

/** The same for every attempt at the same job of the same deploy, so that it is started once (I10). */
export function tokenOf(deploy: string, key: string): string {
  return `${deploy}/${key}`;
}

/** The deploy and the key of a token; undefined when it is none of ours. No id has a slash. */
export function jobOfToken(token: string): { readonly deploy: string; readonly key: string } | undefined {
  const slash = token.lastIndexOf('/');
  const key = token.slice(slash + 1);
  return slash < 1 || jobOfKey(key) === undefined ? undefined : { deploy: token.slice(0, slash), key };
}
