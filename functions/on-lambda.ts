import type { Ports } from '../orchestration/ports.ts';
import { portsFromEnvironment } from './ports.ts';
import type { Step } from './step.ts';

let ports: Ports | undefined;

/** The ports of this Lambda, made at its first call and kept for the next ones. */
export function lambdaPorts(): Ports {
  ports ??= portsFromEnvironment(process.env);
  return ports;
}

/** A step as a Lambda handler. An error's name is what Step Functions sees as the error. */
export function onLambda(step: Step): (event: unknown) => Promise<unknown> {
  return (event) => step.run(lambdaPorts(), event);
}
