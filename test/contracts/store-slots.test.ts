/** What the store promises about the slots of an environment, over two engines that share no code. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Waiting } from '../../store/slots.ts';
import type { Store } from '../../store/store.ts';
import { type Engine, engines } from './engines.ts';
import { deployOf, storeOver } from './records.ts';

const RACES = 500;
const anybody = () => true;

describe.each(engines)('slots in the store over $name', ({ start }) => {
  let engine: Engine;
  let store: Store;
  beforeAll(async () => {
    engine = await start();
    ({ store } = await storeOver(engine));
  });
  afterAll(() => engine.close());

  const join = async (environment: string, deploy: string, more: Partial<Waiting> = {}) => {
    const ticket = await store.slots.ticket(environment);
    const waiting = { deploy, place: `place-of-${deploy}`, rank: 1, ticket, exempt: false, ...more };
    await store.slots.join(environment, waiting);
    return waiting;
  };
  const grant = async (environment: string, slots: number, eligible: (waiting: Waiting) => boolean = anybody) =>
    (await store.slots.grant(environment, slots, eligible)).granted.map(({ deploy }) => deploy);
  const holders = async (environment: string) => (await store.slots.holders(environment)).map(({ deploy }) => deploy);
  const line = async (environment: string) => (await store.slots.line(environment)).map(({ deploy }) => deploy);

  it('go to the first in line, lower ranks before higher', async () => {
    const prod = randomUUID();
    for (const deploy of ['a', 'b', 'c']) await join(prod, deploy);
    await join(prod, 'back', { rank: 0 });
    expect(await grant(prod, 2)).toEqual(['back', 'a']);
    expect(await line(prod)).toEqual(['b', 'c']);
    expect(await grant(prod, 2)).toEqual([]);
    expect(await store.slots.free(prod, new Set(['back']))).toBe(true);
    expect(await store.slots.free(prod, new Set(['back']))).toBe(false);
    expect(await grant(prod, 2)).toEqual(['b']);
    expect(await holders(prod)).toEqual(['a', 'b']);
  });

  it('go past whoever is not let, or whose place has one', async () => {
    const prod = randomUUID();
    await join(prod, 'a1', { place: 'a' });
    await join(prod, 'a2', { place: 'a' });
    await join(prod, 'frozen');
    await join(prod, 'b', { exempt: true });
    expect(await grant(prod, 3, ({ deploy }) => deploy !== 'frozen')).toEqual(['a1', 'b']);
    expect(await line(prod)).toEqual(['a2', 'frozen']);
  });

  it('are found for somebody behind any number of others who may not have one', async () => {
    const prod = randomUUID();
    const all = Array.from({ length: 600 }, (_, index) => index);
    await Promise.all(all.map((index) => join(prod, `held-${index}`)));
    await join(prod, 'urgent', { exempt: true });
    expect(await grant(prod, 1, ({ exempt }) => exempt)).toEqual(['urgent']);
  });

  it('are counted beyond the limit for what ran already, and come free one by one', async () => {
    const prod = randomUUID();
    for (const deploy of ['x', 'y', 'x']) await store.slots.count(prod, { deploy, place: deploy });
    expect(await holders(prod)).toEqual(['x', 'y']);
    await join(prod, 'a');
    expect(await grant(prod, 1)).toEqual([]);
    await store.slots.free(prod, new Set(['x']));
    expect(await grant(prod, 1)).toEqual([]);
    await store.slots.free(prod, new Set(['y']));
    expect(await grant(prod, 1)).toEqual(['a']);
  });

  it('take whoever was cut off out of the line at the next look', async () => {
    const prod = randomUUID();
    const cut = await join(prod, 'a');
    await grant(prod, 2);
    // As if the writer had died between the slot and the line.
    await store.slots.join(prod, cut);
    await join(prod, 'b');
    expect(await grant(prod, 2)).toEqual(['b']);
    expect(await line(prod)).toEqual([]);
    expect(await holders(prod)).toEqual(['a', 'b']);
  });

  it(`never go to both of two who race for one, ${RACES} times`, async () => {
    const prod = randomUUID();
    for (let race = 0; race < RACES; race++) {
      const both = [`a${race}`, `b${race}`];
      const answers = await Promise.all(
        both.map(async (deploy) => {
          await join(prod, deploy);
          return grant(prod, 1);
        }),
      );
      const [holder, second] = await holders(prod);
      expect(second, `race ${race}`).toBeUndefined();
      expect(answers.flat(), `race ${race}`).toEqual([holder]);
      const other = both.find((deploy) => deploy !== holder) as string;
      await store.slots.free(prod, new Set([holder as string]));
      expect(await grant(prod, 1), `race ${race}`).toEqual([other]);
      await store.slots.free(prod, new Set([other]));
    }
    expect(await line(prod)).toEqual([]);
  }, 120_000);

  it('are never more than there are while forty come and go at once, and reach every one', async () => {
    const prod = randomUUID();
    const done = new Set<string>();
    let most = 0;
    const run = async (deploy: string): Promise<void> => {
      most = Math.max(most, (await holders(prod)).length);
      done.add(deploy);
      await store.slots.free(prod, new Set([deploy]));
      await Promise.all((await grant(prod, 3)).map(run));
    };
    await Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        await join(prod, `d${index}`);
        await Promise.all((await grant(prod, 3)).map(run));
      }),
    );
    expect(most).toBeLessThanOrEqual(3);
    expect(done.size).toBe(40);
    expect([...(await holders(prod)), ...(await line(prod))]).toEqual([]);
  });

  it('leave a deploy the first ticket that it was given', async () => {
    const deploy = deployOf(randomUUID());
    await store.deploys.create(deploy);
    const { id } = deploy.identity;
    const tickets = await Promise.all([1, 2, 3].map((number) => store.deploys.takeTicket(id, { rank: 1, number })));
    expect(new Set(tickets.map((ticket) => ticket?.number)).size).toBe(1);
    expect((await store.deploys.read(id))?.ticket).toEqual(tickets[0]);
    expect(await store.deploys.takeTicket(randomUUID(), { rank: 1, number: 1 })).toBeUndefined();
  });
});
