import { fileURLToPath } from 'node:url';
import { Duration } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  type IAlias,
  type IVersion,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Construct } from 'constructs';
import { ALIAS, type EnvironmentTexts } from '../functions/environment.ts';
import { FUNCTION_NAMES, type FunctionName } from '../statemachines/functions.ts';
import { acknowledgePattern } from './acknowledge.ts';
import { createLogGroup } from './logs.ts';
import { permissionsOf, type Resources, USES, type Use } from './permissions.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Size {
  readonly memorySize: number;
  readonly timeout: Duration;
}

/** A few requests to the table of about 10 ms each, and a cold start under a second: 30 s is room for a throttled table. */
const ONE_ROW: Size = { memorySize: 512, timeout: Duration.seconds(30) };

/**
 * Settling may end every other deploy of a release: 500 deploys, 25 at once, some 20 requests of 10 ms each, is
 * 500 / 25 × 0.2 s = 4 s; an hour of throttling is not waited for, five minutes are. What is cut off, the sweep goes on with.
 */
const WHOLE_RELEASE: Size = { memorySize: 512, timeout: Duration.minutes(5) };

/** The same, and plans of 500 deploys besides; memory is also the share of a CPU (1,769 MB is a whole one). */
const PLANS: Size = { memorySize: 1024, timeout: Duration.minutes(5) };

/** The gateway gives up after 30 s: nobody hears an answer that comes later. */
const ANSWERS: Size = { memorySize: 1024, timeout: Duration.seconds(29) };

const SIZES: Readonly<Record<FunctionName, Size>> = {
  api: ANSWERS,
  'record-deploys': PLANS,
  'submit-event': PLANS,
  'external-event': WHOLE_RELEASE,
  'await-time': WHOLE_RELEASE,
  'await-approval': WHOLE_RELEASE,
  'start-deploy': WHOLE_RELEASE,
  'plan-rollback': PLANS,
  'start-rollback': WHOLE_RELEASE,
  'conclude-release': WHOLE_RELEASE,
  'await-dependencies': WHOLE_RELEASE,
  'take-turn': WHOLE_RELEASE,
  configure: WHOLE_RELEASE,
  'run-job': WHOLE_RELEASE,
  'stop-job': ONE_ROW,
  'read-result': ONE_ROW,
  'conclude-deploy': WHOLE_RELEASE,
  wake: WHOLE_RELEASE,
  'execution-ended': WHOLE_RELEASE,
  sweep: PLANS,
};

export interface FunctionsProps extends Resources {
  readonly environment: EnvironmentTexts;
}

/** Every function, each under a role of its own, behind the alias that definitions, rules and the gateway call. */
export class Functions extends Construct {
  readonly aliases: Readonly<Record<FunctionName, IAlias>>;

  constructor(scope: Construct, id: string, props: FunctionsProps) {
    super(scope, id);
    this.aliases = Object.fromEntries(FUNCTION_NAMES.map((name) => [name, this.#create(name, props)])) as Record<
      FunctionName,
      IAlias
    >;
  }

  #create(name: FunctionName, props: FunctionsProps): IAlias {
    const scope = new Construct(this, name);
    const functionName = props.names.function(name);
    const logGroup = createLogGroup(scope, 'Logs', `/aws/lambda/${functionName}`);
    const role = new Role(scope, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
        resources: [logGroup.logGroupArn],
      }),
    );
    const target = new NodejsFunction(scope, 'Function', {
      functionName,
      role,
      logGroup,
      ...SIZES[name],
      entry: `${ROOT}functions/${name}.ts`,
      projectRoot: ROOT,
      depsLockFilePath: `${ROOT}package-lock.json`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      tracing: Tracing.ACTIVE,
      loggingFormat: LoggingFormat.JSON,
      bundling: {
        format: OutputFormat.ESM,
        target: 'node24',
        minify: true,
        // Names of classes and functions are what a stack trace in the console is read by.
        keepNames: true,
        logLevel: LogLevel.WARNING,
        // The AWS SDK is the runtime's. A library in CommonJS asks for Node's own modules by `require`, which ESM lacks.
        banner: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
      },
    });
    acknowledgePattern(role, '*', 'X-Ray takes segments for no resource in particular: its actions know `*` alone.');
    bind(target, role, USES[name], props);
    // CDK's classes do not fit its own interfaces under `exactOptionalPropertyTypes`.
    const version = target.currentVersion as IVersion;
    return new Alias(scope, 'Live', { aliasName: ALIAS, version }) as IAlias;
  }
}

/** Gives a function what it uses, by name and by right, in one place. */
function bind(target: NodejsFunction, role: Role, uses: readonly Use[], props: FunctionsProps): void {
  for (const [variable, value] of Object.entries(props.environment)) {
    if (value !== undefined) target.addEnvironment(variable, value);
  }
  for (const { actions, resources, conditions, why } of uses.flatMap((use) => permissionsOf(use, props))) {
    role.addToPolicy(
      new PolicyStatement({
        actions: [...actions],
        resources: [...resources],
        ...(conditions !== undefined && { conditions }),
      }),
    );
    if (why === undefined) continue;
    for (const resource of resources.filter((each) => each.endsWith('*'))) acknowledgePattern(role, resource, why);
  }
}
