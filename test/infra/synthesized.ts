/** The stack as CloudFormation would get it, without bundles: 16 of those take half a minute and say nothing here. */
import { readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import * as z from 'zod';
import { RengaStack } from '../../infra/renga-stack.ts';
import { readSettings } from '../../infra/settings.ts';

const CdkJson = z.object({ context: z.record(z.string(), z.unknown()) });
/** The same feature flags as a deployment has. */
const { context: FLAGS } = CdkJson.parse(JSON.parse(readFileSync(new URL('../../cdk.json', import.meta.url), 'utf8')));

/** Where tokens come from and who gives rights; without either every synthesis warns. */
export const ISSUED = {
  jwtIssuer: 'https://login.example.org/',
  jwtAudience: 'people,pipelines',
  administrators: 'user:ada,group:platform',
};

/** `checked`: with CDK's own check against the schemas of CloudFormation, which takes seconds. */
export function appWith(context: Readonly<Record<string, unknown>>, checked = false): App {
  return new App({
    builtinCloudFormationValidation: checked,
    context: { ...FLAGS, 'aws:cdk:bundling-stacks': [], 'aws:cdk:disable-stack-trace': true, ...context },
  });
}

const Resource = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  DependsOn: z.array(z.string()).or(z.string()).optional(),
  DeletionPolicy: z.string().optional(),
  UpdateReplacePolicy: z.string().optional(),
});
type Resource = z.infer<typeof Resource>;

export interface Synthesized {
  readonly template: Template;
  /** By logical id, references written out by {@link shown}. */
  of(type: string): ReadonlyMap<string, Resource>;
}

export function synthesized(context: Readonly<Record<string, unknown>> = ISSUED): Synthesized {
  const app = appWith(context);
  const template = Template.fromStack(
    new RengaStack(
      app,
      readSettings((key) => app.node.tryGetContext(key)),
    ),
  );
  return {
    template,
    of: (type) =>
      new Map(
        Object.entries(template.findResources(type)).map(([id, resource]) => [id, Resource.parse(shown(resource))]),
      ),
  };
}

const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'eu-west-1',
  'AWS::AccountId': '111122223333',
  'AWS::URLSuffix': 'amazonaws.com',
};

const Join = z.object({ 'Fn::Join': z.tuple([z.string(), z.array(z.unknown())]) });
const Ref = z.strictObject({ Ref: z.string() });
const GetAtt = z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.string()]) });

/** References as text: in an account and region of our own choosing, a resource as its logical id. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  const join = Join.safeParse(value);
  if (join.success) return join.data['Fn::Join'][1].map(shown).join(join.data['Fn::Join'][0]);
  const ref = Ref.safeParse(value);
  if (ref.success) return PSEUDO[ref.data.Ref] ?? ref.data.Ref;
  const attribute = GetAtt.safeParse(value);
  if (attribute.success) return attribute.data['Fn::GetAtt'].join('.');
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shown(inner)]));
}
