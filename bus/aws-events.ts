/**
 * State changes of AWS's own pipelines as reports of deploys: CodePipeline, CodeBuild and Step Functions put them on the
 * default bus. Shapes: the services' user guides, "Monitoring … events".
 */
import * as z from 'zod';
import type { Envelope } from './incoming.ts';

const SERVICES = ['codepipeline', 'codebuild', 'stepfunctions'] as const;
export type ServiceName = (typeof SERVICES)[number];

/** What an AWS service says about one of its runs. */
export interface ServiceReport {
  /** As a Pipeline document names it: `codepipeline:shop-infra`. */
  readonly pipeline: string;
  /** Of the run: `codepipeline:shop-infra:<execution>`. */
  readonly id: string;
  readonly state: 'RUNNING' | 'SUCCESS' | 'ERROR' | 'CANCELLED';
  /** In the service's own words. */
  readonly status: string;
  readonly detail: unknown;
}

const CodePipeline = z.object({ pipeline: z.string(), 'execution-id': z.string(), state: z.string() });
const CodeBuild = z.object({ 'project-name': z.string(), 'build-id': z.string(), 'build-status': z.string() });
const StepFunctions = z.object({ stateMachineArn: z.string(), name: z.string(), status: z.string() });

/** Of events and of the services' answers, whose `InProgress` is the events' `IN_PROGRESS`. */
const STATES: Readonly<Record<string, ServiceReport['state']>> = {
  STARTED: 'RUNNING',
  RESUMED: 'RUNNING',
  IN_PROGRESS: 'RUNNING',
  RUNNING: 'RUNNING',
  SUCCEEDED: 'SUCCESS',
  FAILED: 'ERROR',
  FAULT: 'ERROR',
  TIMED_OUT: 'ERROR',
  SUPERSEDED: 'CANCELLED',
  CANCELED: 'CANCELLED',
  CANCELLED: 'CANCELLED',
  STOPPED: 'CANCELLED',
  ABORTED: 'CANCELLED',
};

/** Undefined for a status that says nothing about how a run goes: `STOPPING`, say. */
export function stateOf(status: string): ServiceReport['state'] | undefined {
  const name = status.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();
  return Object.hasOwn(STATES, name) ? STATES[name] : undefined;
}

export const AWS_EVENTS = {
  'aws.codepipeline': 'CodePipeline Pipeline Execution State Change',
  'aws.codebuild': 'CodeBuild Build State Change',
  'aws.states': 'Step Functions Execution Status Change',
} as const;

/** Undefined for a status that says nothing about how a run goes, and for an event that is none of these. */
export function serviceReport(event: Envelope): ServiceReport | undefined {
  const named = (service: ServiceName, name: string, run: string, status: string): ServiceReport | undefined => {
    const state = stateOf(status);
    if (state === undefined) return undefined;
    const pipeline = `${service}:${name}`;
    return { pipeline, id: `${pipeline}:${run}`, state, status, detail: event.detail };
  };
  switch (event['detail-type']) {
    case AWS_EVENTS['aws.codepipeline']: {
      const read = CodePipeline.safeParse(event.detail);
      return read.success
        ? named('codepipeline', read.data.pipeline, read.data['execution-id'], read.data.state)
        : undefined;
    }
    case AWS_EVENTS['aws.codebuild']: {
      const read = CodeBuild.safeParse(event.detail);
      // arn:…:build/<project>:<run>
      const run = read.success ? (read.data['build-id'].split(':').at(-1) ?? '') : '';
      return read.success ? named('codebuild', read.data['project-name'], run, read.data['build-status']) : undefined;
    }
    case AWS_EVENTS['aws.states']: {
      const read = StepFunctions.safeParse(event.detail);
      if (!read.success) return undefined;
      const machine = read.data.stateMachineArn.split(':').at(-1) ?? '';
      return named('stepfunctions', machine, read.data.name, read.data.status);
    }
    default:
      return undefined;
  }
}

/** The run that the id of such a deploy names: `codebuild:shop:<build>`. */
export function serviceRun(id: string): { service: ServiceName; name: string; run: string } | undefined {
  const [, service, name, run] = /^([a-z]+):([^:]+):(.+)$/.exec(id) ?? [];
  const known = SERVICES.find((each) => each === service);
  return known === undefined || name === undefined || run === undefined ? undefined : { service: known, name, run };
}

/**
 * Text at a path of a value, such as `execution-trigger.commit-id` or `items[0].version`; undefined when there is none.
 * Text on the way is read as JSON: Step Functions gives the input of an execution so.
 */
export function textAt(value: unknown, path: string): string | undefined {
  let inner: unknown = value;
  for (const step of path.replaceAll(/\[(\d+)\]/g, '.$1').split('.')) {
    if (typeof inner === 'string') inner = jsonOf(inner);
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, step)) return undefined;
    inner = Reflect.get(inner, step);
  }
  return typeof inner === 'string' && inner !== '' ? inner : undefined;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
