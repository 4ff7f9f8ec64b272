import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import { addRenga } from '../../infra/renga-app.ts';
import { appWith, ISSUED } from './synthesized.ts';

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
  ['prod', ISSUED],
  ['a trial', { stage: 'trial', retain: 'false' }],
])('cdk-nag finds nothing in %s that is not accepted with a reason', (_, context) => {
  expect(findings(context)).toEqual([]);
});

it('cdk-nag would find a queue that takes messages unencrypted', () => {
  expect(findings(ISSUED, true)).toContain('AwsSolutions-SQS4 at renga-prod/Careless/Resource');
});

const Report = z.object({
  pluginReports: z.array(z.object({ violations: z.array(z.object({ ruleName: z.string() })) })),
});

/** What `cdk synth` reports: cdk-nag, CloudFormation's schemas, and our own warnings. */
function reported(context: Readonly<Record<string, unknown>>, checked = false): string[] {
  const app = appWith(context, checked);
  addRenga(app);
  // The report goes to a person as well.
  const shown = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { directory } = app.synth();
  shown.mockRestore();
  const report = Report.parse(JSON.parse(readFileSync(join(directory, 'validation-report.json'), 'utf8')));
  return report.pluginReports.flatMap(({ violations }) => violations.map(({ ruleName }) => ruleName));
}

// Starting the check against the schemas takes 6 s of a CPU, which others may be using.
it('a synthesis reports nothing, neither of cdk-nag nor of the schemas of CloudFormation', { timeout: 180_000 }, () => {
  expect(reported(ISSUED, true)).toEqual([]);
});

it('a synthesis without an issuer warns that no token will do, one without administrators that nobody has rights', () => {
  expect(reported({}).sort()).toEqual(['Annotation::renga:administrators', 'Annotation::renga:jwt-issuer']);
  expect(reported({ ...ISSUED, administrators: [] })).toEqual(['Annotation::renga:administrators']);
});
