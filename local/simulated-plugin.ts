/**
 * A plugin that carries nothing out: it takes the time and ends the way its parameters say, on the engine's clock. For
 * rehearsals, benchmarks and the model-based tests; its jobs outlive an engine, like those of real plugins.
 *
 * Parameters: `OUTCOME` success (default) or error, `SECONDS` until it ends (0: at once; `never`), `ROLLBACK_OUTCOME` for the operation
 * rollback (default: success), and `OUT_<key>` for each output.
 *
 * In wave n `OUTCOME_n`, `SECONDS_n` and `OUT_<key>_n` go before those without a number, and each probe of a verification takes
 * the next word of `PROBES` (`no,no,yes`), the last of them again and again; or `PROBES` says how many fail before all succeed.
 */
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
        const wait = inWave(request, 'SECONDS') ?? 0;
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

/** A parameter as it is for the wave that is asked for. */
function inWave({ params, wave }: PluginRequest, name: string) {
  return (wave === undefined ? undefined : params[`${name}_${wave.number}`]) ?? params[name];
}

function outcomeOf(request: PluginRequest): unknown {
  const { operation, params, idempotencyToken } = request;
  if (operation === 'rollback') return params.ROLLBACK_OUTCOME ?? 'success';
  if (operation !== 'observe') return inWave(request, 'OUTCOME') ?? 'success';
  const probes = String(params.PROBES ?? 'yes');
  const probe = Number(idempotencyToken.slice(idempotencyToken.lastIndexOf('-') + 1));
  if (/^\d+$/.test(probes)) return probe > Number(probes) ? 'success' : 'error';
  const answers = probes.split(',').map((word) => word.trim());
  return answers[Math.min(probe, answers.length) - 1] === 'yes' ? 'success' : 'error';
}

function outputsOf(request: PluginRequest): Map<string, string> {
  const outputs = new Map<string, string>();
  const own = request.wave === undefined ? undefined : `_${request.wave.number}`;
  for (const [name, value] of Object.entries(request.params)) {
    if (!name.startsWith('OUT_') || (own !== undefined && /_\d+$/.test(name))) continue;
    outputs.set(name.slice('OUT_'.length), String(value));
  }
  for (const [name, value] of Object.entries(request.params)) {
    if (own === undefined || !name.startsWith('OUT_') || !name.endsWith(own)) continue;
    outputs.set(name.slice('OUT_'.length, -own.length), String(value));
  }
  return outputs;
}

function resultOf(request: PluginRequest): PluginResult {
  const { operation, params } = request;
  const outcome = outcomeOf(request);
  const outputs = outputsOf(request);
  return outcome === 'success'
    ? { status: 'success', outputs: Object.fromEntries(outputs) }
    : { status: 'error', outputs: {}, message: `the ${operation} of ${params.NAME ?? 'it'} was told to fail` };
}
