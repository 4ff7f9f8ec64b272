/** Which job of a deploy comes next, and what its result means for the machine. */
import type { NextJob } from '../statemachines/deploy-machine.ts';
import type { DeployRow, JobResult } from '../store/deploys.ts';
import type { Ports } from './ports.ts';

export async function firstJob(_ports: Ports, row: DeployRow): Promise<NextJob> {
  return { next: 'deploy', timeoutSeconds: row.deploy.identity.timeoutSeconds };
}

export function after(result: JobResult): NextJob {
  return { next: result.outcome };
}
