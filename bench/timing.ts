/** Times of this process. Wall time depends on who else uses the machine; CPU time much less. */
export interface Timing {
  /** Milliseconds. */
  readonly wall: number;
  /** Milliseconds of CPU, user and system, all threads of this process. */
  readonly cpu: number;
}

export async function timed(task: () => unknown): Promise<Timing> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await task();
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, cpu: (user + system) / 1000 };
}

/** The middle of several runs, by wall and by CPU time, each for itself. */
export async function medianOf(runs: number, task: (run: number) => Promise<Timing>): Promise<Timing> {
  const timings: Timing[] = [];
  for (let run = 0; run < runs; run++) timings.push(await task(run));
  return { wall: median(timings.map(({ wall }) => wall)), cpu: median(timings.map(({ cpu }) => cpu)) };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The least value that at least this part of the values does not exceed. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}
