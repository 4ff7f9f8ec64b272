import { Aws } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { DefinitionBody, LogLevel, StateMachine, StateMachineType } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct, type IDependable } from 'constructs';
import { render } from '../statemachines/asl.ts';
import { deployMachine } from '../statemachines/deploy-machine.ts';
import type { FunctionName } from '../statemachines/functions.ts';
import { acknowledge, acknowledgePattern } from './acknowledge.ts';
import { createLogGroup } from './logs.ts';
import type { Names } from './names.ts';

/** What the deploy's machine calls. */
export const CALLED_BY_DEPLOYS: readonly FunctionName[] = [
  'await-time',
  'await-dependencies',
  'await-approval',
  'take-turn',
  'configure',
  'run-job',
  'stop-job',
  'read-result',
  'conclude-deploy',
];

/** What machines compiled from plans call. */
export const CALLED_BY_RELEASES: readonly FunctionName[] = [
  'record-deploys',
  'start-deploy',
  'plan-rollback',
  'start-rollback',
  'conclude-release',
  'conclude-deploy',
];

/** What machines stand on: where they log, and the roles they run under. Compiled ones are created at submission. */
export class MachineGround extends Construct {
  readonly logGroup: LogGroup;
  readonly deployRole: Role;
  readonly releaseRole: Role;

  constructor(
    scope: Construct,
    id: string,
    private readonly names: Names,
  ) {
    super(scope, id);
    // Under this prefix one resource policy of CloudWatch Logs is enough for any number of machines; an account has ten.
    this.logGroup = createLogGroup(this, 'Logs', `/aws/vendedlogs/states/${names.base}`);
    this.deployRole = this.#role('DeployRole', CALLED_BY_DEPLOYS);
    this.releaseRole = this.#role('ReleaseRole', CALLED_BY_RELEASES);
  }

  #role(id: string, called: readonly FunctionName[]): Role {
    const states = new ServicePrincipal('states.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
    });
    const role = new Role(this, id, { assumedBy: states });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: called.map((name) => this.names.functionArns[name]),
      }),
    );
    role.addToPolicy(
      new PolicyStatement({
        actions: [
          'logs:CreateLogDelivery',
          'logs:GetLogDelivery',
          'logs:UpdateLogDelivery',
          'logs:DeleteLogDelivery',
          'logs:ListLogDeliveries',
          'logs:PutResourcePolicy',
          'logs:DescribeResourcePolicies',
          'logs:DescribeLogGroups',
          'xray:PutTraceSegments',
          'xray:PutTelemetryRecords',
          'xray:GetSamplingRules',
          'xray:GetSamplingTargets',
        ],
        resources: ['*'],
      }),
    );
    acknowledgePattern(
      role,
      '*',
      'Step Functions sets up log delivery and tracing by actions that know `*` alone; invoking is granted by exact ARN.',
    );
    return role;
  }
}

/** The life of a deploy. `after`: the functions, which it calls by names that CloudFormation sees no dependency in. */
export function createDeployMachine(
  scope: Construct,
  names: Names,
  ground: MachineGround,
  after: IDependable,
): StateMachine {
  const machine = new StateMachine(scope, 'DeployMachine', {
    stateMachineName: names.deployMachine,
    stateMachineType: StateMachineType.STANDARD,
    definitionBody: DefinitionBody.fromString(render(deployMachine(names.functionArns))),
    role: ground.deployRole,
    logs: { destination: ground.logGroup, level: LogLevel.ERROR, includeExecutionData: false },
    tracingEnabled: true,
  });
  acknowledge(
    machine,
    'AwsSolutions-SF1',
    'An execution keeps its whole history for 90 days and every decision is an audit row: the log is for what failed.',
  );
  machine.node.addDependency(after);
  return machine;
}
