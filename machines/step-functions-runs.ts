/** How executions of machines that are not renga's go. */
import { DescribeExecutionCommand, ExecutionDoesNotExist, InvalidArn, type SFNClient } from '@aws-sdk/client-sfn';

/** `machines`: what the ARN of a machine begins with, up to its name. */
export function executionStatus(client: Pick<SFNClient, 'send'>, machines: string) {
  return async (name: string, run: string): Promise<string | undefined> => {
    const executionArn = `${machines.replace(':stateMachine:', ':execution:')}${name}:${run}`;
    try {
      return (await client.send(new DescribeExecutionCommand({ executionArn }))).status;
    } catch (error) {
      if (error instanceof ExecutionDoesNotExist || error instanceof InvalidArn) return undefined;
      throw error;
    }
  };
}
