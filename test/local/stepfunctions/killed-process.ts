/**
 * Run as a process of its own, to be killed: starts executions one after another on a journal in the directory given,
 * and says each on its output once it was accepted. What an earlier one left on the journal goes on too. Every task appends a line to the file of effects.
 */
import { appendFileSync } from 'node:fs';
import { Activity } from '../../../local/activity.ts';
import { systemClock } from '../../../local/clock.ts';
import { diskJournal, StepFunctions } from '../../../local/stepfunctions/index.ts';
import { machine, ROLE, task } from './stage.ts';

const [directory = '', effects = '', prefix = 'run'] = process.argv.slice(2);

const chain = machine(
  Object.fromEntries(
    Array.from({ length: 5 }, (_, index) => [
      `step${index}`,
      task({ Arguments: { run: '{% $states.context.Execution.Name %}', step: index } }),
    ]),
  ),
);

async function main(): Promise<void> {
  const service = new StepFunctions({
    ...{ clock: systemClock, activity: new Activity(), journal: await diskJournal(directory) },
    ...{ region: 'eu-south-1', account: '123456789012' },
    invoker: {
      async invoke(_functionArn, payload) {
        const { run, step } = payload as { run: string; step: number };
        appendFileSync(effects, `${run} ${step}\n`);
        return { ok: true, payload };
      },
    },
  });
  await service.resume();
  const definition = JSON.stringify({ QueryLanguage: 'JSONata', ...chain });
  const created = await service.call('CreateStateMachine', { name: 'chain', definition, roleArn: ROLE });
  const { stateMachineArn } = created as { stateMachineArn: string };
  for (let index = 0; ; index++) {
    await service.call('StartExecution', { stateMachineArn, name: `${prefix}-${index}` });
    process.stdout.write(`${prefix}-${index}\n`);
  }
}

await main();
