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

describe('the environment of a function', () => {
  it('is read whole; machines are neither logged nor traced unless it says so', () => {
    expect(readEnvironment({ ...complete, PATH: '/usr/bin' })).toEqual({ ...complete, RENGA_MACHINE_TRACING: 'false' });
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
