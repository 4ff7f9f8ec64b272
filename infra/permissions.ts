/** What each function does to the world outside of itself, and nothing more: grants are made of this table alone. */
import type { FunctionName } from '../statemachines/functions.ts';
import type { IndexName } from '../store/schema.ts';
import type { Names } from './names.ts';

export type Use =
  | 'read'
  | 'write'
  | 'list-open'
  | 'list'
  | 'publish'
  | 'answer'
  | 'start-deploys'
  | 'start-releases'
  | 'create-machines'
  | 'look-at-executions'
  | 'ask-services';

/**
 * A decision about a deploy that has been written is settled by whoever wrote it: the turn is given on, the release's
 * policy is applied to other deploys, audit and events are written, and the machines that wait are answered.
 */
const SETTLE = ['read', 'write', 'publish', 'answer'] as const satisfies readonly Use[];

export const USES: Readonly<Record<FunctionName, readonly Use[]>> = {
  api: [...SETTLE, 'list', 'create-machines', 'start-releases', 'start-deploys'],
  'record-deploys': SETTLE,
  'start-deploy': [...SETTLE, 'start-deploys'],
  'plan-rollback': ['read', 'write', 'publish'],
  'start-rollback': [...SETTLE, 'start-deploys'],
  'conclude-release': SETTLE,
  'await-time': SETTLE,
  'await-dependencies': SETTLE,
  'await-approval': SETTLE,
  'take-turn': SETTLE,
  configure: SETTLE,
  'run-job': SETTLE,
  'stop-job': SETTLE,
  'read-result': ['read', 'write', 'publish', 'answer'],
  'conclude-deploy': SETTLE,
  wake: SETTLE,
  'external-event': SETTLE,
  'submit-event': [...SETTLE, 'create-machines', 'start-releases', 'start-deploys'],
  'execution-ended': SETTLE,
  sweep: [...SETTLE, 'list', 'list-open', 'look-at-executions', 'ask-services', 'start-releases', 'start-deploys'],
};

export interface Resources {
  readonly names: Names;
  readonly tableArn: string;
  readonly busArn: string;
  /** Role that compiled machines run under. */
  readonly machineRoleArn: string;
}

export interface Permission {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Needed where a resource is a pattern: why no exact name can stand there. */
  readonly why?: string;
}

const COMPILED =
  'Machines are compiled from plans while renga runs; all that is known beforehand is how their names begin.';
const EXECUTIONS =
  'Executions are named after deploys and releases, which are not known beforehand; the machine is exact or ours.';

const OTHERS =
  'Which pipelines count as deploying, Pipeline documents say while renga runs; it only looks at their runs.';

export function permissionsOf(use: Use, { names, tableArn, busArn, machineRoleArn }: Resources): readonly Permission[] {
  const index = (name: IndexName) => `${tableArn}/index/${name}`;
  const { deployMachineArn } = names;
  const compiled = `${names.machineArnPrefix}*`;
  switch (use) {
    case 'read':
      return [{ actions: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'], resources: [tableArn] }];
    case 'write': {
      const actions = ['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'].map((action) => `dynamodb:${action}`);
      return [{ actions, resources: [tableArn] }];
    }
    case 'list-open':
      return [{ actions: ['dynamodb:Query'], resources: [index('open')] }];
    case 'list':
      return [{ actions: ['dynamodb:Query'], resources: [index('byTime'), index('byState'), index('byApplication')] }];
    case 'publish':
      return [{ actions: ['events:PutEvents'], resources: [busArn] }];
    case 'answer':
      return [
        {
          actions: ['states:SendTaskSuccess', 'states:SendTaskFailure'],
          resources: [deployMachineArn, compiled],
          why: COMPILED,
        },
      ];
    case 'start-deploys':
      return [{ actions: ['states:StartExecution'], resources: [deployMachineArn] }];
    case 'start-releases':
      return [{ actions: ['states:StartExecution'], resources: [compiled], why: COMPILED }];
    case 'create-machines':
      return [
        { actions: ['states:CreateStateMachine'], resources: [compiled], why: COMPILED },
        {
          actions: ['iam:PassRole'],
          resources: [machineRoleArn],
          conditions: { StringEquals: { 'iam:PassedToService': 'states.amazonaws.com' } },
        },
      ];
    case 'look-at-executions': {
      const resources = [`${deployMachineArn}:*`, compiled].map((machine) =>
        machine.replace(':stateMachine:', ':execution:'),
      );
      return [{ actions: ['states:DescribeExecution'], resources, why: EXECUTIONS }];
    }
    case 'ask-services':
      return [
        { actions: ['states:DescribeExecution'], resources: [names.everyExecution], why: OTHERS },
        { actions: ['codebuild:BatchGetBuilds'], resources: [names.everyBuildProject], why: OTHERS },
        { actions: ['codepipeline:GetPipelineExecution'], resources: [names.everyPipeline], why: OTHERS },
      ];
  }
}
