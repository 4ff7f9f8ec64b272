import { AwsError } from '../aws-service.ts';
import { compilePattern } from './matcher.ts';
import { busName } from './put-events.ts';
import { type DeliveredEvent, type EventRule, periodOf, type RuleTarget } from './rule.ts';
import { compilePatternText } from './test-event-pattern.ts';

type Input = Readonly<Record<string, unknown>>;

interface Entry {
  rule: EventRule;
  matches: (event: unknown) => boolean;
}

/** The buses and their rules, with the operations that read and change them. */
export class RuleBook {
  readonly #buses = new Set(['default']);
  readonly #entries = new Map<string, Entry>();
  readonly #arn: string;

  constructor(account: string, region: string, rules: readonly EventRule[]) {
    this.#arn = `arn:aws:events:${region}:${account}`;
    for (const rule of rules) {
      this.#buses.add(rule.bus);
      this.#set(rule);
    }
  }

  all(): EventRule[] {
    return [...this.#entries.values()].map(({ rule }) => rule);
  }

  hasBus(name: string): boolean {
    return this.#buses.has(name);
  }

  matches(rule: EventRule, event: DeliveredEvent): boolean {
    return this.#entries.get(keyOf(rule.bus, rule.name))?.matches(event) ?? false;
  }

  /** The targets a rule has now, which may be more than when it was scheduled. */
  targetsOf(rule: EventRule): readonly RuleTarget[] {
    return this.#entries.get(keyOf(rule.bus, rule.name))?.rule.targets ?? [];
  }

  arnOf({ bus, name }: EventRule): string {
    return `${this.#arn}:rule/${bus === 'default' ? '' : `${bus}/`}${name}`;
  }

  put(input: Input): { rule: EventRule; answer: unknown } {
    const bus = this.#bus(input);
    const name = nameIn(input);
    const { EventPattern: pattern, ScheduleExpression: schedule } = input;
    if (pattern === undefined && schedule === undefined) {
      throw new AwsError('ValidationException', 'Parameter(s) EventPattern or ScheduleExpression must be specified.');
    }
    if (pattern !== undefined) compilePatternText(pattern);
    const rule: EventRule = {
      name,
      bus,
      ...(pattern === undefined ? {} : { pattern: JSON.parse(String(pattern)) }),
      ...(schedule === undefined ? {} : { schedule: String(schedule) }),
      targets: this.#entries.get(keyOf(bus, name))?.rule.targets ?? [],
    };
    this.#set(rule);
    return { rule, answer: { RuleArn: this.arnOf(rule) } };
  }

  putTargets(input: Input): unknown {
    const entry = this.#entry(input, input.Rule);
    const given = (Array.isArray(input.Targets) ? input.Targets : []) as { Id: string; Arn: string }[];
    const targets = given.map(({ Id, Arn }) => ({ id: Id, functionName: Arn.replace(/^arn:.*:function:/, '') }));
    const others = entry.rule.targets.filter(({ id }) => !targets.some((target) => target.id === id));
    entry.rule = { ...entry.rule, targets: [...others, ...targets] };
    return { FailedEntryCount: 0, FailedEntries: [] };
  }

  list(input: Input): unknown {
    const bus = this.#bus(input);
    const prefix = String(input.NamePrefix ?? '');
    return {
      Rules: this.all()
        .filter((rule) => rule.bus === bus && rule.name.startsWith(prefix))
        .map((rule) => this.#described(rule)),
    };
  }

  describe(input: Input): unknown {
    return this.#described(this.#entry(input, input.Name).rule);
  }

  listTargets(input: Input): unknown {
    return {
      Targets: this.#entry(input, input.Rule).rule.targets.map(({ id, functionName }) => ({
        Id: id,
        Arn: `${this.#arn.replace(':events:', ':lambda:')}:function:${functionName}`,
      })),
    };
  }

  listBuses(input: Input): unknown {
    const prefix = String(input.NamePrefix ?? '');
    return {
      EventBuses: [...this.#buses]
        .filter((name) => name.startsWith(prefix))
        .map((Name) => ({ Name, Arn: `${this.#arn}:event-bus/${Name}` })),
    };
  }

  createBus(input: Input): unknown {
    const name = nameIn(input);
    if (this.#buses.has(name)) {
      throw new AwsError('ResourceAlreadyExistsException', `Event bus ${name} already exists.`);
    }
    this.#buses.add(name);
    return { EventBusArn: `${this.#arn}:event-bus/${name}` };
  }

  #set(rule: EventRule): void {
    if (rule.schedule !== undefined) periodOf(rule.schedule);
    const matches = rule.pattern === undefined ? () => false : compilePattern(rule.pattern);
    this.#entries.set(keyOf(rule.bus, rule.name), { rule, matches });
  }

  #bus(input: Input): string {
    const bus = busName(input.EventBusName);
    if (!this.#buses.has(bus)) {
      throw new AwsError('ResourceNotFoundException', `Event bus ${bus} does not exist.`);
    }
    return bus;
  }

  #entry(input: Input, name: unknown): Entry {
    const bus = this.#bus(input);
    const entry = this.#entries.get(keyOf(bus, String(name)));
    if (entry === undefined) {
      throw new AwsError('ResourceNotFoundException', `Rule ${name} does not exist on EventBus ${bus}.`);
    }
    return entry;
  }

  #described(rule: EventRule): unknown {
    return {
      Name: rule.name,
      Arn: this.arnOf(rule),
      EventPattern: rule.pattern === undefined ? undefined : JSON.stringify(rule.pattern),
      ScheduleExpression: rule.schedule,
      State: 'ENABLED',
      EventBusName: rule.bus,
    };
  }
}

function keyOf(bus: string, name: string): string {
  return `${bus}/${name}`;
}

function nameIn(input: Input): string {
  const { Name: name } = input;
  if (typeof name !== 'string' || !/^[.\-_A-Za-z0-9]{1,256}$/.test(name)) {
    throw new AwsError('ValidationException', `Parameter Name is not valid: ${JSON.stringify(name)}`);
  }
  return name;
}
