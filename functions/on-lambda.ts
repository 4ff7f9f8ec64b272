import type { Ports, Services } from '../orchestration/ports.ts';
import { portsFromEnvironment } from './ports.ts';
import type { Step } from './step.ts';

let ports: Ports | undefined;

/** The ports of this Lambda, made at its first call and kept for the next ones. */
export function lambdaPorts(services: () => Services = () => ({})): Ports {
  ports ??= portsFromEnvironment(process.env, services());
  return ports;
}

/** A step as a Lambda handler. An error's name is what Step Functions sees as the error. */
export function onLambda(step: Step, services?: () => Services): (event: unknown) => Promise<unknown> {
  return (event) => step.run(lambdaPorts(services), event);
}
