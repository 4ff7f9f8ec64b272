/**
 * A plugin that carries nothing out: it takes the time and ends the way its parameters say, on the engine's clock. For
 * rehearsals, benchmarks and the model-based tests; its jobs outlive an engine, like those of real plugins.
 *
 * Parameters: `OUTCOME` success (default) or error, `SECONDS` until it ends (0: at once; `never`), `ROLLBACK_OUTCOME` for the operation
 * rollback (default: success), and `OUT_<key>` for each output. In several waves `OUTCOME_2` and `OUT_<key>_2` are those of
 * the second. `PROBES` says what each probe of a wave finds, `no,no,yes`, the last word for all that follow; or how many
 * fail before all succeed.
 */
import { jobOfToken } from '../core/deploy/job-key.ts';
import type { Job, Plugin, PluginHost, PluginRequest, PluginResult, Started, Stopped } from '../plugins/contract.ts';
import type { Clock } from './clock.ts';

interface SimulatedJob {
  readonly request: PluginRequest;
  /** Milliseconds since the epoch; undefined: it does not end by itself. */
  readonly endsAt: number | undefined;
  result: PluginResult | undefined;
}

/** What happened to a job, as it happens. */
export type SimulatedEvent =
  | { readonly kind: 'job-started'; readonly token: string; readonly request: PluginRequest }
  | { readonly kind: 'job-ended'; readonly token: string; readonly status: PluginResult['status'] };

/** Jobs by idempotency token: what the world outside the engine remembers. */
export class SimulatedWorld {
  constructor(readonly observe: (event: SimulatedEvent) => void = () => {}) {}

  readonly jobs = new Map<string, SimulatedJob>();
  /** Every start that was not a repetition, in order. */
  readonly started: PluginRequest[] = [];
  /** Every job that ended, in order, with how. */
  readonly ended: { readonly token: string; readonly status: PluginResult['status'] }[] = [];
}

export function simulatedPlugin(world: SimulatedWorld, clock: Clock, host: PluginHost): Plugin {
  const end = (token: string, result: PluginResult) => {
    const job = world.jobs.get(token);
    if (job === undefined || job.result !== undefined) return;
    job.result = result;
    world.ended.push({ token, status: result.status });
    world.observe({ kind: 'job-ended', token, status: result.status });
  };
  const attend = (token: string, job: SimulatedJob) => {
    if (job.result !== undefined) return host.ended(token);
    if (job.endsAt === undefined) return;
    const finish = () => {
      end(token, resultOf(job.request));
      host.ended(token);
    };
    if (job.endsAt <= clock.now()) finish();
    else clock.at(job.endsAt, finish);
  };
  // A new engine finds the jobs of the one before.
  for (const [token, job] of world.jobs) attend(token, job);

  return {
    name: 'simulated',
    check: () => [],
    async start(request): Promise<Started> {
      const token = request.idempotencyToken;
      const known = world.jobs.get(token);
      if (known === undefined) {
        world.started.push(request);
        world.observe({ kind: 'job-started', token, request });
        const wait = request.params.SECONDS ?? 0;
        const endsAt = wait === 'never' ? undefined : clock.now() + Number(wait) * 1000;
        world.jobs.set(token, { request, endsAt, result: undefined });
      }
      const job = world.jobs.get(token);
      if (job !== undefined) attend(token, job);
      return { job: token };
    },
    async read(job: Job) {
      return world.jobs.get(job)?.result;
    },
    async stop(job: Job): Promise<Stopped> {
      if (world.jobs.get(job)?.result !== undefined) return 'already-ended';
      end(job, { status: 'error', outputs: {}, message: 'it was stopped' });
      host.ended(job);
      return 'stopped';
    },
  };
}

function resultOf(request: PluginRequest): PluginResult {
  const { operation, params } = request;
  const which = operation === 'observe' ? probeIn(request) : undefined;
  const succeeds = which === undefined ? outcomeOf(request) === 'success' : probeSucceeds(String(params.PROBES), which);
  if (succeeds) return { status: 'success', outputs: outputsOf(request) };
  const what = which === undefined ? operation : `probe ${which + 1}`;
  return { status: 'error', outputs: {}, message: `the ${what} of ${params.NAME ?? 'it'} was told to fail` };
}

function outcomeOf({ operation, params, wave }: PluginRequest): unknown {
  if (operation === 'rollback') return params.ROLLBACK_OUTCOME ?? 'success';
  return params[`OUTCOME_${wave?.number}`] ?? params.OUTCOME ?? 'success';
}

/** Which probe of its wave it is, from 0, where `PROBES` says what each finds. */
function probeIn({ idempotencyToken, params }: PluginRequest): number | undefined {
  const key = jobOfToken(idempotencyToken)?.key.split('-').at(-1);
  return params.PROBES === undefined ? undefined : Number(key) - 1;
}

function probeSucceeds(probes: string, probe: number): boolean {
  if (/^\d+$/.test(probes)) return probe >= Number(probes);
  const words = probes.split(',').map((word) => word.trim());
  return (words[probe] ?? words.at(-1)) === 'yes';
}

function outputsOf({ params, wave }: PluginRequest): Record<string, string> {
  const given = Object.entries(params).flatMap(([name, value]) =>
    name.startsWith('OUT_') ? [[name.slice('OUT_'.length), String(value)] as const] : [],
  );
  if (wave === undefined || wave.of === 1) return Object.fromEntries(given);
  const ofWave = given.map(([name, value]) => ({ name, value, parts: /^(.+)_(\d+)$/.exec(name) }));
  const all = ofWave.filter(({ parts }) => parts === null).map(({ name, value }) => [name, value] as const);
  const own = ofWave.flatMap(({ parts, value }) =>
    parts?.[1] !== undefined && Number(parts[2]) === wave.number ? [[parts[1], value] as const] : [],
  );
  return Object.fromEntries([...all, ...own]);
}
