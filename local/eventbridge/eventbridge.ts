import { randomUUID } from 'node:crypto';
import type { Activity } from '../activity.ts';
import { AwsError, type AwsService } from '../aws-service.ts';
import type { Clock } from '../clock.ts';
import { type DeadLetter, type Deliver, Delivery } from './delivery.ts';
import { readEntries } from './put-events.ts';
import { type DeliveredEvent, type EventRule, eventTime, periodOf } from './rule.ts';
import { RuleBook } from './rule-book.ts';
import { testEventPattern } from './test-event-pattern.ts';

export interface EventBridgeOptions {
  readonly clock: Clock;
  readonly activity: Activity;
  readonly account: string;
  readonly region: string;
  readonly rules: readonly EventRule[];
  readonly deliver: Deliver;
}

/** How many events are kept to be looked at. */
const KEPT = 1000;

/**
 * EventBridge in this process: rules from a definition, delivery at least once and in no promised order.
 * Undelivered events do not outlast the process; the sweep covers what an event would have said.
 */
export class EventBridge implements AwsService {
  readonly target = 'AWSEvents';
  readonly #options: EventBridgeOptions;
  readonly #rules: RuleBook;
  readonly #delivery: Delivery;
  readonly #events: { readonly bus: string; readonly event: DeliveredEvent }[] = [];
  readonly #schedules = new Map<string, () => void>();
  #state: 'idle' | 'started' | 'killed' = 'idle';

  /** @throws AwsError for a rule whose pattern or schedule is not valid */
  constructor(options: EventBridgeOptions) {
    this.#options = options;
    this.#rules = new RuleBook(options.account, options.region, options.rules);
    this.#delivery = new Delivery(options.clock, options.activity, options.deliver);
  }

  /** Entries taken from `PutEvents`, which AWS bills. */
  readonly counters = { put: 0 };

  /** Sets the scheduled rules going; each fires first after one period. */
  start(): void {
    this.#state = 'started';
    for (const rule of this.#rules.all()) this.#schedule(rule);
  }

  /** Stops as a killed process does: no firing, delivery or retry starts any more. */
  kill(): void {
    this.#state = 'killed';
    for (const takeBack of this.#schedules.values()) takeBack();
    this.#schedules.clear();
    this.#delivery.stop();
  }

  /** The newest 1,000 events that came in, oldest first, with their buses. */
  events(): readonly { readonly bus: string; readonly event: DeliveredEvent }[] {
    return [...this.#events];
  }

  deadLetters(): readonly DeadLetter[] {
    return [...this.#delivery.deadLetters];
  }

  /** Takes an event of AWS itself, such as `aws.states`, which nobody may put; it goes to the default bus. Answers its id. */
  emit(source: string, detailType: string, detail: object, resources: readonly string[] = []): string {
    const { account, region, clock } = this.#options;
    const id = randomUUID();
    this.#accept('default', {
      version: '0',
      id,
      'detail-type': detailType,
      source,
      account,
      time: eventTime(clock.now()),
      region,
      resources,
      detail,
    });
    return id;
  }

  async call(operation: string, input: unknown): Promise<unknown> {
    const members = (input ?? {}) as Record<string, unknown>;
    switch (operation) {
      case 'PutEvents':
        return this.#putEvents(members);
      case 'TestEventPattern':
        return { Result: testEventPattern(members.EventPattern, members.Event) };
      case 'PutRule': {
        const { rule, answer } = this.#rules.put(members);
        if (this.#state === 'started') this.#schedule(rule);
        return answer;
      }
      case 'PutTargets':
        return this.#rules.putTargets(members);
      case 'ListRules':
        return this.#rules.list(members);
      case 'DescribeRule':
        return this.#rules.describe(members);
      case 'ListTargetsByRule':
        return this.#rules.listTargets(members);
      case 'ListEventBuses':
        return this.#rules.listBuses(members);
      case 'CreateEventBus':
        return this.#rules.createBus(members);
    }
    throw new AwsError('UnknownOperationException', `${operation} is not offered by the embedded EventBridge.`);
  }

  #putEvents(members: Record<string, unknown>): unknown {
    const { account, region, clock } = this.#options;
    const read = readEntries(members, {
      account,
      region,
      now: clock.now(),
      newId: randomUUID,
      hasBus: (name) => this.#rules.hasBus(name),
    });
    const Entries = read.map((entry) => {
      if ('ErrorCode' in entry) return entry;
      this.counters.put++;
      this.#accept(entry.bus, entry.event);
      return { EventId: entry.event.id };
    });
    return { FailedEntryCount: Entries.filter((entry) => 'ErrorCode' in entry).length, Entries };
  }

  #accept(bus: string, event: DeliveredEvent): void {
    if (this.#state === 'killed') return;
    this.#events.push({ bus, event });
    if (this.#events.length > KEPT) this.#events.shift();
    for (const rule of this.#rules.all()) {
      if (rule.bus !== bus || !this.#rules.matches(rule, event)) continue;
      for (const target of rule.targets) this.#delivery.send(rule.name, target, event);
    }
  }

  #schedule(rule: EventRule): void {
    const key = `${rule.bus}/${rule.name}`;
    this.#schedules.get(key)?.();
    this.#schedules.delete(key);
    if (rule.schedule === undefined) return;
    const period = periodOf(rule.schedule);
    const { account, region, clock } = this.#options;
    // Counted from the start, not from the last firing, so that the schedule never drifts.
    const arm = (instant: number) => {
      const takeBack = clock.at(instant, () => {
        arm(Math.max(instant, clock.now() - ((clock.now() - instant) % period)) + period);
        const event: DeliveredEvent = {
          version: '0',
          id: randomUUID(),
          'detail-type': 'Scheduled Event',
          source: 'aws.events',
          account,
          time: eventTime(instant),
          region,
          resources: [this.#rules.arnOf(rule)],
          detail: {},
        };
        for (const target of this.#rules.targetsOf(rule)) this.#delivery.send(rule.name, target, event);
      });
      this.#schedules.set(key, takeBack);
    };
    arm(clock.now() + period);
  }
}
