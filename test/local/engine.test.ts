import { CreateStateMachineCommand, DescribeStateMachineCommand } from '@aws-sdk/client-sfn';
import { expect, test } from 'vitest';
import { Activity } from '../../local/activity.ts';
import { awsClients } from '../../local/aws-clients.ts';
import { VirtualClock } from '../../local/clock.ts';
import { openDynamoDb } from '../../local/dynamodb/dynamodb.ts';
import { ACCOUNT, LOCAL_FUNCTIONS, REGION, startEngine } from '../../local/engine.ts';
import { memoryJournal, StepFunctions } from '../../local/stepfunctions/index.ts';
import { render } from '../../statemachines/asl.ts';
import { deployMachine } from '../../statemachines/deploy-machine.ts';

test("an engine that finds an older renga's machine for deploys brings it up to date", async () => {
  // Prepare: a journal in which an older renga has left its machine, with another definition.
  const journal = memoryJournal();
  const clock = new VirtualClock(Date.UTC(2026, 9, 1));
  const invoker = { invoke: async () => ({ ok: true as const, payload: null }) };
  const older = new StepFunctions({
    clock,
    activity: new Activity(),
    journal,
    invoker,
    region: REGION,
    account: ACCOUNT,
  });
  await older.resume();
  await awsClients([older], REGION).stepFunctions.send(
    new CreateStateMachineCommand({
      name: 'renga-deploy',
      roleArn: `arn:aws:iam::${ACCOUNT}:role/renga-machines`,
      definition: JSON.stringify({
        QueryLanguage: 'JSONata',
        StartAt: 'Older',
        States: { Older: { Type: 'Succeed' } },
      }),
    }),
  );
  older.kill();

  // Act
  const engine = await startEngine({ storage: { dynamodb: await openDynamoDb(), journal }, clock, plugins: () => [] });

  // Assert
  const machine = await engine.clients.stepFunctions.send(
    new DescribeStateMachineCommand({ stateMachineArn: engine.ports.deployMachine }),
  );
  expect(machine.definition).toBe(render(deployMachine(LOCAL_FUNCTIONS)));
  await engine.close();
});
