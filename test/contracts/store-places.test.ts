/** What the store promises about a place, where one deploy at a time runs, over two engines that share no code. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entryOf, type Publication } from '../../store/inventory.ts';
import type { Store } from '../../store/store.ts';
import { type Engine, engines } from './engines.ts';
import { bring, deployOf, NOW, storeOver } from './records.ts';

const twenty = Array.from({ length: 20 }, (_, index) => index);

describe.each(engines)('a place in the store over $name', ({ start }) => {
  let engine: Engine;
  let store: Store;
  beforeAll(async () => {
    engine = await start();
    ({ store } = await storeOver(engine));
  });
  afterAll(() => engine.close());

  const place = () => ({ application: `a-${randomUUID()}`, environment: 'prod' });
  const publication = (
    where: { application: string; environment: string; tenant?: string },
    deploy: string,
    name = 'api',
  ): Publication => ({
    ...where,
    deploy,
    artifact: { type: 'application', name, version: deploy },
    plugin: 'command',
    configuration: `configuration-of-${deploy}`,
  });

  describe('the inventory', () => {
    it('numbers revisions, and each knows what was current before of the same artifact', async () => {
      const where = place();
      const order = ['api', 'schema', 'api', 'schema', 'api'];
      const numbers: number[] = [];
      for (const [index, artifact] of order.entries()) {
        numbers.push(await store.inventory.publish(publication(where, `d${index + 1}`, artifact), NOW + index));
      }
      expect(numbers).toEqual([1, 2, 3, 4, 5]);
      const revisions = await Promise.all(numbers.map((number) => store.inventory.revision(where, number)));
      expect(revisions.map((revision) => revision?.previous)).toEqual([undefined, undefined, 1, 2, 3]);
      expect(revisions[4]).toEqual({
        number: 5,
        deploy: 'd5',
        artifact: { type: 'application', name: 'api', version: 'd5' },
        plugin: 'command',
        configuration: 'configuration-of-d5',
        at: NOW + 4,
        previous: 3,
      });
      const current = await store.inventory.current(where);
      // A map has no order: each engine gives its own.
      expect(current).toMatchObject({ api: { deploy: 'd5', revision: 5 }, schema: { deploy: 'd4', revision: 4 } });
      expect(Object.keys(current)).toHaveLength(2);
      expect(await store.inventory.revision(where, 6)).toBeUndefined();
    });

    it('takes a publication once, by however many and however often it is made', async () => {
      const where = place();
      await store.inventory.publish(publication(where, 'first'), NOW);
      const numbers = await Promise.all(
        twenty.map((n) => store.inventory.publish(publication(where, 'second'), NOW + n)),
      );
      expect(new Set(numbers)).toEqual(new Set([2]));
      expect(await store.inventory.publish(publication(where, 'third'), NOW)).toBe(3);
      expect(await store.inventory.publish(publication(where, 'second'), NOW + 1000)).toBe(2);
      expect((await store.inventory.revision(where, 2))?.previous).toBe(1);
      expect((await store.inventory.revision(where, 3))?.previous).toBe(2);
      expect((await store.inventory.current(where)).api?.deploy).toBe('third');
      expect(await store.inventory.revision(where, 4)).toBeUndefined();
    });

    it('keeps the instant of the first publication when it is repeated', async () => {
      const where = place();
      await store.inventory.publish(publication(where, 'first'), NOW);
      const { at } = (await store.inventory.revision(where, 1)) ?? {};
      await store.inventory.publish(publication(where, 'first'), NOW + 5000);
      expect((await store.inventory.revision(where, 1))?.at).toBe(at);
    });

    it('gives each of twenty at the same time a number of its own, in one line', async () => {
      const where = place();
      const numbers = await Promise.all(twenty.map((n) => store.inventory.publish(publication(where, `d${n}`), NOW)));
      expect(numbers.toSorted((a, b) => a - b)).toEqual(twenty.map((n) => n + 1));
      const revisions = await Promise.all(twenty.map((n) => store.inventory.revision(where, n + 1)));
      expect(revisions.map((revision) => revision?.previous)).toEqual([
        undefined,
        ...twenty.slice(0, -1).map((n) => n + 1),
      ]);
      expect((await store.inventory.current(where)).api?.revision).toBe(20);
    });

    it('takes a publication once although fifty and more came after it', async () => {
      const where = place();
      const early = deployOf(`early-${randomUUID()}`, where);
      const { id } = early.identity;
      await store.deploys.create(early);
      await store.inventory.publish(publication(where, 'before'), NOW);
      await store.inventory.publish(publication(where, id), NOW);
      await bring(store, early, 'SUCCESS', 2);
      for (let n = 0; n < 60; n++) await store.inventory.publish(publication(where, `later-${n}`), NOW);
      expect(await store.inventory.publish(publication(where, id), NOW)).toBe(2);
      expect((await store.inventory.current(where)).api).toMatchObject({ deploy: 'later-59', revision: 62 });
      expect((await store.inventory.revision(where, 2))?.previous).toBe(1);
      expect(await store.inventory.publish(publication(where, 'next'), NOW)).toBe(63);
    });

    it('keeps tenants, environments and applications apart, whatever they are called', async () => {
      const application = `a-${randomUUID()}`;
      const places = [
        { application, environment: 'prod' },
        { application, environment: 'prod', tenant: 'constructor' },
        { application, environment: 'constructor' },
        { application: 'constructor', environment: application },
        { application: 'hasownproperty', environment: application, tenant: 'tostring' },
      ];
      for (const [index, where] of places.entries()) {
        expect(await store.inventory.current(where)).toEqual({});
        await store.inventory.publish(publication(where, `d${index}`), NOW);
      }
      for (const [index, where] of places.entries()) {
        expect((await store.inventory.current(where)).api).toMatchObject({ deploy: `d${index}`, revision: 1 });
      }
    });

    it('takes artifacts that are called like what objects have by nature', async () => {
      const where = place();
      expect(entryOf(await store.inventory.current(where), 'constructor')).toBeUndefined();
      const names = ['constructor', 'valueof', 'hasownproperty'];
      for (const name of names) await store.inventory.publish(publication(where, `d-${name}`, name), NOW);
      await store.inventory.publish(publication(where, 'again', 'constructor'), NOW);
      const current = await store.inventory.current(where);
      expect(entryOf(current, 'constructor')).toMatchObject({ deploy: 'again', revision: 4 });
      expect(entryOf(current, 'valueof')?.deploy).toBe('d-valueof');
      expect((await store.inventory.revision(where, 1))?.previous).toBeUndefined();
      expect((await store.inventory.revision(where, 4))?.previous).toBe(1);
    });
  });

  describe('the turn', () => {
    const takes = (at: string, deploy: string, urgent = false) => store.turns.take(at, deploy, { urgent });

    it('goes to the first, then in the order of the line', async () => {
      const at = randomUUID();
      expect(await takes(at, 'a')).toBe(true);
      for (const deploy of ['b', 'c', 'd']) expect(await takes(at, deploy)).toBe(false);
      expect(await takes(at, 'a')).toBe(true);
      expect(await takes(at, 'b')).toBe(false);
      expect(await store.turns.give(at, 'a')).toBe('b');
      expect(await store.turns.give(at, 'b')).toBe('c');
      expect(await store.turns.give(at, 'c')).toBe('d');
      expect(await store.turns.give(at, 'd')).toBeUndefined();
      expect(await takes(at, 'e')).toBe(true);
    });

    it('goes to rollbacks before whoever waits, and among them to the first', async () => {
      const at = randomUUID();
      await takes(at, 'a');
      await takes(at, 'b');
      await takes(at, 'back-1', true);
      await takes(at, 'c');
      await takes(at, 'back-2', true);
      await takes(at, 'back-1', true);
      const order: (string | undefined)[] = [];
      let holder: string | undefined = 'a';
      while (holder !== undefined) {
        holder = await store.turns.give(at, holder);
        order.push(holder);
      }
      expect(order).toEqual(['back-1', 'back-2', 'b', 'c', undefined]);
    });

    it('is not given by who does not hold it, but a place in line is', async () => {
      const at = randomUUID();
      await takes(at, 'a');
      await takes(at, 'b');
      await takes(at, 'c');
      expect(await store.turns.give(at, 'b')).toBeUndefined();
      expect(await store.turns.give(at, 'stranger')).toBeUndefined();
      expect((await store.turns.read(at)).holder).toBe('a');
      expect(await store.turns.give(at, 'a')).toBe('c');
    });

    it('given twice moves once', async () => {
      const at = randomUUID();
      await takes(at, 'a');
      await takes(at, 'b');
      await takes(at, 'c');
      const next = await Promise.all(twenty.map(() => store.turns.give(at, 'a')));
      expect(next.filter((deploy) => deploy !== undefined)).toEqual(['b']);
      expect(await store.turns.read(at)).toMatchObject({ holder: 'b', waiting: ['c'] });
    });

    it('is taken again by the holder that asks again after a crash, and by nobody else', async () => {
      const at = randomUUID();
      await takes(at, 'a');
      await takes(at, 'b');
      await store.turns.give(at, 'a');
      expect(await takes(at, 'b')).toBe(true);
      expect(await takes(at, 'a')).toBe(false);
    });

    it('has one holder of twenty who take it at the same time, and reaches every one', async () => {
      const at = randomUUID();
      const deploys = twenty.map((n) => `d${n}`);
      const answers = await Promise.all(deploys.map((deploy) => takes(at, deploy)));
      expect(answers.filter((answer) => answer)).toHaveLength(1);
      const first = deploys[answers.indexOf(true)];
      const line = await store.turns.read(at);
      expect(line.holder).toBe(first);
      expect([first, ...line.waiting].sort()).toEqual([...deploys].sort());

      const held = [first];
      for (let holder = first; holder !== undefined; ) {
        holder = await store.turns.give(at, holder);
        if (holder !== undefined) held.push(holder);
      }
      expect(held).toEqual([first, ...line.waiting]);
    });

    it('has one holder at a time while all take and give at the same time', async () => {
      const at = randomUUID();
      let holding = 0;
      const waiting = new Map<string, () => void>();
      await Promise.all(
        twenty.map(async (n) => {
          const deploy = `d${n}`;
          const woken = new Promise<void>((resolve) => waiting.set(deploy, resolve));
          if (!(await takes(at, deploy, n % 5 === 0))) await woken;
          holding++;
          expect(holding).toBe(1);
          expect((await store.turns.read(at)).holder).toBe(deploy);
          holding--;
          const next = await store.turns.give(at, deploy);
          if (next !== undefined) waiting.get(next)?.();
        }),
      );
      expect(await store.turns.read(at)).toMatchObject({ waiting: [] });
      expect((await store.turns.read(at)).holder).toBeUndefined();
    });
  });
});
