import { createHmac } from 'node:crypto';
import { type Course, tooLarge } from './course.ts';
import { QueryError } from './expressions.ts';
import type { Happening } from './happening.ts';
import type { Identity } from './identity.ts';
import { isObject, isTooLarge, type Json } from './json.ts';
import { type Failure, failure, type Task } from './machine.ts';
import type { Recorder } from './recorder.ts';
import type { Sight } from './sight.ts';
import type { Pending, Strand } from './strand.ts';

/** Task states: a function is invoked, and it or the holder of a token answers. */
export class Tasks {
  constructor(
    private readonly course: Course,
    private readonly recorder: Recorder,
    private readonly sight: Sight,
    private readonly identity: Identity,
  ) {}

  async attempt(strand: Strand, state: Task): Promise<void> {
    const { recorder, sight, identity } = this;
    const id = recorder.nextId;
    const token = state.resource.kind === 'invoke' && state.resource.token;
    const context = token ? { Task: { Token: taskToken(identity.key, id, identity.secret) } } : {};
    const bindings = sight.bindings(strand, context);
    const given = await sight.value(state.arguments, bindings, strand.visit?.input ?? {});
    const timeout = await sight.seconds(state.timeoutSeconds, 'TimeoutSeconds', bindings);
    const heartbeat = await sight.seconds(state.heartbeatSeconds, 'HeartbeatSeconds', bindings);
    if (isTooLarge(given)) return this.course.failed(strand, tooLarge(state.name, 'input'));
    const invocation = this.#invocation(state, given);
    if (state.resource.kind === 'function') {
      const plain = { resource: state.resource.arn, timeoutInSeconds: timeout };
      recorder.event(strand, 'LambdaFunctionScheduled', { plain, payload: { field: 'input', value: given } });
      recorder.event(strand, 'LambdaFunctionStarted');
    } else {
      const limits = { timeoutInSeconds: timeout, heartbeatInSeconds: heartbeat };
      const plain = { ...service(state), region: identity.region, ...limits };
      recorder.event(strand, 'TaskScheduled', { plain, payload: { field: 'parameters', value: given } });
      recorder.event(strand, 'TaskStarted', { plain: service(state) });
    }
    recorder.await({
      ...{ id, invocation, token, strand },
      timeoutAt: timeout === undefined ? undefined : recorder.now + timeout * 1000,
      heartbeat: heartbeat === undefined ? undefined : heartbeat * 1000,
      heartbeatAt: heartbeat === undefined ? undefined : recorder.now + heartbeat * 1000,
      resume: (happening, pending) => this.#happened(strand, state, happening, pending),
    });
  }

  #invocation(state: Task, given: Json): { functionArn: string; payload: Json } {
    if (state.resource.kind === 'function') return { functionArn: state.resource.arn, payload: given };
    const name = isObject(given) ? given.FunctionName : undefined;
    if (!isObject(given) || typeof name !== 'string') {
      throw new QueryError('The field FunctionName must be a string', 'Arguments/FunctionName');
    }
    const { region, account } = this.identity;
    const functionArn = name.startsWith('arn:') ? name : `arn:aws:lambda:${region}:${account}:function:${name}`;
    return { functionArn, payload: given.Payload ?? {} };
  }

  #happened(strand: Strand, state: Task, happening: Happening, pending: Pending): Promise<void> | void {
    switch (happening.kind) {
      case 'returned':
        return this.#returned(strand, state, happening.payload, pending);
      case 'answered':
        return this.#succeeded(strand, state, happening.output);
      case 'raised':
      case 'refused':
        return this.#failed(strand, state, failure(happening.error, happening.cause));
      case 'due': {
        const { timeoutAt = Number.POSITIVE_INFINITY } = pending;
        return this.#timedOut(strand, state, happening.at >= timeoutAt ? 'States.Timeout' : 'States.HeartbeatTimeout');
      }
      default:
        return;
    }
  }

  #returned(strand: Strand, state: Task, payload: Json, pending: Pending): Promise<void> | void {
    const direct = state.resource.kind === 'function';
    const result: Json = direct ? payload : { ExecutedVersion: '$LATEST', Payload: payload, StatusCode: 200 };
    if (isTooLarge(result)) return this.#failed(strand, state, tooLarge(state.name, 'result'));
    if (!pending.token) return this.#succeeded(strand, state, result);
    pending.invocation = undefined;
    const details = { plain: service(state), payload: { field: 'output', value: result } } as const;
    this.recorder.event(strand, 'TaskSubmitted', details);
  }

  #succeeded(strand: Strand, state: Task, result: Json): Promise<void> {
    this.recorder.settle(strand);
    const payload = { field: 'output', value: result } as const;
    if (state.resource.kind === 'function') this.recorder.event(strand, 'LambdaFunctionSucceeded', { payload });
    else this.recorder.event(strand, 'TaskSucceeded', { plain: service(state), payload });
    return this.course.leave(strand, state, state.next, result, result);
  }

  #failed(strand: Strand, state: Task, failed: Failure): Promise<void> {
    this.#ended(strand, state, 'Failed', failed);
    return this.course.failed(strand, failed);
  }

  #timedOut(strand: Strand, state: Task, error: string): Promise<void> {
    const failed = failure(error, undefined);
    this.#ended(strand, state, 'TimedOut', failed);
    return this.course.failed(strand, failed);
  }

  #ended(strand: Strand, state: Task, how: 'Failed' | 'TimedOut', { error, cause }: Failure): void {
    this.recorder.settle(strand);
    if (state.resource.kind === 'function') {
      this.recorder.event(strand, `LambdaFunction${how}`, { plain: { error, cause } });
    } else {
      this.recorder.event(strand, `Task${how}`, { plain: { ...service(state), error, cause } });
    }
  }
}

function service({ resource }: Task): { resourceType: string; resource: string } {
  const token = resource.kind === 'invoke' && resource.token;
  return { resourceType: 'lambda', resource: token ? 'invoke.waitForTaskToken' : 'invoke' };
}

/** `<execution key>.<event id>.<mac>`: whoever lacks the execution's secret cannot make one. */
export function taskToken(key: string, id: number, secret: string): string {
  const mac = createHmac('sha256', Buffer.from(secret, 'hex')).update(`${key}.${id}`).digest('base64url');
  return `${key}.${id}.${mac}`;
}
