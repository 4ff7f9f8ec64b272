/**
 * The fixed set of rules, read by infrastructure and by the embedded engine alike. Never a rule per wait: a bus holds 300.
 */
import { FINAL_DEPLOY_STATES } from '../core/deploy/deploy.ts';
import type { FunctionName } from '../statemachines/functions.ts';
import { SOURCE } from './events.ts';

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

/** `machines`: ARNs of the machines whose executions are ours, prefixes included. */
export function rules(machines: readonly { readonly prefix: string }[]): readonly Rule[] {
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
      name: 'sweep',
      description: 'Looks again at whatever should have moved on and has not.',
      bus: 'default',
      schedule: 'rate(1 minute)',
      target: 'sweep',
    },
  ];
}
