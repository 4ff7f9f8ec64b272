import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { ReleaseDocument } from '../../core/documents/release.ts';
import { planRelease } from '../../core/plan/plan.ts';
import { functionArns } from '../../functions/environment.ts';
import { CALLED_BY_DEPLOYS, CALLED_BY_RELEASES } from '../../infra/machines.ts';
import { render } from '../../statemachines/asl.ts';
import { deployMachine } from '../../statemachines/deploy-machine.ts';
import { FUNCTION_NAMES } from '../../statemachines/functions.ts';
import { releaseMachine } from '../../statemachines/release-machine.ts';
import { synthesized } from './synthesized.ts';

type Validate = (definition: object) => { errorsText(): string };
// The package has no types.
const validate: Validate = createRequire(import.meta.url)('asl-validator');

const ARNS = functionArns('arn:aws:lambda:eu-west-1:111122223333:function:renga-prod');
const calledBy = (definition: string) => FUNCTION_NAMES.filter((name) => definition.includes(`"${ARNS[name]}"`));

describe("the deploy's machine", () => {
  const stack = synthesized();
  const [machine] = stack.of('AWS::StepFunctions::StateMachine').values();
  const definition = String(machine?.Properties.DefinitionString);

  it('is the one that is compiled everywhere else', () => {
    expect(stack.of('AWS::StepFunctions::StateMachine').size).toBe(1);
    expect(definition).toBe(render(deployMachine(ARNS)));
  });

  it('is valid', () => {
    expect(validate(JSON.parse(definition)).errorsText()).toBe('');
  });

  it('is created after the functions that it calls', () => {
    const aliases = [...stack.of('AWS::Lambda::Alias').keys()];
    expect(machine?.DependsOn).toEqual(expect.arrayContaining(aliases));
  });

  it('is named as the functions are told', () => {
    const told = [...stack.of('AWS::Lambda::Function').values()].map(({ Properties }) => Properties.Environment);
    expect(machine?.Properties.StateMachineName).toBe('renga-prod-deploy');
    for (const environment of told) {
      expect(environment).toMatchObject({
        Variables: { RENGA_DEPLOY_MACHINE: 'arn:aws:states:eu-west-1:111122223333:stateMachine:renga-prod-deploy' },
      });
    }
  });

  it('logs what failed, without the data, and is traced', () => {
    expect(machine?.Properties).toMatchObject({
      LoggingConfiguration: { Level: 'ERROR', IncludeExecutionData: false },
      TracingConfiguration: { Enabled: true },
    });
  });
});

const descriptor = (name: string) => ({
  apiVersion: 'renga/v1',
  application: name,
  environment: 'prod',
  artifact: { type: 'application', name, version: '1' },
  deploy: { plugin: 'command', params: { COMMAND: ['true'] } },
});
const PLAN = planRelease(
  ReleaseDocument.parse({
    apiVersion: 'renga/v1',
    kind: 'Release',
    id: 'shop',
    deploys: [
      { name: 'db', descriptor: descriptor('db') },
      { name: 'web', after: ['db'], descriptor: descriptor('web') },
    ],
  }),
);

describe('a role of machines may call what its machines call', () => {
  it('for deploys', () => {
    expect([...CALLED_BY_DEPLOYS].sort()).toEqual(calledBy(render(deployMachine(ARNS))).sort());
  });

  it('for releases', () => {
    const called = (['stop', 'continue', 'rollback'] as const).flatMap((onFailure) =>
      calledBy(render(releaseMachine(PLAN, onFailure, ARNS))),
    );
    expect([...CALLED_BY_RELEASES].sort()).toEqual([...new Set(called)].sort());
  });
});
