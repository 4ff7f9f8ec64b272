import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { USES } from '../../infra/permissions.ts';
import { FUNCTION_NAMES } from '../../statemachines/functions.ts';
import { reachableUses } from './reach.ts';
import { synthesized } from './synthesized.ts';

const Many = z
  .string()
  .transform((one) => [one])
  .or(z.array(z.string()));
const Statement = z.object({
  Effect: z.literal('Allow'),
  Action: Many,
  Resource: Many,
  Condition: z.unknown().optional(),
});
const Policy = z.object({
  PolicyDocument: z.object({ Statement: z.array(Statement) }),
  Roles: z.tuple([z.string()]),
});

const stack = synthesized();
const policies = [...stack.of('AWS::IAM::Policy').values()].map(({ Properties }) => Policy.parse(Properties));
const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);

function actionsOf(name: string): string[] {
  const target = [...stack.of('AWS::Lambda::Function').values()].find(
    ({ Properties }) => Properties.FunctionName === `renga-prod-${name}`,
  );
  const role = String(target?.Properties.Role).replace(/\.Arn$/, '');
  return policies
    .filter(({ Roles }) => Roles[0] === role)
    .flatMap(({ PolicyDocument }) => PolicyDocument.Statement.flatMap(({ Action }) => Action));
}

describe('a function may do what its code can come to, no less and no more', () => {
  it.each(FUNCTION_NAMES)('%s', (name) => {
    expect([...USES[name]].sort()).toEqual(reachableUses(`functions/${name}.ts`));
  });
});

describe('roles', () => {
  it('belong to one function each', () => {
    const roles = [...stack.of('AWS::Lambda::Function').values()].map(({ Properties }) => Properties.Role);
    expect(new Set(roles).size).toBe(FUNCTION_NAMES.length);
  });

  it('have no managed policies, which change without us', () => {
    for (const { Properties } of stack.of('AWS::IAM::Role').values()) {
      expect(Properties).not.toHaveProperty('ManagedPolicyArns');
    }
  });

  it('name every action in full', () => {
    expect(statements.flatMap(({ Action }) => Action).filter((action) => action.includes('*'))).toEqual([]);
  });

  it('reach all resources only where the actions know no other', () => {
    const everywhere = statements.filter(({ Resource }) => Resource.includes('*')).flatMap(({ Action }) => Action);
    const elsewhere = everywhere.filter(
      (action) => !/^(xray:|logs:\w+(LogDelivery|LogDeliveries|ResourcePolic\w+|LogGroups)$)/.test(action),
    );
    expect(elsewhere).toEqual([]);
  });

  it('reach machines and executions of this stage alone, but for what the sweep looks at', () => {
    const patterns = statements
      .flatMap(({ Resource }) => Resource)
      .filter((each) => each !== '*' && each.includes('*'));
    expect([...new Set(patterns)].sort()).toEqual([
      'arn:aws:codebuild:eu-west-1:111122223333:project/*',
      'arn:aws:codepipeline:eu-west-1:111122223333:*',
      'arn:aws:states:eu-west-1:111122223333:execution:*',
      'arn:aws:states:eu-west-1:111122223333:execution:renga-prod-deploy:*',
      'arn:aws:states:eu-west-1:111122223333:execution:renga-prod-r-*',
      'arn:aws:states:eu-west-1:111122223333:stateMachine:renga-prod-r-*',
    ]);
    const others = /:(project\/|execution:)?\*$/;
    const asking = statements.filter(({ Resource }) => Resource.some((each) => others.test(each)));
    expect(asking.flatMap(({ Action }) => Action).sort()).toEqual([
      'codebuild:BatchGetBuilds',
      'codepipeline:GetPipelineExecution',
      'states:DescribeExecution',
    ]);
    for (const action of ['codebuild:BatchGetBuilds', 'states:DescribeExecution']) {
      expect(FUNCTION_NAMES.filter((name) => actionsOf(name).includes(action))).toEqual(['sweep']);
    }
  });

  it('let only what takes submissions pass the role of compiled machines, to Step Functions alone', () => {
    const passing = FUNCTION_NAMES.filter((name) => actionsOf(name).includes('iam:PassRole'));
    expect(passing).toEqual(['api', 'submit-event']);
    expect(statements.find(({ Action }) => Action.includes('iam:PassRole'))).toMatchObject({
      Condition: { StringEquals: { 'iam:PassedToService': 'states.amazonaws.com' } },
      Resource: [expect.stringMatching(/^MachinesReleaseRole/)],
    });
  });

  it.each([
    [
      'start-deploy',
      [
        'dynamodb:BatchGetItem',
        'dynamodb:BatchWriteItem',
        'dynamodb:DeleteItem',
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:Query',
        'dynamodb:UpdateItem',
        'events:PutEvents',
        'states:SendTaskFailure',
        'states:SendTaskSuccess',
        'states:StartExecution',
      ],
    ],
  ])('of %s lets it do this, beside logs and traces', (name, expected) => {
    const own = new Set(actionsOf(name).filter((action) => !/^(logs|xray):/.test(action)));
    expect([...own].sort()).toEqual(expected);
  });
});
