/** Another pipeline answers for a job of the plugin `callback`, or says that it is still at it. */
import { timingSafeEqual } from 'node:crypto';
import type { CallbackAnswer } from '../bus/incoming.ts';
import { isFinal } from '../core/deploy/deploy.ts';
import { RengaError } from '../core/errors.ts';
import { CALLBACK, digestOf, jobOfToken } from '../plugins/callback.ts';
import type { CallbackJob } from '../store/callbacks.ts';
import { jobEnded } from './job-ended.ts';
import type { Ports } from './ports.ts';

/** Answers the id of the deploy. Throws `unknown-token` for one that was never given out or is one no more, and `conflict` after an answer. */
export async function answerCallback(ports: Ports, token: string, answer: CallbackAnswer): Promise<string> {
  const { job, known } = await open(ports, token);
  const { status, outputs, message } = answer;
  const written = { status, outputs, ...(message !== undefined && { message }) };
  if (!(await ports.store.callbacks.answer(job, written))) throw answered();
  await jobEnded(ports, known.idempotencyToken);
  const row = await ports.store.deploys.read(known.deploy);
  // Nobody reads it any more: its outputs would stay (I8).
  if (row === undefined || isFinal(row.deploy.status.state)) await ports.plugins.get(CALLBACK)?.forget?.(job);
  return known.deploy;
}

/** Notes that something was heard of a job. Throws like an answer. */
export async function heartbeat(ports: Ports, token: string): Promise<string> {
  const { job, known } = await open(ports, token);
  await ports.store.callbacks.change(job, { heardAt: ports.now() });
  return known.deploy;
}

/** The job of a token, if it still waits for its answer: one that was not heard of in time waits no longer. */
async function open(ports: Ports, token: string): Promise<{ job: string; known: CallbackJob }> {
  const found = await find(ports, token);
  const ended = await ports.plugins.get(CALLBACK)?.read(found.job);
  if (ended === undefined) return found;
  await jobEnded(ports, found.known.idempotencyToken);
  throw answered();
}

function answered(): RengaError {
  const hint = 'a job takes one answer: ask how its deploy ended';
  return new RengaError('conflict', 'the job has been answered already, was stopped, or was not heard of in time', {
    hint,
  });
}

async function find(ports: Ports, token: string): Promise<{ job: string; known: CallbackJob }> {
  const job = jobOfToken(token);
  const known = job === undefined ? undefined : await ports.store.callbacks.read(job);
  // Compared in constant time: how long it takes says nothing about how much of a token was right.
  const right = known !== undefined && timingSafeEqual(Buffer.from(known.digest), Buffer.from(digestOf(token)));
  if (job === undefined || known === undefined || !right) {
    throw new RengaError('unknown-token', 'no job waits for this token', {
      hint: 'use the token of the latest Callback Requested event for the job',
    });
  }
  return { job, known };
}
