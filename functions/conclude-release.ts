import * as z from 'zod';
import { concludeRelease } from '../orchestration/conclude-release.ts';
import { loseRelease } from '../orchestration/lose-execution.ts';
import { STILL_RUNNING } from '../statemachines/functions.ts';
import { OfRelease } from './inputs.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

/** Its deploys have not all ended: the machine asks again later. */
class StillRunning extends Error {
  override readonly name = STILL_RUNNING;
}

const Broken = z
  .object({ error: z.string(), cause: z.string().default('') })
  .or(z.strictObject({}).transform(() => undefined));

export const concludeReleaseStep = step(
  'conclude-release',
  OfRelease.extend({ broken: Broken }),
  async (ports, input) => {
    const { release, attempt, broken } = input;
    // A step of the machine failed for good: the same as if its execution were gone, except that it still concludes.
    if (broken !== undefined) await loseRelease(ports, release, attempt, `${broken.error}: ${broken.cause}`);
    const conclusion = await concludeRelease(ports, release, attempt);
    if (conclusion === undefined) throw new StillRunning(`deploys of ${release} are still running`);
    return conclusion;
  },
);
export const handler = onLambda(concludeReleaseStep);
