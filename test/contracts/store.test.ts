/** What the store promises about single records, over two engines that share no code. */
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Decision } from '../../core/deploy/deploy.ts';
import { Bodies } from '../../store/bodies.ts';
import { keys } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import type { Table } from '../../store/table.ts';
import { type Engine, engines } from './engines.ts';
import { bring, decided, decidedRelease, deployOf, FAILURE, NOW, releaseOf, storeOver } from './records.ts';

const LATER = NOW + 365 * 24 * 3600 * 1000;
const twenty = Array.from({ length: 20 }, (_, index) => index);

describe.each(engines)('the store over $name', ({ start }) => {
  let engine: Engine;
  let store: Store;
  let table: Table;
  beforeAll(async () => {
    engine = await start();
    ({ store, table } = await storeOver(engine));
  });
  afterAll(() => engine.close());

  const fresh = () => `d-${randomUUID()}`;
  const created = async (id = fresh()) => {
    const deploy = deployOf(id);
    await store.deploys.create(deploy);
    return deploy;
  };
  const due = (kind: 'deploy' | 'release') => store.lists.due(kind, LATER, 1000);

  describe('a deploy', () => {
    it('is created once by twenty who try at the same time', async () => {
      const id = fresh();
      const answers = await Promise.all(
        twenty.map((n) => store.deploys.create(deployOf(id, { submittedBy: `user-${n}` }))),
      );
      expect(answers.filter((answer) => answer)).toHaveLength(1);
      const winner = `user-${answers.indexOf(true)}`;
      expect((await store.deploys.read(id))?.deploy.identity.submittedBy).toBe(winner);
    });

    it('reads as it was written', async () => {
      const deploy = deployOf(fresh(), {
        tenant: 'retail',
        after: ['a', 'b'],
        release: { id: 'r', attempt: 2, name: 'api' },
        restores: { revision: 3, configuration: 'c' },
      });
      await store.deploys.create(deploy);
      expect(await store.deploys.read(deploy.identity.id)).toEqual({ deploy, remaining: new Set(), sweeps: 0 });
    });

    it('is decided by one of two who read the same, and the other decides anew', async () => {
      const deploy = await bring(store, await created(), 'RUNNING');
      const succeeded = decided(deploy, { type: 'succeeded' });
      const failed = decided(deploy, { type: 'failed', failure: FAILURE });
      const rows = await Promise.all([store.deploys.decide(deploy, succeeded), store.deploys.decide(deploy, failed)]);
      expect(rows.filter((row) => row !== undefined)).toHaveLength(1);

      const won = rows[0] === undefined ? failed : succeeded;
      const { deploy: now } = (await store.deploys.read(deploy.identity.id)) ?? {};
      expect(now).toEqual(won);
    });

    it('is decided in one line by twenty who each read again when they lose', async () => {
      const release = releaseOf(`r-${randomUUID()}`);
      await store.releases.create(release);
      await Promise.all(
        twenty.map(async (n) => {
          for (;;) {
            const row = await store.releases.read(release.identity.id);
            if (row === undefined) throw new Error('it is gone');
            const paused = row.release.status.state === 'PENDING' && row.release.status.paused;
            const next = decidedRelease(row.release, { type: paused ? 'resume' : 'pause', reason: `${n}` });
            if ((await store.releases.decide(row.release, next)) !== undefined) return;
          }
        }),
      );
      const row = await store.releases.read(release.identity.id);
      expect(row?.release.seq).toBe(21);
      expect(row?.release.pending.map(({ seq }) => seq)).toEqual(Array.from({ length: 21 }, (_, n) => n + 1));
      expect(new Set(row?.release.pending.slice(1).map(({ why }) => why)).size).toBe(20);
    });

    it('keeps the tokens noted before a decision, and the decision made before a token', async () => {
      const deploy = await created();
      const { id } = deploy.identity;
      await store.deploys.attach(id, { branchToken: 'branch', wait: { token: 'w', for: 'turn' } });
      await bring(store, deploy, 'RUNNING');
      const row = await store.deploys.attach(id, { jobToken: 'job', configuration: 'c' });
      expect(row).toMatchObject({
        deploy: { status: { state: 'RUNNING' }, seq: 2 },
        branchToken: 'branch',
        wait: { token: 'w', for: 'turn' },
        jobToken: 'job',
        configuration: 'c',
      });
      expect(await store.deploys.read(id)).toEqual(row);
    });

    it('loses neither when a token is noted and a decision is made at the same time', async () => {
      for (const _ of twenty) {
        const deploy = await created();
        const { id } = deploy.identity;
        const next = decided(deploy, { type: 'cancel', reason: 'because' });
        const [attached, written] = await Promise.all([
          store.deploys.attach(id, { branchToken: 'branch' }),
          store.deploys.decide(deploy, next),
        ]);
        expect(await store.deploys.read(id)).toMatchObject({ deploy: next, branchToken: 'branch' });
        // Either the one who noted the token sees the end, or the one who wrote the end sees the token (I7).
        expect(attached?.deploy.status.state === 'CANCELLED' || written?.branchToken === 'branch').toBe(true);
      }
    });

    it('that does not exist takes no token and no decision, and does not come to exist by them', async () => {
      const ghost = deployOf(fresh());
      const { id } = ghost.identity;
      expect(await store.deploys.attach(id, { branchToken: 'branch' })).toBeUndefined();
      expect(await store.deploys.dependenciesSucceeded(id, ['other'])).toBeUndefined();
      expect(await store.deploys.decide(ghost, decided(ghost, { type: 'started' }))).toBeUndefined();
      expect(await store.deploys.read(id)).toBeUndefined();
    });

    it('waits for what remains, whoever takes it out and however often', async () => {
      const { id } = (await created()).identity;
      const names = twenty.map((n) => `dependency-${n}`);
      await store.deploys.attach(id, { remaining: new Set(names) });
      const rows = await Promise.all(
        [...names, ...names].map((name) => store.deploys.dependenciesSucceeded(id, [name])),
      );
      expect(rows.filter((row) => row?.remaining.size === 0).length).toBeGreaterThan(0);
      expect((await store.deploys.read(id))?.remaining).toEqual(new Set());
      expect((await store.deploys.dependenciesSucceeded(id, ['dependency-0']))?.remaining).toEqual(new Set());
      expect((await store.deploys.attach(id, { remaining: new Set() }))?.remaining).toEqual(new Set());
    });

    it('keeps its exports, whatever they are called', async () => {
      const id = fresh();
      expect(await store.deploys.exportsOf(id)).toEqual({});
      const texts = { constructor: 'c', tostring: '', url: 'https://x/?ä=語', long: 'x'.repeat(64 * 1024) };
      const values = Object.fromEntries(
        Object.entries(texts).map(([name, value]) => [name, { format: 'string' as const, value }]),
      );
      await store.deploys.putExports(id, values);
      expect(await store.deploys.exportsOf(id)).toEqual(values);
    });

    it('is found among several hundred by many ids at once, those that exist and each once', async () => {
      const deploys = Array.from({ length: 230 }, () => deployOf(fresh()));
      await Promise.all(deploys.map((deploy) => store.deploys.create(deploy)));
      const ids = deploys.map(({ identity }) => identity.id);
      const found = await store.deploys.readMany([...ids, ...ids, 'absent']);
      expect([...found.keys()].sort()).toEqual([...ids].sort());
    });
  });

  describe("the sweep's index", () => {
    it('has a deploy from the start until its end is told', async () => {
      const deploy = await created();
      const { id } = deploy.identity;
      expect(await due('deploy')).toContain(id);
      expect(await store.deploys.settle(deploy)).toBe(true);
      expect(await due('deploy')).toContain(id);
      const ended = await bring(store, deploy, 'ERROR');
      expect(await due('deploy')).toContain(id);
      expect(await store.deploys.settle(ended)).toBe(true);
      expect(await due('deploy')).not.toContain(id);
      expect((await store.deploys.read(id))?.deploy).toEqual({ ...ended, pending: [] });
    });

    it('has a release until its end is told, and again when it is retried', async () => {
      const release = releaseOf(`r-${randomUUID()}`);
      const { id } = release.identity;
      await store.releases.create(release);
      expect(await store.releases.settle(release)).toBe(true);
      expect(await due('release')).toContain(id);
      const ended = decidedRelease(release, { type: 'concluded', outcome: 'ERROR', failure: FAILURE });
      await store.releases.decide(release, ended);
      expect(await store.releases.settle(ended)).toBe(true);
      expect(await due('release')).not.toContain(id);
      const attempt = { ...release.attempt, number: 2 };
      await store.releases.decide(ended, decidedRelease(ended, { type: 'retry', attempt }));
      expect(await due('release')).toContain(id);
    });

    it('is not left by a settling that somebody has decided over', async () => {
      const deploy = await created();
      const ended = await bring(store, deploy, 'CANCELLED');
      expect(await store.deploys.settle(deploy)).toBe(false);
      expect(await due('deploy')).toContain(deploy.identity.id);
      expect((await store.deploys.read(deploy.identity.id))?.deploy.pending).toEqual(ended.pending);
    });

    it('is not entered again by a late postponement', async () => {
      const deploy = await created();
      const ended = await bring(store, deploy, 'CANCELLED');
      const row = await store.deploys.read(deploy.identity.id);
      await store.deploys.settle(ended);
      if (row !== undefined) await store.deploys.postpone(row, NOW);
      expect(await due('deploy')).not.toContain(deploy.identity.id);
    });

    it.each(['deploy', 'release'] as const)('comes back to a %s later and later, at most 5 min', async (kind) => {
      const id = fresh();
      const records = kind === 'deploy' ? store.deploys : store.releases;
      await (kind === 'deploy' ? store.deploys.create(deployOf(id)) : store.releases.create(releaseOf(id)));
      const pauses: number[] = [];
      for (let turn = 0; turn < 9; turn++) {
        const row = await records.read(id);
        if (row === undefined) throw new Error('it is gone');
        await records.postpone(row as never, NOW);
        const item = await table.get(keys[kind](id));
        pauses.push((item?.sweepAt as number) - NOW);
      }
      expect(pauses.map((pause) => pause / 1000)).toEqual([10, 20, 40, 80, 160, 300, 300, 300, 300]);
      expect(await store.lists.due(kind, NOW + 299_999, 1000)).not.toContain(id);
      expect(await store.lists.due(kind, NOW + 300_000, 1000)).toContain(id);
    });
  });

  describe('the deploys of a release', () => {
    it('are those of an attempt, in the order of the plan', async () => {
      const id = `r-${randomUUID()}`;
      const members = Array.from({ length: 120 }, (_, index) => ({
        name: index === 7 ? 'constructor' : `n${(index * 37) % 120}`,
        index,
        layer: 0,
        deploy: `${id}.${index}`,
        kept: false,
      }));
      await store.releases.putMembers(id, 1, members);
      await store.releases.putMembers(id, 1, members);
      await store.releases.putMembers(id, 11, members.slice(0, 1));
      expect(await store.releases.members(id, 1)).toEqual(members);
      expect(await store.releases.member(id, 1, 'constructor')).toEqual(members[7]);
      expect(await store.releases.members(id, 11)).toHaveLength(1);
      expect(await store.releases.member(id, 2, 'constructor')).toBeUndefined();
    });
  });

  describe('a body', () => {
    /** Text that does not compress below the size of several items. */
    const large = () => ({ text: randomBytes(900 * 1024).toString('base64') });

    it('larger than an item comes back as it was', async () => {
      const value = large();
      const [hash = ''] = await store.bodies.put(value);
      expect(await store.bodies.get(hash)).toEqual(value);
      const chunks: number[] = [];
      for await (const item of table.partition(keys.body(hash, 0).pk)) chunks.push((item.bytes as Uint8Array).length);
      expect(chunks.length).toBeGreaterThan(2);
      expect(Math.max(...chunks)).toBeLessThan(400 * 1024);
    });

    it('is one, however its fields are ordered, by however many it is written', async () => {
      const hashes = await Promise.all([store.bodies.put({ a: 1, b: [{}] }), store.bodies.put({ b: [{}], a: 1 })]);
      const [[hash]] = hashes as [[string], [string]];
      expect(hashes).toEqual([[hash], [hash]]);
      expect(await store.bodies.get(hash)).toEqual({ a: 1, b: [{}] });
      expect(await store.bodies.put({ a: 1, b: [{}] }, 'other', { a: 1, b: [{}] })).toEqual([
        hash,
        expect.stringMatching(/^[0-9a-f]{64}$/),
        hash,
      ]);
    });

    it.each([
      ['names that objects have by nature', JSON.parse('{"__proto__":{"x":1},"constructor":"c","toString":[]}')],
      ['texts beyond ASCII', { text: '語 \u{1f600} \u0000 \ud800' }],
      ['nothing', null],
      ['an empty object', {}],
    ])('holds %s', async (_, value) => {
      const [hash = ''] = await store.bodies.put(value);
      expect(JSON.stringify(await store.bodies.get(hash))).toBe(JSON.stringify(value));
    });

    it('that was never stored is an error that names it', async () => {
      await expect(store.bodies.get('0123')).rejects.toThrow('no body is stored for 0123');
    });

    it('of which a part is missing or damaged is an error that names it', async () => {
      const [hash = ''] = await store.bodies.put(large());
      await table.delete(keys.body(hash, 1));
      // A store that has read it keeps it: another one has to look.
      await expect(new Bodies(table).get(hash)).rejects.toThrow(hash);
      const [other = ''] = await store.bodies.put({ a: 1 });
      await table.put({ ...keys.body(other, 0), type: 'body', bytes: Buffer.from('not compressed') });
      await expect(new Bodies(table).get(other)).rejects.toThrow(other);
    });
  });

  describe('the audit', () => {
    const row = (seq: number): Decision => ({
      seq,
      at: NOW + seq,
      by: 'ada',
      action: 'deploy.recorded',
      to: 'ENQUEUED',
    });

    it('has every decision once, in order, however often it is written', async () => {
      const owner = keys.deploy(fresh());
      const rows = Array.from({ length: 130 }, (_, index) => row(index + 1));
      await Promise.all([
        store.audit.append(owner, rows.slice(0, 80)),
        store.audit.append(owner, rows.slice(40)),
        store.audit.append(owner, []),
      ]);
      expect(await store.audit.of(owner)).toEqual(rows);
    });

    it('of a deploy is not that of a release of the same id', async () => {
      const id = fresh();
      await store.audit.append(keys.deploy(id), [row(1)]);
      expect(await store.audit.of(keys.release(id))).toEqual([]);
    });
  });
});
