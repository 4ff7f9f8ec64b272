import type { z } from 'zod';
import type { Ports } from '../orchestration/ports.ts';
import type { FunctionName } from '../statemachines/functions.ts';

/** One function: what it takes, and what it does with it. The same on AWS and in the embedded engine. */
export interface Step {
  readonly name: FunctionName;
  /** Parses the input (throws on what a definition or an event should never send), runs, and answers plain JSON. */
  run(ports: Ports, input: unknown): Promise<unknown>;
}

export function step<Schema extends z.ZodType>(
  name: FunctionName,
  input: Schema,
  run: (ports: Ports, input: z.output<Schema>) => Promise<unknown>,
): Step {
  return { name, run: (ports, value) => run(ports, input.parse(value)) };
}
