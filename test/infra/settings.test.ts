import { describe, expect, it } from 'vitest';
import { readSettings } from '../../infra/settings.ts';

const read = (context: Readonly<Record<string, unknown>>) => readSettings((key) => context[key]);

describe('settings', () => {
  it('without any context are those of prod, which keeps its table and lets nobody in', () => {
    expect(read({})).toEqual({
      stage: 'prod',
      retain: true,
      jwtIssuer: 'https://issuer.invalid',
      jwtAudience: ['renga'],
      jwtSubjectClaim: 'sub',
      administrators: [],
      pinnedSources: [],
    });
  });

  it.each([
    ['one audience', 'renga', ['renga']],
    ['several, as the command line gives them', 'people, pipelines', ['people', 'pipelines']],
    ['several, as cdk.json gives them', ['people', 'pipelines'], ['people', 'pipelines']],
  ])('take %s', (_, jwtAudience, expected) => {
    expect(read({ jwtIssuer: 'https://login.example.org/', jwtAudience }).jwtAudience).toEqual(expected);
  });

  it.each([
    ['one', 'user:ada', ['user:ada']],
    ['several, as the command line gives them', 'user:ada, group:platform', ['user:ada', 'group:platform']],
    ['several, as cdk.json gives them', ['user:ada', 'group:platform'], ['user:ada', 'group:platform']],
  ])('take as administrators %s', (_, administrators, expected) => {
    expect(read({ administrators }).administrators).toEqual(expected);
  });

  it.each([
    ['as the command line gives them', '123456789012/com.example.ci, 210987654321/x'],
    ['as cdk.json gives them', ['123456789012/com.example.ci', '210987654321/x']],
  ])('take sources that are pinned, %s', (_, pinnedSources) => {
    expect(read({ pinnedSources }).pinnedSources).toEqual(['123456789012/com.example.ci', '210987654321/x']);
  });

  it('take the names of claims', () => {
    const context = { jwtSubjectClaim: 'email', jwtGroupsClaim: 'https://shop.example/teams' };
    expect(read(context)).toMatchObject(context);
  });

  it.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
  ])('take retain=%j as a flag or as text', (retain, expected) => {
    expect(read({ retain }).retain).toBe(expected);
  });

  it.each([
    [{ stage: 'Prod' }, 'stage ("Prod"): is not 1 to 16 small letters and digits, a letter first'],
    [{ stage: 'a-r-b' }, 'stage ("a-r-b")'],
    [{ stage: 'a2345678901234567' }, 'stage ("a2345678901234567")'],
    [{ retain: 'maybe' }, 'retain ("maybe")'],
    [
      { jwtIssuer: 'http://login.example.org', jwtAudience: 'renga' },
      'jwtIssuer ("http://login.example.org"): is not an https URL',
    ],
    [{ jwtIssuer: 'https://login.example.org' }, 'jwtAudience: is needed beside jwtIssuer'],
    [{ jwtIssuer: 'https://login.example.org', jwtAudience: '' }, 'jwtAudience (""): names no audience'],
    [{ stage: '', retain: 1 }, 'stage (""): '],
    [{ administrators: 'ada' }, 'administrators ("ada"): must be user:, group: or pipeline: and a name'],
    [{ administrators: 'user:ada,group:*' }, 'must name one each, without * and commas'],
    [{ administrators: ['user:ada,user:bob'] }, 'must name one each, without * and commas'],
    [{ administrators: '' }, 'administrators (""): must be user:'],
    [{ administrators: 7 }, 'administrators (7)'],
    [{ administrators: ['a', 'b', 'c', 'd'].map((each) => `user:${each.repeat(290)}`) }, 'more than 1000 characters'],
    [{ pinnedSources: 'com.example.ci' }, 'pinnedSources ("com.example.ci"): must be <account>/<source>'],
    [{ jwtSubjectClaim: '' }, 'jwtSubjectClaim (""): is no name of a claim'],
    [{ jwtGroupsClaim: 'my groups' }, 'jwtGroupsClaim ("my groups"): is no name of a claim'],
  ])('refuse %j', (context, message) => {
    expect(() => read(context)).toThrow(message);
  });
});
