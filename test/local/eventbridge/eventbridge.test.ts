import { describe, expect, it } from 'vitest';
import { Activity } from '../../../local/activity.ts';
import { VirtualClock } from '../../../local/clock.ts';
import { EventBridge } from '../../../local/eventbridge/eventbridge.ts';
import { type DeliveredEvent, type EventRule, periodOf } from '../../../local/eventbridge/rule.ts';

const START = Date.parse('2026-10-12T20:00:00.250Z');
const rule = (name: string, part: Partial<EventRule>): EventRule => ({
  name,
  bus: 'renga',
  targets: [{ id: 't', functionName: `${name}-function` }],
  ...part,
});

function bus(rules: EventRule[], fails: (attempt: number) => boolean = () => false) {
  const clock = new VirtualClock(START);
  const activity = new Activity();
  const delivered: { functionName: string; event: DeliveredEvent; at: number }[] = [];
  const events = new EventBridge({
    clock,
    activity,
    account: '111122223333',
    region: 'eu-south-1',
    rules,
    deliver: async (functionName, event) => {
      delivered.push({ functionName, event, at: (clock.now() - START) / 1000 });
      if (fails(delivered.length)) throw new Error('no room');
    },
  });
  return { clock, activity, delivered, events };
}

const entry = (part: object = {}) => ({
  Source: 'renga.deploy',
  DetailType: 'Concluded',
  Detail: '{"id":"d1"}',
  EventBusName: 'renga',
  ...part,
});

describe('PutEvents', () => {
  it('answers first, then delivers to every rule that matches', async () => {
    const { events, activity, delivered } = bus([
      rule('one', { pattern: { source: [{ prefix: 'renga.' }] } }),
      rule('two', { pattern: { detail: { id: ['d1'] } } }),
      rule('three', { pattern: { detail: { id: ['d2'] } } }),
      rule('other-bus', { bus: 'default', pattern: { source: ['renga.deploy'] } }),
    ]);
    const answer = await events.call('PutEvents', { Entries: [entry()] });
    expect(delivered).toEqual([]);
    await activity.idle();
    expect(delivered.map(({ functionName }) => functionName)).toEqual(['one-function', 'two-function']);
    expect(answer).toEqual({ FailedEntryCount: 0, Entries: [{ EventId: delivered[0]?.event.id }] });
    expect(delivered[0]?.event).toEqual({
      version: '0',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'detail-type': 'Concluded',
      source: 'renga.deploy',
      account: '111122223333',
      time: '2026-10-12T20:00:00Z',
      region: 'eu-south-1',
      resources: [],
      detail: { id: 'd1' },
    });
  });

  it('refuses a wrong entry and takes the others', async () => {
    const { events } = bus([rule('one', { pattern: { source: ['x'] } })]);
    const wrong = [
      { Detail: 'text' },
      { Detail: '[1]' },
      { Source: '' },
      { Source: 'aws.states' },
      { EventBusName: 'no' },
    ];
    const Entries = [entry(), ...wrong.map(entry)];
    expect(await events.call('PutEvents', { Entries })).toMatchObject({
      FailedEntryCount: 5,
      Entries: [
        { EventId: expect.any(String) },
        { ErrorCode: 'MalformedDetail' },
        { ErrorCode: 'MalformedDetail' },
        { ErrorCode: 'InvalidArgument' },
        { ErrorCode: 'NotAuthorizedForSourceException' },
        { ErrorCode: 'EventBusDoesNotExist' },
      ],
    });
    expect(events.events()).toHaveLength(1);
  });

  it.each([
    ['no entry', []],
    ['eleven entries', Array.from({ length: 11 }, () => entry())],
    ['more than 256 KB in bytes', [entry({ Detail: JSON.stringify({ text: '語'.repeat(87_400) }) })]],
  ])('refuses a call with %s as a whole', async (_, Entries) => {
    const { events } = bus([rule('one', { pattern: { source: ['x'] } })]);
    await expect(events.call('PutEvents', { Entries })).rejects.toMatchObject({ code: 'ValidationException' });
    expect(events.events()).toEqual([]);
  });

  it('keeps the newest 1,000 events to look at', async () => {
    const { events } = bus([rule('one', { pattern: { source: ['x'] } })]);
    for (let n = 0; n < 1005; n++) await events.call('PutEvents', { Entries: [entry({ Detail: `{"n":${n}}` })] });
    const kept = events.events().map(({ event }) => (event.detail as { n: number }).n);
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([1000, 5, 1004]);
  });
});

