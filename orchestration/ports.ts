import type { ServiceName } from '../bus/aws-events.ts';
import type { Bus } from '../bus/bus.ts';
import type { EventOrigin } from '../core/access/event-actor.ts';
import type { Machines } from '../machines/machines.ts';
import type { Plugin } from '../plugins/contract.ts';
import type { FunctionArns } from '../statemachines/functions.ts';
import type { Store } from '../store/store.ts';

/** What every decision of renga works with. The same on AWS and on the laptop; only the clients behind it differ. */
export interface Ports {
  readonly store: Store;
  readonly machines: Machines;
  readonly bus: Bus;
  readonly plugins: ReadonlyMap<string, Plugin>;
  readonly functions: FunctionArns;
  /** ARN of the machine that is the life of every deploy. */
  readonly deployMachine: string;
  /** Subjects that may do everything, as the operator's configuration names them. */
  readonly administrators: readonly string[];
  /** Sources of events that are told apart, since the bus's policy lets nobody else use them. */
  readonly pinnedSources: readonly EventOrigin[];
  /** Services of AWS that run deploys of their own, as far as they can be asked from here. */
  readonly services: Services;
  /** The account that renga is in. */
  readonly account: string;
  /** First part of the names of compiled machines. */
  readonly machinePrefix: string;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Something went wrong that a later sweep mends: said where an operator looks. */
  report(message: string, error: unknown): void;
}

/** Tells the status of a run, in the service's own words; undefined when it knows of no such run. */
type AskService = (name: string, run: string) => Promise<string | undefined>;
export type Services = Readonly<Partial<Record<ServiceName, AskService>>>;

/** The identity under which renga decides by itself. */
export const RENGA = 'renga';

/** Reads and writes under way at once, where one decision concerns many deploys. */
export const AT_ONCE = 25;

export async function inParallel<T>(items: readonly T[], task: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await task(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, worker));
}
