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
  ])('refuse %j', (context, message) => {
    expect(() => read(context)).toThrow(message);
  });
});