describe('delivery', () => {
  const rules = [rule('one', { pattern: { source: ['renga.deploy'] } })];

  async function drain({ clock, activity }: ReturnType<typeof bus>) {
    do await activity.idle();
    while (clock.step());
  }

  it('is tried again after a failure, with the same event', async () => {
    const world = bus(rules, (attempt) => attempt < 3);
    await world.events.call('PutEvents', { Entries: [entry()] });
    await drain(world);
    expect(world.delivered.map(({ at }) => at)).toEqual([0, 1, 3]);
    expect(new Set(world.delivered.map(({ event }) => event.id)).size).toBe(1);
    expect(world.events.deadLetters()).toEqual([]);
  });

  it('ends in the list of dead letters, with the reason', async () => {
    const world = bus(rules, () => true);
    await world.events.call('PutEvents', { Entries: [entry()] });
    await drain(world);
    expect(world.delivered.map(({ at }) => at)).toEqual([0, 1, 3, 7, 15, 31]);
    expect(world.events.deadLetters()).toMatchObject([
      { rule: 'one', functionName: 'one-function', attempts: 6, reason: 'no room', event: { detail: { id: 'd1' } } },
    ]);
  });

  it('stops with the engine', async () => {
    const world = bus(rules, () => true);
    await world.events.call('PutEvents', { Entries: [entry()] });
    await world.activity.idle();
    world.events.kill();
    await world.events.call('PutEvents', { Entries: [entry()] });
    await drain(world);
    expect(world.delivered).toHaveLength(1);
    expect(world.events.deadLetters()).toEqual([]);
  });

  it('gives each target a copy of its own', async () => {
    const world = bus([
      rule('one', { pattern: { source: ['renga.deploy'] } }),
      rule('two', { pattern: { source: ['renga.deploy'] } }),
    ]);
    await world.events.call('PutEvents', { Entries: [entry()] });
    await drain(world);
    const [first, second] = world.delivered;
    expect(first?.event).toEqual(second?.event);
    expect(first?.event).not.toBe(second?.event);
  });
});

describe('scheduled rules', () => {
  it('fire by the clock once started, until killed', async () => {
    const world = bus([rule('sweep', { schedule: 'rate(1 minute)' })]);
    expect(world.clock.next()).toBeUndefined();
    world.events.start();
    for (let n = 0; n < 3; n++) {
      world.clock.step();
      await world.activity.idle();
    }
    expect(world.delivered.map(({ at }) => at)).toEqual([60, 120, 180]);
    expect(world.delivered[0]?.event).toMatchObject({
      source: 'aws.events',
      'detail-type': 'Scheduled Event',
      resources: ['arn:aws:events:eu-south-1:111122223333:rule/renga/sweep'],
      time: '2026-10-12T20:01:00Z',
      detail: {},
    });
    world.events.kill();
    expect(world.clock.next()).toBeUndefined();
  });

  it.each([
    ['rate(1 minute)', 60_000],
    ['rate(5 minutes)', 300_000],
    ['rate(1 hour)', 3_600_000],
    ['rate(2 days)', 172_800_000],
  ])('%s is a period of %i ms', (schedule, milliseconds) => {
    expect(periodOf(schedule)).toBe(milliseconds);
  });

  it.each(['rate(0 minutes)', 'rate(1 minutes)', 'rate(5 minute)', 'rate(1 second)', 'cron(0 3 * * ? *)'])(
    '%s is refused when the bus is made',
    (schedule) => {
      expect(() => bus([rule('sweep', { schedule })])).toThrow(
        expect.objectContaining({ code: 'ValidationException' }),
      );
    },
  );
});

describe('rules', () => {
  it('refuse an invalid pattern when the bus is made', () => {
    expect(() => bus([rule('one', { pattern: { source: 'x' } })])).toThrow(
      expect.objectContaining({ code: 'InvalidEventPatternException' }),
    );
  });

  it('can be added while running', async () => {
    const { events, activity, delivered } = bus([]);
    await events.call('CreateEventBus', { Name: 'own' });
    const of = { EventBusName: 'own' };
    await events.call('PutRule', { Name: 'r', EventPattern: '{"source":["renga.deploy"]}', ...of });
    const Arn = 'arn:aws:lambda:eu-south-1:111122223333:function:f';
    await events.call('PutTargets', { Rule: 'r', Targets: [{ Id: '1', Arn }], ...of });
    expect(await events.call('ListTargetsByRule', { Rule: 'r', ...of })).toEqual({ Targets: [{ Id: '1', Arn }] });
    expect(await events.call('DescribeRule', { Name: 'r', ...of })).toMatchObject({
      Arn: 'arn:aws:events:eu-south-1:111122223333:rule/own/r',
    });
    await events.call('PutEvents', { Entries: [entry(of)] });
    await activity.idle();
    expect(delivered.map(({ functionName }) => functionName)).toEqual(['f']);
  });

  it('hear of AWS through the default bus, where nobody else may speak as AWS', async () => {
    const { events, activity, delivered } = bus([
      rule('lost', { bus: 'default', pattern: { source: ['aws.states'] } }),
    ]);
    events.emit('aws.states', 'Step Functions Execution Status Change', { status: 'ABORTED' });
    await activity.idle();
    expect(delivered.map(({ event }) => event.detail)).toEqual([{ status: 'ABORTED' }]);
  });

  it('are tried out without being made', async () => {
    const { events } = bus([]);
    const event = { id: '1', account: 'a', source: 's', time: 't', region: 'r', 'detail-type': 'd' };
    const test = (EventPattern: object, Event: object) =>
      events.call('TestEventPattern', { EventPattern: JSON.stringify(EventPattern), Event: JSON.stringify(Event) });
    expect(await test({ source: ['s'] }, event)).toEqual({ Result: true });
    expect(await test({ source: ['x'] }, event)).toEqual({ Result: false });
    await expect(test({ source: ['s'] }, { source: 's' })).rejects.toMatchObject({ code: 'ValidationException' });
  });
});
