import { describe, expect, it } from 'vitest';
import type { Actor } from '../../../core/access/actor.ts';
import { principalOf } from '../../../core/access/principal.ts';
import { rightsOf } from '../../../core/access/rights.ts';
import { Subject } from '../../../core/documents/access.ts';
import { access, pipeline, user } from './binding.ts';

const session = 'arn:aws:sts::123456789012:assumed-role/ci/build-7';
const role = 'arn:aws:iam::123456789012:role/ci';
const place = { application: 'shop', environment: 'prod' };

function means(subject: string, actor: Actor): boolean {
  return rightsOf([access({ to: [Subject.parse(subject)] })], actor).may('deployment.read', place);
}

describe('a binding means', () => {
  it.each<[string, Actor]>([
    ['user:ada', user('ada')],
    ['user:*', user('ada')],
    ['user:ada@*', user('ada@example.org')],
    ['user:ada*', user('ada')],
    ['user:Ada*', user('Ada Lovelace')],
    ['group:platform', user('ada', 'staff', 'platform')],
    ['group:plat*', user('ada', 'platform')],
    ['group:ci', pipeline(role, 'ci')],
    [`pipeline:${role}`, pipeline(role)],
    [`pipeline:${role}`, pipeline(session)],
    ['pipeline:arn:aws:iam::123456789012:role/c*', pipeline(session)],
    ['pipeline:arn:aws:iam::123456789012:role/teams/web/ci', pipeline(session)],
    ['pipeline:arn:aws:iam::123456789012:role/teams/web/ci', pipeline('arn:aws:iam::123456789012:role/teams/web/ci')],
    ['pipeline:arn:aws-cn:iam::123456789012:role/ci', pipeline('arn:aws-cn:sts::123456789012:assumed-role/ci/x')],
    ['pipeline:arn:aws:iam::123456789012:user/teams/bot', pipeline('arn:aws:iam::123456789012:user/teams/bot')],
    ['pipeline:arn:aws:iam::123456789012:user/teams/*', pipeline('arn:aws:iam::123456789012:user/teams/bot')],
    ['pipeline:123456789012', pipeline('123456789012')],
    ['pipeline:123456789012', pipeline('123456789012/com.example.ci')],
    ['pipeline:123456789012/com.example.ci', pipeline('123456789012/com.example.ci')],
    ['pipeline:123456789012/com.example.*', pipeline('123456789012/com.example.ci')],
    ['pipeline:*', pipeline(session)],
  ])('%s: %j', (subject, actor) => {
    expect(means(subject, actor)).toBe(true);
  });
});

describe('a binding does not mean', () => {
  it.each<[string, Actor]>([
    ['user:ada', user('adam')],
    ['user:ada', user('Ada')],
    ['user:adam', user('ada')],
    ['user:ada', user('bob', 'ada')],
    ['group:ada', user('ada')],
    ['user:ada', pipeline('ada')],
    ['user:*', pipeline(role)],
    ['pipeline:ada', user('ada')],
    ['pipeline:*', user(role)],
    [`pipeline:${role}`, user(role)],
    [`pipeline:${role}`, user('x', role)],
    // Names that look like subjects.
    ['user:admin', user('x', 'user:admin')],
    ['user:admin', user('user:admin')],
    ['group:platform', user('group:platform')],
    ['group:platform', user(':platform')],
    [`pipeline:${role}`, user(`pipeline:${role}`)],
    [`pipeline:${role}`, user('x', `pipeline:${role}`)],
    ['pipeline:123456789012', user('123456789012/com.example.ci')],
    // A star in a name is a character like any other.
    ['user:admin', user('*')],
    ['user:admin', user('adm*')],
    ['group:admins', user('x', '*')],
    ['group:admins', user('x', '')],
    // Sessions: another role, account or partition; a path of which nothing is known; the session alone.
    [`pipeline:${role}`, pipeline('arn:aws:sts::123456789012:assumed-role/ci2/build-7')],
    [`pipeline:${role}`, pipeline('arn:aws:sts::210987654321:assumed-role/ci/build-7')],
    [`pipeline:${role}`, pipeline('arn:aws-cn:sts::123456789012:assumed-role/ci/build-7')],
    [`pipeline:${role}`, pipeline('arn:aws:sts::123456789012:assumed-role/other/ci')],
    [`pipeline:${role}`, pipeline('arn:aws:sts::123456789012:federated-user/ci')],
    ['pipeline:arn:aws:iam::123456789012:role/teams/*', pipeline(session)],
    ['pipeline:arn:aws:iam::123456789012:role/teams/c*', pipeline(session)],
    ['pipeline:arn:aws:iam::123456789012:user/bot', pipeline('arn:aws:iam::123456789012:user/teams/bot')],
    // Accounts: no ARN belongs to one here, and sources only where they are pinned.
    ['pipeline:123456789012', pipeline(session)],
    ['pipeline:123456789012', pipeline('123456789012x')],
    ['pipeline:123456789012', pipeline('1234567890123/com.example.ci')],
    ['pipeline:123456789012/com.example.ci', pipeline('123456789012')],
    ['pipeline:123456789012/*', pipeline('123456789012')],
    ['pipeline:123456789012/com.example.ci', pipeline('210987654321/com.example.ci')],
  ])('%s: %j', (subject, actor) => {
    expect(means(subject, actor)).toBe(false);
  });
});

it.each([`pipeline:${session}`, 'pipeline:arn:aws:sts::1:assumed-role/ci/*'])(
  'a binding can not name %s',
  (subject) => {
    expect(Subject.safeParse(subject).error?.issues[0]?.message).toMatch(/name the role/);
  },
);

describe('a principal', () => {
  it.each([
    ['arn:aws:sts::1:assumed-role/ci/x', 'arn:aws:iam::1:role/ci'],
    ['arn:aws:sts::1:assumed-role/ci/x/y', 'arn:aws:iam::1:role/ci'],
    ['arn:aws:iam::1:role/teams/web/ci', 'arn:aws:iam::1:role/ci'],
    ['arn:aws:iam::1:role/ci', 'arn:aws:iam::1:role/ci'],
    ['arn:aws:iam::1:user/teams/bot', 'arn:aws:iam::1:user/teams/bot'],
    ['arn:aws:iam::1:root', 'arn:aws:iam::1:root'],
    ['arn:aws:sts::1:assumed-role/ci', 'arn:aws:sts::1:assumed-role/ci'],
    ['1', '1'],
  ])('%s goes by %s', (arn, name) => {
    expect(principalOf(arn)).toBe(name);
  });
});
