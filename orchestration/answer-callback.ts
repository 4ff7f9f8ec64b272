/** Another pipeline answers for a job of the plugin `callback`, or says that it is still at it. */
import { timingSafeEqual } from 'node:crypto';
import type { CallbackAnswer } from '../bus/incoming.ts';
import { RengaError } from '../core/errors.ts';
import { digestOf, jobOfToken } from '../plugins/callback.ts';
import type { CallbackJob } from '../store/callbacks.ts';
import { jobEnded } from './job-ended.ts';
import type { Ports } from './ports.ts';

/** Answers the id of the deploy. Throws `not-found` for a token that was never given out or is one no more, and `conflict` after an answer. */
export async function answerCallback(ports: Ports, token: string, answer: CallbackAnswer): Promise<string> {
  const { job, known } = await find(ports, token);
  const { status, outputs, message } = answer;
  const written = { status, outputs, ...(message !== undefined && { message }) };
  if (!(await ports.store.callbacks.answer(job, written))) {
    throw new RengaError('conflict', 'the job has been answered already, or was stopped');
  }
  await jobEnded(ports, known.idempotencyToken);
  return known.deploy;
}

/** Notes that something was heard of a job. Throws like an answer. */
export async function heartbeat(ports: Ports, token: string): Promise<string> {
  const { job, known } = await find(ports, token);
  if (known.answer !== undefined) throw new RengaError('conflict', 'the job has been answered already, or was stopped');
  await ports.store.callbacks.change(job, { heardAt: ports.now() });
  return known.deploy;
}

async function find(ports: Ports, token: string): Promise<{ job: string; known: CallbackJob }> {
  const job = jobOfToken(token);
  const known = job === undefined ? undefined : await ports.store.callbacks.read(job);
  // Compared in constant time: how long it takes says nothing about how much of a token was right.
  const right = known !== undefined && timingSafeEqual(Buffer.from(known.digest), Buffer.from(digestOf(token)));
  if (job === undefined || known === undefined || !right) {
    throw new RengaError('not-found', 'no job waits for this token', {
      hint: 'use the token of the latest Callback Requested event for the job',
    });
  }
  return { job, known };
}
