import * as z from 'zod';
import { sweep } from '../orchestration/sweep.ts';
import { onLambda } from './on-lambda.ts';
import { step } from './step.ts';

export const sweepStep = step('sweep', z.unknown(), (ports) => sweep(ports));
export const handler = onLambda(sweepStep);
