/**
 * A job that another pipeline carries out: an event asks for it, and whoever does it answers with the token in it, over
 * the API or by an event. Works wherever renga does.
 *
 * Parameters: `PIPELINE`, who is asked; `HEARTBEAT`, seconds in which something must be heard of it; any other goes along.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Bus } from '../bus/bus.ts';
import type { Callbacks } from '../store/callbacks.ts';
import type { Plugin, PluginRequest, PluginResult } from './contract.ts';

export const CALLBACK = 'callback';

/** What is kept of a job beyond its end, for an answer that comes late. */
const KEPT_SECONDS = 30 * 24 * 3_600;
/** PutEvents takes 256 KB, the names around a detail included. */
const LARGEST_REQUEST_BYTES = 250 * 1024;
const LONGEST_HEARTBEAT = 7 * 24 * 3_600;

export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** A job is named by its idempotency token: one token, one job. */
function jobOf(idempotencyToken: string): string {
  return digestOf(idempotencyToken).slice(0, 32);
}

/** The job that a token is for; its secret part proves that whoever has it was asked. */
export function jobOfToken(token: string): string | undefined {
  return /^([0-9a-f]{32})\.[A-Za-z0-9_-]{43}$/.exec(token)?.[1];
}

export function callbackPlugin({
  callbacks,
  bus,
  now,
}: {
  readonly callbacks: Callbacks;
  readonly bus: Bus;
  readonly now: () => number;
}): Plugin {
  return {
    name: CALLBACK,
    check: problemsOf,

    async start(request) {
      const job = jobOf(request.idempotencyToken);
      const token = `${job}.${randomBytes(32).toString('base64url')}`;
      const heartbeatSeconds = heartbeatOf(request.params);
      const detail = requested(request, job, token, heartbeatSeconds);
      const bytes = Buffer.byteLength(JSON.stringify(detail));
      if (bytes > LARGEST_REQUEST_BYTES) {
        throw new Error(`the request has ${bytes} bytes and an event takes ${LARGEST_REQUEST_BYTES}: give it less`);
      }
      const content = {
        idempotencyToken: request.idempotencyToken,
        pipeline: String(request.params.PIPELINE),
        deploy: request.deploy.id,
        digest: digestOf(token),
        announced: false,
        ...(heartbeatSeconds !== undefined && { heartbeatSeconds }),
        heardAt: now(),
        expires: Math.floor(now() / 1_000) + Math.ceil(request.timeoutSeconds) + KEPT_SECONDS,
      };
      if (!(await callbacks.create(job, content))) {
        const known = await callbacks.read(job);
        if (known?.announced === true || known?.answer !== undefined) return { job };
        // Whoever began it was cut off before it had asked: its token is not known any more, and this one takes its place.
        await callbacks.change(job, { digest: digestOf(token), heardAt: now() });
      }
      await bus.publish([{ type: 'Callback Requested', detail }]);
      await callbacks.change(job, { announced: true });
      return { job };
    },

    async read(job): Promise<PluginResult | undefined> {
      const known = await callbacks.read(job);
      if (known === undefined) return { status: 'error', outputs: {}, message: 'nothing is known of its job any more' };
      const { answer, heartbeatSeconds, heardAt } = known;
      if (answer !== undefined) return answer;
      if (heartbeatSeconds === undefined || now() <= heardAt + heartbeatSeconds * 1_000) return undefined;
      const message = `heartbeat-missed: nothing was heard of ${known.pipeline} for ${heartbeatSeconds} s`;
      await callbacks.answer(job, { status: 'error', outputs: {}, message });
      return (await callbacks.read(job))?.answer;
    },

    async stop(job) {
      const known = await callbacks.read(job);
      if (known === undefined || known.answer !== undefined) return 'already-ended';
      const stopped = await callbacks.answer(job, { status: 'error', outputs: {}, message: 'it was stopped' });
      if (!stopped) return 'already-ended';
      const detail = { pipeline: known.pipeline, deploy: known.deploy, job };
      await bus.publish([{ type: 'Callback Cancelled', detail }]);
      return 'stopped';
    },

    async forget(job) {
      const known = await callbacks.read(job);
      if (known?.answer !== undefined) await callbacks.change(job, { answer: { ...known.answer, outputs: {} } });
    },
  };
}

function problemsOf({ PIPELINE, HEARTBEAT }: PluginRequest['params']): string[] {
  const problems: string[] = [];
  if (typeof PIPELINE !== 'string' || !/^[A-Za-z0-9@._:/-]{1,256}$/.test(PIPELINE)) {
    problems.push('PIPELINE must name who is asked: [A-Za-z0-9@._:/-]{1,256}');
  }
  const seconds = Number(HEARTBEAT);
  if (HEARTBEAT !== undefined && !(Number.isInteger(seconds) && seconds >= 1 && seconds <= LONGEST_HEARTBEAT)) {
    problems.push(`HEARTBEAT must be whole seconds, 1 to ${LONGEST_HEARTBEAT}`);
  }
  return problems;
}

function heartbeatOf({ HEARTBEAT }: PluginRequest['params']): number | undefined {
  return HEARTBEAT === undefined ? undefined : Number(HEARTBEAT);
}

function requested(request: PluginRequest, job: string, token: string, heartbeatSeconds: number | undefined) {
  const { operation, deploy, artifact, params, targets, wave, step, previous, timeoutSeconds } = request;
  const { PIPELINE, HEARTBEAT: _, ...rest } = params;
  return {
    pipeline: String(PIPELINE),
    job,
    token,
    operation,
    deploy,
    artifact,
    params: rest,
    targets,
    ...(wave !== undefined && { wave }),
    ...(step !== undefined && { step }),
    ...(previous !== undefined && { previous }),
    timeoutSeconds,
    ...(heartbeatSeconds !== undefined && { heartbeatSeconds }),
  };
}
