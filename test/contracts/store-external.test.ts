/** What the store promises about other pipelines, over two engines that share no code. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Conclusion } from '../../store/external.ts';
import type { Store } from '../../store/store.ts';
import { type Engine, engines } from './engines.ts';
import { NOW, storeOver } from './records.ts';

const twenty = Array.from({ length: 20 }, (_, index) => index);

describe.each(engines)('other pipelines in the store over $name', ({ start }) => {
  let engine: Engine;
  let store: Store;
  beforeAll(async () => {
    engine = await start();
    ({ store } = await storeOver(engine));
  });
  afterAll(() => engine.close());

  const conclusion = (over: Partial<Conclusion> = {}): Conclusion => ({
    owner: '1/ci',
    state: 'SUCCESS',
    exports: {},
    at: NOW,
    ...over,
  });

  it('keeps the first end of each who says so', async () => {
    const id = randomUUID();
    expect(await store.external.kept(id, '1/ci')).toBeUndefined();
    expect(await store.external.keep(id, conclusion())).toBe(true);
    expect(await store.external.keep(id, conclusion({ state: 'ERROR' }))).toBe(false);
    expect(await store.external.keep(id, conclusion({ owner: '2/ci', state: 'ERROR' }))).toBe(true);
    expect(await store.external.kept(id, '1/ci')).toEqual(conclusion());
    await store.external.drop(id, '1/ci');
    expect(await store.external.kept(id, '1/ci')).toBeUndefined();
    expect(await store.external.kept(id, '2/ci')).toMatchObject({ state: 'ERROR' });
  });

  it('keeps that with the largest number, in whatever order they come', async () => {
    const id = randomUUID();
    const kept = await Promise.all(twenty.map((reportSeq) => store.external.keep(id, conclusion({ reportSeq }))));
    expect(kept.some(Boolean)).toBe(true);
    expect((await store.external.kept(id, '1/ci'))?.reportSeq).toBe(19);
    expect(await store.external.keep(id, conclusion({ reportSeq: 19 }))).toBe(false);
    expect(await store.external.keep(id, conclusion())).toBe(false);
  });

  it('has no number go over an end without one', async () => {
    const id = randomUUID();
    await store.external.keep(id, conclusion());
    expect(await store.external.keep(id, conclusion({ reportSeq: 9 }))).toBe(false);
  });

  it('binds an expectation once, whoever asks how often', async () => {
    const waiter = randomUUID();
    const answers = await Promise.all(twenty.map((n) => store.deploys.bind(waiter, 'expect:ci@1', `run-${n}`)));
    expect(new Set(answers).size).toBe(1);
    const bound = await store.deploys.boundOf(waiter, ['expect:ci@1', 'expect:ci@2', 'expect:ci@1']);
    expect([...bound]).toEqual([['expect:ci@1', answers[0]]]);
    expect((await store.deploys.boundOf(randomUUID(), ['expect:ci@1'])).size).toBe(0);
  });

  it('takes exports once where the first that says them counts', async () => {
    const id = randomUUID();
    await store.deploys.putExportsOnce(id, { host: { format: 'string', value: 'first' } });
    await store.deploys.putExportsOnce(id, { host: { format: 'string', value: 'second' } });
    expect(await store.deploys.exportsOf(id)).toEqual({ host: { format: 'string', value: 'first' } });
  });

  it('remembers the latest deploy that has begun', async () => {
    const expectation = `expect:${randomUUID()}@1`;
    await store.deploys.putBegun(expectation, 'b', NOW + 2);
    await store.deploys.putBegun(expectation, 'a', NOW + 1);
    expect((await store.deploys.begunAs([expectation])).get(expectation)).toEqual({ deploy: 'b', at: NOW + 2 });
  });

  it('notes an event once, and what was accepted stays so', async () => {
    const event = { id: randomUUID(), type: 'Deploy Started', source: 'ci', account: '1', at: NOW };
    expect(await store.inbox.has(event.id)).toBe(false);
    await store.inbox.note({ ...event, outcome: 'accepted' });
    await store.inbox.note({ ...event, outcome: 'ignored' });
    await store.inbox.note({ ...event, outcome: 'refused', reason: 'late' });
    expect(await store.inbox.has(event.id)).toBe(true);
    const page = await store.lists.keys('event', 50);
    const noted = (await store.inbox.read(page?.keys ?? [])).filter(({ id }) => id === event.id);
    expect(noted).toEqual([{ ...event, outcome: 'accepted' }]);
  });
});
