import {
  CreateStateMachineCommand,
  type SFNClient,
  StateMachineAlreadyExists,
  UpdateStateMachineCommand,
} from '@aws-sdk/client-sfn';

/**
 * Puts the machine of every deploy in place, as infrastructure does on AWS: a newer renga finds the older one's and
 * updates it. Executions that run keep the definition they were started with.
 */
export async function putDeployMachine(
  client: SFNClient,
  machine: { readonly name: string; readonly arn: string; readonly definition: string; readonly roleArn: string },
): Promise<void> {
  const { name, arn, definition, roleArn } = machine;
  try {
    await client.send(new CreateStateMachineCommand({ name, definition, roleArn, type: 'STANDARD' }));
  } catch (error) {
    if (!(error instanceof StateMachineAlreadyExists)) throw error;
    await client.send(new UpdateStateMachineCommand({ stateMachineArn: arn, definition, roleArn }));
  }
}
