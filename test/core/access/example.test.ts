/** The example of docs/access.md does what the page says. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { eventActor } from '../../../core/access/event-actor.ts';
import { rightsOf } from '../../../core/access/rights.ts';
import { AccessDocument, type Permission } from '../../../core/documents/access.ts';
import { accessRules } from '../../../core/documents/rules/access.ts';
import { pipeline, user } from './binding.ts';

const page = readFileSync(new URL('../../../docs/access.md', import.meta.url), 'utf8');
const written: unknown = parse(/```yaml\n(apiVersion[\s\S]*?)```/.exec(page)?.[1] ?? '');
const example = AccessDocument.parse(written);
const ci = pipeline('arn:aws:sts::123456789012:assumed-role/shop-ci/build-7');
const pinned = [{ account: '210987654321', source: 'com.example.ci' }];

it('is a document without problems', () => {
  expect(accessRules(written)).toEqual([]);
});

it.each<[string, ReturnType<typeof user>, Permission, string, string, boolean]>([
  ['anybody looks', user('eve'), 'deployment.read', 'web', 'prod', true],
  ['a pipeline does not', pipeline('210987654321'), 'deployment.read', 'web', 'prod', false],
  ['the team deploys to staging', user('eve', 'shop'), 'deployment.submit', 'shop-api', 'staging', true],
  ['… and to previews', user('eve', 'shop'), 'deployment.submit', 'shop-api', 'preview-7', true],
  ['… not to prod', user('eve', 'shop'), 'deployment.submit', 'shop-api', 'prod', false],
  ['… nor anything else', user('eve', 'shop'), 'deployment.submit', 'web', 'staging', false],
  ['the pipeline deploys to prod', ci, 'deployment.submit', 'shop-api', 'prod', true],
  ['… and approves nothing', ci, 'deployment.approve', 'shop-api', 'prod', false],
  ['ada approves', user('ada@example.org'), 'deployment.approve', 'shop-api', 'prod', true],
  ['on call, a freeze is overridden', user('eve', 'on-call'), 'deployment.freeze-override', 'web', 'prod', true],
  ['platform writes environments', user('eve', 'platform'), 'environment.write', 'web', 'prod', true],
  ['… and access', user('eve', 'platform'), 'access.write', 'web', 'prod', true],
])('%s', (_, actor, permission, application, environment, expected) => {
  expect(rightsOf([example], actor).may(permission, { application, environment })).toBe(expected);
});

it.each([
  ['com.example.ci', true],
  ['com.example.other', false],
])('an event of the source %s submits: %j', (source, expected) => {
  const rights = rightsOf([example], eventActor({ account: '210987654321', source }, pinned));
  expect(rights.may('deployment.submit', { application: 'web', environment: 'staging' })).toBe(expected);
});
