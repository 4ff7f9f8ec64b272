import type { DeployDocument } from '../documents/deploy.ts';

type Waves = NonNullable<DeployDocument['deploy']['waves']>;

/**
 * How many targets each wave has. A count is that many in this wave; a share is up to which part of all, rounded up. What
 * is left after the last comes in a wave of its own, and a wave that would have none is left out.
 */
export function waveSizes(waves: Waves | undefined, targets: number): number[] {
  if (waves === undefined || targets === 0) return [targets];
  const sizes: number[] = [];
  let done = 0;
  for (const { size } of waves) {
    const until = typeof size === 'number' ? done + size : Math.ceil((targets * Number.parseInt(size, 10)) / 100);
    const count = Math.min(until, targets) - done;
    if (count <= 0) continue;
    sizes.push(count);
    done += count;
  }
  return done < targets ? [...sizes, targets - done] : sizes;
}
