import * as z from 'zod';
import { sweep } from '../orchestration/sweep.ts';
import { step } from './step.ts';

/** Apart from its handler, whose clients of other services nothing but its Lambda should have to load. */
export const sweepStep = step('sweep', z.unknown(), (ports) => sweep(ports));
