/**
 * The fixed set of rules, read by infrastructure and by the embedded engine alike. Never a rule per wait: a bus holds 300.
 */
import { FINAL_DEPLOY_STATES } from '../core/deploy/deploy.ts';
import type { FunctionName } from '../statemachines/functions.ts';
import { AWS_EVENTS } from './aws-events.ts';
import { SOURCE } from './events.ts';
import { REPORTS, REQUESTS } from './incoming.ts';

export interface Rule {
  readonly name: string;
  readonly description: string;
  /** `renga`: our own bus. `default`: where AWS's services put theirs. */
  readonly bus: 'renga' | 'default';
  readonly pattern?: Readonly<Record<string, unknown>>;
  /** EventBridge schedule expression; only on the default bus. */
  readonly schedule?: string;
  readonly target: FunctionName;
}

/**
 * `machines`: ARNs of the machines whose executions are ours, prefixes included. `own`: what the ARN of each of them, and
 * of no other machine, begins with.
 */
export function rules(machines: readonly { readonly prefix: string }[], own: string): readonly Rule[] {
  return [
    {
      name: 'deploy-concluded',
      description: 'A deploy has ended: whoever waits for it looks again.',
      bus: 'renga',
      pattern: {
        source: [SOURCE],
        'detail-type': ['Deploy State Changed'],
        detail: { state: [...FINAL_DEPLOY_STATES] },
      },
      target: 'wake',
    },
    {
      name: 'execution-ended',
      description: 'An execution of ours was stopped or died: what it left open is concluded.',
      bus: 'default',
      pattern: {
        source: ['aws.states'],
        'detail-type': ['Step Functions Execution Status Change'],
        detail: { stateMachineArn: machines, status: ['FAILED', 'TIMED_OUT', 'ABORTED'] },
      },
      target: 'execution-ended',
    },
    {
      name: 'pipeline-reported',
      description: 'Another pipeline says something about a deploy of its own, or answers for a job.',
      bus: 'renga',
      pattern: { source: [{ 'anything-but': [SOURCE] }], 'detail-type': [...REPORTS] },
      target: 'external-event',
    },
    {
      name: 'submission-requested',
      description: 'Somebody asks by an event for a release or a deploy.',
      bus: 'renga',
      pattern: { source: [{ 'anything-but': [SOURCE] }], 'detail-type': [...REQUESTS] },
      target: 'submit-event',
    },
    {
      name: 'pipeline-changed',
      description: 'A run of CodePipeline or CodeBuild has changed: it may be a deploy that somebody waits for.',
      bus: 'default',
      pattern: {
        source: ['aws.codepipeline', 'aws.codebuild'],
        'detail-type': [AWS_EVENTS['aws.codepipeline'], AWS_EVENTS['aws.codebuild']],
      },
      target: 'external-event',
    },
    {
      name: 'machine-changed',
      description:
        'An execution of a machine that is not ours has changed: it may be a deploy that somebody waits for.',
      bus: 'default',
      pattern: {
        source: ['aws.states'],
        'detail-type': [AWS_EVENTS['aws.states']],
        detail: { stateMachineArn: [{ 'anything-but': { prefix: own } }] },
      },
      target: 'external-event',
    },
    {
      name: 'sweep',
      description: 'Looks again at whatever should have moved on and has not.',
      bus: 'default',
      schedule: 'rate(1 minute)',
      target: 'sweep',
    },
  ];
}
