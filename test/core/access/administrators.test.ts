import { describe, expect, it } from 'vitest';
import { Actor, owner } from '../../../core/access/actor.ts';
import { Administrators, withAdministrators } from '../../../core/access/administrators.ts';
import { eventActor, PinnedSources } from '../../../core/access/event-actor.ts';
import { pipeline, user } from './binding.ts';

const ROLE = 'arn:aws:iam::123456789012:role/ci';

describe('administrators', () => {
  it.each([
    ['user:ada', ['user:ada']],
    [' user:ada , group:platform', ['user:ada', 'group:platform']],
    [
      ['user:ada', `pipeline:${ROLE}`],
      ['user:ada', `pipeline:${ROLE}`],
    ],
  ])('are read from %j', (given, expected) => {
    expect(Administrators.parse(given)).toEqual(expected);
  });

  it.each(['', 'ada', 'user:', 'user:*', 'group:plat*', 'user:ada,', 'user:ada group:x', 7, ['user:ada', '']])(
    'are not read from %j',
    (given) => {
      expect(Administrators.safeParse(given).success).toBe(false);
    },
  );

  const administrators = Administrators.parse(['user:ada', 'group:platform', `pipeline:${ROLE}`]);
  it.each([
    [user('ada'), true],
    [user('bob', 'platform'), true],
    [pipeline('arn:aws:sts::123456789012:assumed-role/ci/x'), true],
    [user('bob'), false],
    [pipeline('ada'), false],
    [user(ROLE), false],
  ])('%j is one of them: %j', (actor, expected) => {
    expect(withAdministrators(administrators, actor).administrator === true).toBe(expected);
  });

  it('are so while the configuration says so, also when they were stored as such', () => {
    expect(withAdministrators([], owner('ada'))).toEqual(user('ada'));
    expect(withAdministrators(['user:ada'], owner('ada'))).toEqual(owner('ada'));
  });
});

describe('an actor', () => {
  it.each([owner('ada'), user('ada', 'platform'), pipeline(ROLE)])('%j is read as it was stored', (actor) => {
    expect(Actor.parse(JSON.parse(JSON.stringify(actor)))).toEqual(actor);
  });

  it.each([{}, { ...user('') }, { ...user('ada'), kind: 'root' }, { ...user('ada'), administrator: 'yes' }])(
    '%j is none',
    (stored) => {
      expect(Actor.safeParse(stored).success).toBe(false);
    },
  );
});

describe('an event', () => {
  const pinned = PinnedSources.parse('123456789012/com.example.ci, 210987654321/my/source');

  it.each([
    ['123456789012', 'com.example.ci', '123456789012/com.example.ci'],
    ['210987654321', 'my/source', '210987654321/my/source'],
    ['123456789012', 'com.example.other', '123456789012'],
    ['210987654321', 'com.example.ci', '210987654321'],
    ['123456789012', '', '123456789012'],
    ['123456789012', 'com.example.ci ', '123456789012'],
  ])('of %s and the source %j is from %s', (account, source, subject) => {
    expect(eventActor({ account, source }, pinned)).toEqual(pipeline(subject));
  });

  it.each(['', 'com.example.ci', '12345/com.example.ci', '123456789012/', '123456789012/a b', ['123456789012']])(
    'is pinned by no %j',
    (given) => {
      expect(PinnedSources.safeParse(given).success).toBe(false);
    },
  );
});
