import { Duration } from 'aws-cdk-lib';
import { EventBus, type IEventBus, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { SOURCE } from '../bus/events.ts';
import { type Rule as RengaRule, rules } from '../bus/rules.ts';
import type { FunctionName } from '../statemachines/functions.ts';
import { acknowledge } from './acknowledge.ts';
import type { Functions } from './functions.ts';
import type { Names } from './names.ts';

interface Patience {
  /** Attempts after the first at handing an event to Lambda, with EventBridge's own growing pauses. */
  readonly deliveries: number;
  /** Attempts after the first at running the function, 1 and then 2 minutes later. */
  readonly runs: 0 | 1 | 2;
  readonly atMost: Duration;
}

/**
 * An event only says that it is time to look, and the sweep looks at most 5 minutes apart. Three runs take 1 + 2 = 3
 * minutes; 15 minutes are three sweeps, and after them the event has nothing left to tell.
 */
const EVENT: Patience = { deliveries: 10, runs: 2, atMost: Duration.minutes(15) };

/** The next sweep comes a minute later and does all that this one left. */
const SCHEDULED: Patience = { deliveries: 0, runs: 0, atMost: Duration.minutes(1) };

/** The longest that SQS keeps a message: a fortnight for somebody to look at what was not delivered. */
const DEAD_LETTERS_KEPT = Duration.days(14);

/** The rules of {@link rules}, each with a dead-letter queue of its own, so that a message says by its place what failed. */
export class BusRules extends Construct {
  /** Functions that know where what they could not do goes. */
  readonly #asked = new Set<FunctionName>();

  constructor(scope: Construct, id: string, names: Names, bus: IEventBus, functions: Functions) {
    super(scope, id);
    for (const rule of rules(
      [{ prefix: names.deployMachineArn }, { prefix: names.machineArnPrefix }],
      names.ownMachinesArn,
    )) {
      this.#create(rule, names, bus, functions);
    }
    this.#keepRefusals(names, bus);
  }

  /** What came in and was refused waits here, with its reason, for somebody to look at it. */
  #keepRefusals(names: Names, eventBus: IEventBus): void {
    const queue = new Queue(this, 'RefusedEvents', {
      queueName: `${names.base}-refused-events`,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: DEAD_LETTERS_KEPT,
    });
    acknowledge(queue, 'AwsSolutions-SQS3', 'It is a dead-letter queue: of events that renga refused.');
    new Rule(this, 'EventRefused', {
      ruleName: `${names.base}-event-refused`,
      description: 'An event that came in was refused: it is kept with its reason.',
      eventBus,
      eventPattern: { source: [SOURCE], detailType: ['Event Refused'] },
      targets: [new SqsQueue(queue)],
    });
  }

  #create(rule: RengaRule, names: Names, bus: IEventBus, functions: Functions): void {
    const scope = new Construct(this, rule.name);
    const name = `${names.base}-${rule.name}`;
    const deadLetterQueue = new Queue(scope, 'DeadLetters', {
      queueName: `${name}-dead-letters`,
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: DEAD_LETTERS_KEPT,
    });
    acknowledge(
      deadLetterQueue,
      'AwsSolutions-SQS3',
      'It is a dead-letter queue: of a rule and of the function it calls.',
    );

    const patience = rule.schedule === undefined ? EVENT : SCHEDULED;
    const alias = functions.aliases[rule.target];
    // What EventBridge could not hand over goes there by the target; what Lambda took and could not run, by this. A function
    // that several rules call has one such place, the first rule's.
    if (!this.#asked.has(rule.target)) {
      this.#asked.add(rule.target);
      alias.configureAsyncInvoke({
        retryAttempts: patience.runs,
        maxEventAge: patience.atMost,
        onFailure: new SqsDestination(deadLetterQueue),
      });
    }
    new Rule(scope, 'Rule', {
      ruleName: name,
      description: rule.description,
      ...(rule.bus === 'renga' && { eventBus: bus }),
      ...(rule.pattern !== undefined && { eventPattern: patternOf(rule.pattern) }),
      ...(rule.schedule !== undefined && { schedule: Schedule.expression(rule.schedule) }),
      targets: [
        new LambdaFunction(alias, {
          deadLetterQueue,
          retryAttempts: patience.deliveries,
          maxEventAge: patience.atMost,
        }),
      ],
    });
  }
}

/** CDK names the fields of a pattern its own way. */
function patternOf({ source, 'detail-type': detailType, detail }: NonNullable<RengaRule['pattern']>) {
  return { source, detailType, detail } as { source: string[]; detailType: string[]; detail: Record<string, unknown> };
}

export function createBus(scope: Construct, eventBusName: string): IEventBus {
  const description = 'renga: what happens to deploys and releases';
  // CDK's class does not fit its own interface under `exactOptionalPropertyTypes`.
  return new EventBus(scope, 'Bus', { eventBusName, description }) as IEventBus;
}
