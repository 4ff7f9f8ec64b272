import { describe, expect, it } from 'vitest';
import { functionArns, readEnvironment } from '../../functions/environment.ts';
import { FUNCTION_NAMES } from '../../statemachines/functions.ts';

const complete = {
  RENGA_TABLE: 'renga-prod',
  RENGA_BUS: 'renga-prod',
  RENGA_DEPLOY_MACHINE: 'arn:aws:states:eu-west-1:111122223333:stateMachine:renga-prod-deploy',
  RENGA_MACHINE_PREFIX: 'renga-prod-r',
  RENGA_MACHINE_ROLE: 'arn:aws:iam::111122223333:role/renga-prod-machines',
  RENGA_FUNCTION_PREFIX: 'arn:aws:lambda:eu-west-1:111122223333:function:renga-prod',
};

const DEFAULTS = {
  RENGA_MACHINE_TRACING: 'false',
  RENGA_ADMINISTRATORS: [],
  RENGA_PINNED_SOURCES: [],
  RENGA_JWT_SUBJECT_CLAIM: 'sub',
};

describe('the environment of a function', () => {
  it('is read whole; machines are neither logged nor traced, and nobody is an administrator, unless it says so', () => {
    expect(readEnvironment({ ...complete, PATH: '/usr/bin' })).toEqual({ ...complete, ...DEFAULTS });
  });

  it('names administrators, pinned sources and claims, parsed once', () => {
    const named = {
      RENGA_ADMINISTRATORS: 'user:ada,group:platform',
      RENGA_PINNED_SOURCES: '123456789012/com.example.ci',
      RENGA_JWT_SUBJECT_CLAIM: 'email',
      RENGA_JWT_GROUPS_CLAIM: 'teams',
    };
    expect(readEnvironment({ ...complete, ...named })).toMatchObject({
      ...named,
      RENGA_ADMINISTRATORS: ['user:ada', 'group:platform'],
      RENGA_PINNED_SOURCES: [{ account: '123456789012', source: 'com.example.ci' }],
    });
    for (const name of Object.keys(named)) {
      expect(() => readEnvironment({ ...complete, ...named, [name]: '' })).toThrow(name);
    }
  });

  it.each(Object.keys(complete))('is refused by name without %s', (name) => {
    expect(() => readEnvironment({ ...complete, [name]: undefined })).toThrow(name);
    expect(() => readEnvironment({ ...complete, [name]: '' })).toThrow(name);
  });

  it('is refused with every variable that is wrong', () => {
    expect(() => readEnvironment({ ...complete, RENGA_BUS: '', RENGA_MACHINE_TRACING: 'yes' })).toThrow(
      /RENGA_BUS.*RENGA_MACHINE_TRACING/,
    );
  });
});

describe('ARNs of functions', () => {
  it('are the prefix, the name and the alias', () => {
    const arns = functionArns(complete.RENGA_FUNCTION_PREFIX);
    expect(Object.keys(arns)).toEqual([...FUNCTION_NAMES]);
    expect(arns['run-job']).toBe('arn:aws:lambda:eu-west-1:111122223333:function:renga-prod-run-job:live');
  });
});
