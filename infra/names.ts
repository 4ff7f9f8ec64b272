/**
 * What things are called: everything of a stage begins with `renga-<stage>`, so that a person finds it in the console.
 *
 * Functions and machines name each other (the deploy's machine calls functions, which start the deploy's machine), and
 * CloudFormation can't create a circle. So the ARNs that close it follow from names, the same way here and in functions.
 */
import { Aws } from 'aws-cdk-lib';
import { functionArns } from '../functions/environment.ts';
import type { FunctionArns, FunctionName } from '../statemachines/functions.ts';

export interface Names {
  /** `renga-<stage>`: the stack, the table, the bus. */
  readonly base: string;
  function(name: FunctionName): string;
  /** {@link functionArns} makes a function's ARN of this. */
  readonly functionPrefix: string;
  /** Of the alias that definitions call. */
  readonly functionArns: FunctionArns;
  readonly deployMachine: string;
  readonly deployMachineArn: string;
  /** First part of the names of machines compiled from plans; no other machine's name begins with it. */
  readonly machinePrefix: string;
  /** What the ARN of each machine of this stage begins with. */
  readonly ownMachinesArn: string;
  /** What the ARN of every compiled machine begins with. */
  readonly machineArnPrefix: string;
  /** Patterns of what others run in this account and region. */
  readonly everyExecution: string;
  readonly everyBuildProject: string;
  readonly everyPipeline: string;
}

export function namesOf(stage: string): Names {
  const base = `renga-${stage}`;
  const functionPrefix = arn('lambda', `function:${base}`);
  return {
    base,
    function: (name) => `${base}-${name}`,
    functionPrefix,
    functionArns: functionArns(functionPrefix),
    deployMachine: `${base}-deploy`,
    deployMachineArn: arn('states', `stateMachine:${base}-deploy`),
    ownMachinesArn: arn('states', `stateMachine:${base}-`),
    machinePrefix: `${base}-r`,
    machineArnPrefix: arn('states', `stateMachine:${base}-r-`),
    everyExecution: arn('states', 'execution:*'),
    everyBuildProject: arn('codebuild', 'project/*'),
    everyPipeline: arn('codepipeline', '*'),
  };
}

function arn(service: string, resource: string): string {
  return `arn:${Aws.PARTITION}:${service}:${Aws.REGION}:${Aws.ACCOUNT_ID}:${resource}`;
}
