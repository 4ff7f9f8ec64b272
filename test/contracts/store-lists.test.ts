/** What the store promises about lists, and about who waits for whom, over two engines that share no code. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from '../../store/lists.ts';
import type { IndexName } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import type { Table } from '../../store/table.ts';
import { type Engine, engines } from './engines.ts';
import { bring, deployOf, NOW, releaseOf, storeOver } from './records.ts';

const MINUTE = 60_000;

describe.each(engines)('lists of the store over $name', ({ start }) => {
  let engine: Engine;
  let store: Store;
  let table: Table;
  /** Ids, newest first: pairs of the same instant, which the id puts in order. */
  const newest: string[] = [];
  const COUNT = 310;

  beforeAll(async () => {
    engine = await start();
    ({ store, table } = await storeOver(engine));
    const deploys = Array.from({ length: COUNT }, (_, index) => {
      const createdAt = NOW + Math.floor(index / 2) * MINUTE;
      const application = index % 3 === 0 ? 'constructor' : 'api';
      const id = `d${String(index).padStart(4, '0')}`;
      newest.unshift(id);
      return deployOf(id, { application, createdAt });
    });
    await Promise.all(deploys.map((deploy) => store.deploys.create(deploy)));
    await Promise.all(
      Array.from({ length: 7 }, (_, n) => store.releases.create(releaseOf(`r${n}`, { createdAt: NOW + n }))),
    );
  });
  afterAll(() => engine.close());

  async function pages(index: IndexName, partition: string, limit: number): Promise<(readonly string[])[]> {
    const found: (readonly string[])[] = [];
    let cursor: string | undefined;
    do {
      const page: Page | undefined = await store.lists.page(index, partition, limit, cursor);
      if (page === undefined) throw new Error(`its own cursor ${cursor} was refused`);
      found.push(page.ids);
      cursor = page.cursor;
    } while (cursor !== undefined);
    return found;
  }

  it.each([1000, 100, 7])('have every deploy once, newest first, in pages of %i', async (limit) => {
    const found = await pages('byTime', 'deploy', limit);
    expect(found.flat()).toEqual(newest);
    expect(found.every((ids) => ids.length <= limit)).toBe(true);
  });

  it('have releases apart from deploys', async () => {
    expect((await pages('byTime', 'release', 3)).flat()).toEqual(['r6', 'r5', 'r4', 'r3', 'r2', 'r1', 'r0']);
  });

  it('have the deploys of an application, whatever it is called', async () => {
    const own = newest.filter((id) => Number(id.slice(1)) % 3 === 0);
    expect((await pages('byApplication', 'constructor', 50)).flat()).toEqual(own);
    expect((await pages('byApplication', '__proto__', 50)).flat()).toEqual([]);
  });

  it('have a deploy in the state that it is in, and in no other', async () => {
    const id = newest.at(-1) ?? '';
    const row = await store.deploys.read(id);
    if (row === undefined) throw new Error('it is gone');
    await bring(store, row.deploy, 'RUNNING');
    expect((await pages('byState', 'deploy#RUNNING', 50)).flat()).toEqual([id]);
    expect((await pages('byState', 'deploy#ENQUEUED', 50)).flat()).toEqual(newest.filter((other) => other !== id));
  });

  it('go on where they were although newer ones have come, and leave none out', async () => {
    const first = await store.lists.page('byApplication', 'api', 20);
    await store.deploys.create(deployOf('z-newer', { createdAt: NOW + 10_000 * MINUTE }));
    const second = await store.lists.page('byApplication', 'api', 20, first?.cursor);
    const own = newest.filter((id) => Number(id.slice(1)) % 3 !== 0);
    expect([...(first?.ids ?? []), ...(second?.ids ?? [])]).toEqual(own.slice(0, 40));
    await table.delete({ pk: 'D#z-newer', sk: 'HEAD' });
  });

  it('go on although the deploy that the cursor stands at is gone', async () => {
    for (const id of ['gone-1', 'gone-2', 'gone-3']) await store.deploys.create(deployOf(id, { application: 'gone' }));
    const first = await store.lists.page('byApplication', 'gone', 2);
    expect(first?.ids).toEqual(['gone-3', 'gone-2']);
    await table.delete({ pk: 'D#gone-2', sk: 'HEAD' });
    expect((await store.lists.page('byApplication', 'gone', 2, first?.cursor))?.ids).toEqual(['gone-1']);
    for (const id of ['gone-1', 'gone-3']) await table.delete({ pk: `D#${id}`, sk: 'HEAD' });
  });

  describe('refuse a cursor', () => {
    const sealed = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const key = { pk: 'D#d0001', sk: 'HEAD', list: 'deploy', listAt: '2026-10-01T00:00:00.000Z#d0001' };
    const { pk: _, ...withoutKey } = key;
    it.each([
      ['that is no text of ours', 'nonsense'],
      ['that is empty', ''],
      ['that is no JSON', Buffer.from('{').toString('base64url')],
      ['that is a list', sealed([])],
      ['that is nothing', sealed(null)],
      ['with nothing in it', sealed({})],
      ['with a part missing', sealed(withoutKey)],
      ['with a part too many', sealed({ ...key, more: 'x' })],
      ['with a part of another type', sealed({ ...key, listAt: 5 })],
      ['with an empty part', sealed({ ...key, pk: '' })],
      ['with a part that is too long', sealed({ ...key, pk: `D#${'x'.repeat(3000)}` })],
      ['of another list', sealed({ ...key, list: 'release' })],
      ['with deeper parts', sealed({ ...key, pk: { S: 'x' } })],
      ['with what objects have by nature', Buffer.from('{"__proto__":{"pk":"x"}}').toString('base64url')],
    ])('%s', async (_, cursor) => {
      expect(await store.lists.page('byTime', 'deploy', 5, cursor)).toBeUndefined();
      expect(await store.lists.places(5, cursor)).toBeUndefined();
    });

    it('of another filter', async () => {
      const page = await store.lists.page('byApplication', 'api', 5);
      expect(page?.cursor).toBeDefined();
      expect(await store.lists.page('byApplication', 'constructor', 5, page?.cursor)).toBeUndefined();
      expect(await store.lists.page('byTime', 'deploy', 5, page?.cursor)).toBeUndefined();
    });
  });

  it('have every place with something current once', async () => {
    const names = Array.from({ length: 130 }, (_, n) =>
      n === 4 ? 'constructor' : `app-${String(n).padStart(3, '0')}`,
    );
    for (const application of names) {
      const artifact = { type: 'application', name: 'api', version: '1' };
      const where = { application, environment: 'prod' };
      await store.inventory.publish({ ...where, deploy: 'd', artifact, plugin: 'command', configuration: 'c' }, NOW);
    }
    const found: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await store.lists.places(50, cursor);
      if (page === undefined) throw new Error('its own cursor was refused');
      found.push(...page.items.map(({ where }) => (where as { application: string }).application));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(found).toEqual([...names].sort());
  });

  it("have in the sweep's what is due, the longest overdue first", async () => {
    expect(await store.lists.due('deploy', NOW - 1, 10)).toEqual([]);
    const due = await store.lists.due('deploy', NOW + 5_000 + 4 * MINUTE, 500);
    expect([...due].sort()).toEqual(newest.slice(-10).sort());
    expect((await store.lists.due('deploy', NOW + 5_000 + 400 * MINUTE, 6)).sort()).toEqual(newest.slice(-6).sort());
  });

  describe('who waits for a deploy', () => {
    it('is everyone who registered and nobody else, once', async () => {
      await store.deploys.registerWaiter('w1', ['a', 'b']);
      await store.deploys.registerWaiter('w1', ['a']);
      await store.deploys.registerWaiter('w2', ['a', 'a2']);
      expect(await store.deploys.waitersOf('a')).toEqual(['w1', 'w2']);
      expect(await store.deploys.waitersOf('b')).toEqual(['w1']);
      expect(await store.deploys.waitersOf('a2')).toEqual(['w2']);
      expect(await store.deploys.waitersOf('none')).toEqual([]);
      await store.deploys.forgetWaiters('a', ['w1', 'never-registered']);
      await store.deploys.forgetWaiters('a', []);
      expect(await store.deploys.waitersOf('a')).toEqual(['w2']);
      expect(await store.deploys.waitersOf('b')).toEqual(['w1']);
    });

    it('is everyone, also when they fill more than one page of the table', async () => {
      // A page ends at 1 MB; a waiter of the longest ids takes about 350 bytes.
      const id = 'x'.repeat(150);
      const waiters = Array.from({ length: 3500 }, (_, n) => `${'w'.repeat(154)}${String(n).padStart(5, '0')}`);
      for (let from = 0; from < waiters.length; from += 25) {
        await Promise.all(waiters.slice(from, from + 25).map((waiter) => store.deploys.registerWaiter(waiter, [id])));
      }
      expect(await store.deploys.waitersOf(id)).toEqual(waiters);
      await store.deploys.forgetWaiters(id, waiters.slice(0, 3000));
      expect(await store.deploys.waitersOf(id)).toEqual(waiters.slice(3000));
    }, 120_000);
  });
});
