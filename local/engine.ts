/**
 * renga on one machine: the same functions, state machines and SDK clients as on AWS, over services that answer in this
 * process. What must outlive it is in `storage` (table and journal) and in the jobs of its plugins.
 *
 * A killed engine is one whose instance has no further effect: a new one over the same storage goes on where it was.
 */
import { Bus } from '../bus/bus.ts';
import { rules } from '../bus/rules.ts';
import { STEPS } from '../functions/steps.ts';
import { Machines } from '../machines/machines.ts';
import { executionStatus } from '../machines/step-functions-runs.ts';
import { jobEnded } from '../orchestration/job-ended.ts';
import type { Ports } from '../orchestration/ports.ts';
import { sweep, sweepAll } from '../orchestration/sweep.ts';
import { callbackPlugin } from '../plugins/callback.ts';
import type { Plugin, PluginHost } from '../plugins/contract.ts';
import { render } from '../statemachines/asl.ts';
import { deployMachine } from '../statemachines/deploy-machine.ts';
import { FUNCTION_NAMES, type FunctionArns, type FunctionName } from '../statemachines/functions.ts';
import { openStore } from '../store/store.ts';
import { Activity } from './activity.ts';
import { type AwsClients, awsClients } from './aws-clients.ts';
import type { AwsService } from './aws-service.ts';
import type { Clock } from './clock.ts';
import { putDeployMachine } from './deploy-machine.ts';
import type { EmbeddedDynamoDb } from './dynamodb/dynamodb.ts';
import { EventBridge } from './eventbridge/eventbridge.ts';
import { fence } from './fence.ts';
import { type Journal, StepFunctions } from './stepfunctions/index.ts';
import { createTable } from './table.ts';

export const REGION = 'local-1';
export const ACCOUNT = '000000000000';
export const TABLE = 'renga';
const BUS = 'renga';
const PREFIX = 'renga';
const ROLE = `arn:aws:iam::${ACCOUNT}:role/renga-machines`;
/** On AWS a rule sweeps every minute; here a look costs nothing, and nobody wants to wait for a lost wake-up. */
const SWEEP_EVERY_MS = 5_000;

export interface Storage {
  readonly dynamodb: EmbeddedDynamoDb;
  readonly journal: Journal;
}

export interface EngineOptions {
  readonly storage: Storage;
  readonly clock: Clock;
  /** Subjects that may do everything beside whoever comes in as the owner: `user:ada`, `pipeline:<account>`. */
  readonly administrators?: readonly string[];
  /** Given a host to tell when a job has ended. */
  readonly plugins: (host: PluginHost) => readonly Plugin[];
  /** Says what went wrong and will be tried again; by default to standard error. */
  readonly report?: (message: string, error: unknown) => void;
  /** Stands before every function: a test may fail or delay one. */
  readonly around?: (name: FunctionName, run: () => Promise<unknown>) => Promise<unknown>;
}

export interface Engine {
  readonly ports: Ports;
  readonly clients: AwsClients;
  /** The three AWS services, for whoever answers their protocols on a port. */
  readonly services: readonly AwsService[];
  readonly stepFunctions: StepFunctions;
  readonly events: EventBridge;
  readonly activity: Activity;
  /** Calls of each function since the start. */
  readonly invocations: ReadonlyMap<FunctionName, number>;
  /** Ends in order; what was under way goes on at the next start. The storage stays open. */
  close(): Promise<void>;
  /** Ends as `kill -9` does. */
  kill(): void;
}

