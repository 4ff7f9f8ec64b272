import { Logger } from '@aws-lambda-powertools/logger';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SFNClient } from '@aws-sdk/client-sfn';
import { Bus } from '../bus/bus.ts';
import { Machines } from '../machines/machines.ts';
import type { Ports, Services } from '../orchestration/ports.ts';
import { callbackPlugin } from '../plugins/callback.ts';
import { openStore } from '../store/store.ts';
import { functionArns, readEnvironment } from './environment.ts';

/** The ports of a Lambda, from its environment. `services`: those that it may ask, and has clients of. */
export function portsFromEnvironment(env: Readonly<Record<string, string | undefined>>, services: Services): Ports {
  const environment = readEnvironment(env);
  const logger = new Logger({ serviceName: 'renga' });
  const store = openStore(new DynamoDBClient({ cacheMiddleware: true }), environment.RENGA_TABLE);
  const bus = new Bus(new EventBridgeClient({ cacheMiddleware: true }), environment.RENGA_BUS);
  const callback = callbackPlugin({ callbacks: store.callbacks, bus, now: () => Date.now() });
  return {
    store,
    machines: new Machines(new SFNClient({ cacheMiddleware: true }), {
      roleArn: environment.RENGA_MACHINE_ROLE,
      logGroupArn: environment.RENGA_MACHINE_LOG_GROUP,
      tracing: environment.RENGA_MACHINE_TRACING === 'true',
    }),
    bus,
    // `command` runs on a laptop only; the plugins of AWS's services are not built yet.
    plugins: new Map([[callback.name, callback]]),
    functions: functionArns(environment.RENGA_FUNCTION_PREFIX),
    deployMachine: environment.RENGA_DEPLOY_MACHINE,
    administrators: environment.RENGA_ADMINISTRATORS,
    pinnedSources: environment.RENGA_PINNED_SOURCES,
    services,
    // arn:<partition>:states:<region>:<account>:stateMachine:…
    account: environment.RENGA_DEPLOY_MACHINE.split(':')[4] ?? '',
    machinePrefix: environment.RENGA_MACHINE_PREFIX,
    now: () => Date.now(),
    report: (message, error) => logger.error(message, { error }),
  };
}
