import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, it } from 'vitest';
import { addRenga } from '../../infra/renga-app.ts';
import { appWith } from './synthesized.ts';

function findings(context: Readonly<Record<string, unknown>>, careless = false): string[] {
  const app = appWith(context);
  const stack = addRenga(app);
  if (careless) new Queue(stack, 'Careless');
  return new AwsSolutionsChecks(app)
    .validateScope(app)
    .violations.flatMap(({ ruleName, violatingResources }) =>
      violatingResources.map(({ constructPath }) => `${ruleName} at ${constructPath}`),
    );
}

it.each([
  ['prod', {}],
  ['a trial', { stage: 'trial', retain: 'false' }],
])('cdk-nag finds nothing in %s that is not accepted with a reason', (_, context) => {
  expect(findings(context)).toEqual([]);
});

it('cdk-nag would find a queue that takes messages unencrypted', () => {
  expect(findings({}, true)).toContain('AwsSolutions-SQS4 at renga-prod/Careless/Resource');
});