export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { storage, clock } = options;
  const activity = new Activity();
  const report = options.report ?? ((message, error) => process.stderr.write(`${message}: ${String(error)}\n`));
  const invocations = new Map<FunctionName, number>();
  let alive = true;

  const invoke = async (name: FunctionName, input: unknown): Promise<unknown> => {
    const step = STEPS.get(name);
    if (step === undefined) throw new Error(`there is no function ${name}`);
    invocations.set(name, (invocations.get(name) ?? 0) + 1);
    const run = () => step.run(ports, input);
    return options.around === undefined ? run() : options.around(name, run);
  };

  const events = new EventBridge({
    clock,
    activity,
    account: ACCOUNT,
    region: REGION,
    rules: rules([{ prefix: machineArn(PREFIX) }], machineArn(PREFIX))
      // The engine sweeps by itself, more often than a scheduled rule can.
      .filter(({ schedule }) => schedule === undefined)
      .map(({ name, bus, pattern, target }) => ({
        name,
        bus: bus === 'renga' ? BUS : bus,
        ...(pattern !== undefined && { pattern }),
        targets: [{ id: target, functionName: target }],
      })),
    deliver: async (name, event) => {
      await invoke(name as FunctionName, event);
    },
  });
  const stepFunctions = new StepFunctions({
    clock,
    activity,
    journal: storage.journal,
    region: REGION,
    account: ACCOUNT,
    invoker: {
      async invoke(functionArn, payload) {
        const name = functionArn.split(':').at(-1) as FunctionName;
        try {
          return { ok: true, payload: (await invoke(name, payload)) ?? null };
        } catch (error) {
          const { name: errorType, message: errorMessage } = error instanceof Error ? error : new Error(String(error));
          return { ok: false, errorType, errorMessage };
        }
      },
    },
    publish: (change) => {
      events.emit('aws.states', 'Step Functions Execution Status Change', change, [change.executionArn]);
    },
  });
  const dynamodb = fence(storage.dynamodb);
  const services = [dynamodb.service, stepFunctions, events];
  const clients = awsClients(services, REGION);
  await createTable(clients.dynamodb, TABLE);

  const host: PluginHost = {
    ended(token) {
      if (!alive) return;
      void activity
        .run(async () => {
          // A plugin may tell of jobs that it finds as it is made, before there is anything to tell it to.
          await Promise.resolve();
          await jobEnded(ports, token);
        })
        .catch((error) => report('telling that a job has ended failed; the sweep does it', error));
    },
  };
  const store = openStore(clients.dynamodb, TABLE);
  const bus = new Bus(clients.events, BUS, (source, type, detail) => events.emit(source, type, detail));
  const callback = callbackPlugin({ callbacks: store.callbacks, bus, now: () => clock.now() });
  const ports: Ports = {
    store,
    machines: new Machines(clients.stepFunctions, { roleArn: ROLE, tracing: false }),
    bus,
    plugins: new Map([...options.plugins(host), callback].map((plugin) => [plugin.name, plugin])),
    functions: LOCAL_FUNCTIONS,
    deployMachine: machineArn(`${PREFIX}-deploy`),
    machinePrefix: `${PREFIX}-r`,
    administrators: options.administrators ?? [],
    pinnedSources: [],
    // There is no CodeBuild here and no CodePipeline.
    services: { stepfunctions: executionStatus(clients.stepFunctions, machineArn('')) },
    account: ACCOUNT,
    now: () => clock.now(),
    report,
  };

  await stepFunctions.resume();
  await putDeployMachine(clients.stepFunctions, {
    name: `${PREFIX}-deploy`,
    arn: ports.deployMachine,
    definition: render(deployMachine(LOCAL_FUNCTIONS)),
    roleArn: ROLE,
  });
  events.start();
  const stopSweeping = sweepRegularly();

  /** Sweeps all at once, for what a killed engine left, and then again and again what is due. */
  function sweepRegularly(): () => void {
    let takeBack = () => {};
    const look = (task = sweep) => {
      if (!alive) return;
      void activity
        .run(() => task(ports))
        .catch((error) => report('the sweep failed; the next one tries again', error))
        .finally(() => {
          if (alive) takeBack = clock.at(clock.now() + SWEEP_EVERY_MS, () => look());
        });
    };
    look(sweepAll);
    return () => takeBack();
  }

  return {
    ports,
    clients,
    services,
    stepFunctions,
    events,
    activity,
    invocations,
    async close() {
      alive = false;
      stopSweeping();
      events.kill();
      await stepFunctions.close();
    },
    kill() {
      alive = false;
      stopSweeping();
      events.kill();
      stepFunctions.kill();
      dynamodb.kill();
    },
  };
}

function machineArn(name: string): string {
  return `arn:aws:states:${REGION}:${ACCOUNT}:stateMachine:${name}`;
}

/** Functions of the embedded engine: an ARN for the definition, a direct call for everyone else. */
export const LOCAL_FUNCTIONS = Object.fromEntries(
  FUNCTION_NAMES.map((name) => [name, `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`]),
) as FunctionArns;
