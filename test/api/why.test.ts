/** What `why` says, sentence by sentence: each state, and each thing that can hold a deploy or a release. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deploy, openService, release, type Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const texts = async (id: string) => (await service.why(id)).reasons.map(({ text }) => text);
const chain = (params: Record<string, Record<string, string | number>> = {}, rest = {}) =>
  release(
    'shop',
    '1',
    { db: { params: params.db ?? {} }, api: { after: ['db'], params: params.api ?? {} }, web: { after: ['api'] } },
    rest,
  );

describe('why a deploy waits', () => {
  it('names what it waits for, through however many, down to the one that runs', async () => {
    await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1' }, { SECONDS: 600 }));
    await service.post('/v1/deploys', deploy('api', '1', { id: 'api-1', after: ['db-1'] }), { token: 'token-of-ben' });
    await service.post('/v1/deploys', deploy('web', '1', { id: 'web-1', after: ['api-1'], afterTimeout: '1h' }));
    await service.pass(185);
    const why = await service.why('web-1');
    expect(why.summary).toBe('web-1 waits for db-1.');
    expect(why.reasons[0]?.text).toBe(
      'web-1 waits for api-1, which waits for db-1: db-1 is RUNNING since 2026-10-12 20:00:00 UTC, for 3 min 5 s. It gives up at 2026-10-12 21:00:00 UTC.',
    );
    expect(why.reasons.at(-1)).toMatchObject({
      code: 'step',
      text: 'db-1 is RUNNING: step "Deploy" with the plugin simulated since 2026-10-12 20:00:00 UTC, for 3 min 5 s.',
      until: '2026-10-12T21:00:00.000Z',
      about: { kind: 'deploy', id: 'db-1' },
      unblock:
        'It ends by itself; its timeout stops it at 2026-10-12 21:00:00 UTC. Its log says how far it is: renga log db-1. anna submitted it.',
    });
  });

  it('names the deploy that holds its turn', async () => {
    await service.post('/v1/deploys', deploy('api', '1', { id: 'api-1' }, { SECONDS: 600 }));
    await service.settle();
    await service.post('/v1/deploys', deploy('api', '2', { id: 'api-2' }));
    await service.settle();
    await service.post('/v1/deploys', deploy('api', '3', { id: 'api-3' }));
    await service.pass(60);
    expect(await texts('api-3')).toEqual([
      'api-3 waits for its turn in api in prod, where one deploy runs at a time: api-1 is RUNNING since 2026-10-12 20:00:00 UTC, for 1 min. 1 more is before it.',
    ]);
    expect((await service.why('api-2')).summary).toBe('api-2 waits for its turn, which api-1 has.');
    expect((await texts('api-2'))[0]).toContain('It is the next.');
  });

  it('names its layer when all that it needs has succeeded', async () => {
    const wide = release('shop', '1', { a: {}, slow: { params: { SECONDS: 600 } }, b: { after: ['a'] } });
    await service.post('/v1/releases', wide);
    await service.pass(60);
    expect((await texts('shop.b'))[0]).toBe(
      'shop.b waits for its layer, 2 of 2: it starts when slow of the layers before has ended.',
    );
  });

  it('names who paused its release', async () => {
    await service.post('/v1/releases', chain({ db: { SECONDS: 30 } }));
    await service.settle();
    await service.post('/v1/releases/shop/pause', { reason: 'incident 4711' }, { token: 'token-of-ben' });
    await service.pass(90);
    const why = await service.why('shop.api');
    expect(why.reasons).toEqual([
      expect.objectContaining({
        code: 'paused',
        text: 'ben paused the release shop (incident 4711) since 2026-10-12 20:00:00 UTC, for 1 min 30 s: what runs finishes, and nothing new starts.',
        unblock: 'Ask ben, or let it go on: renga release resume shop.',
      }),
    ]);
  });
});

describe('why a deploy ended', () => {
  it.each([
    [
      'success',
      {},
      'db-1 succeeded at 2026-10-12 20:00:30 UTC after running 30 s: db 1 is revision 1 of db in prod.',
      [],
    ],
    [
      'failure',
      { OUTCOME: 'error', NAME: 'db' },
      'db-1 failed at 2026-10-12 20:00:30 UTC: the deploy of db was told to fail.',
      [
        'db-1 ended ERROR (plugin-failed) after running 30 s.',
        'Nothing was undone: what the job of db-1 had changed by then is still there.',
        'A deploy runs once: to try again, submit it under another id.',
      ],
    ],
  ])('%s', async (_, params, summary, reasons) => {
    await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1' }, { SECONDS: 30, ...params }));
    await service.pass(60);
    const why = await service.why('db-1');
    expect(why.summary).toBe(summary);
    expect(why.reasons.map(({ text }) => text)).toEqual(reasons);
  });

  it('a timeout: what timed out, and what gives it longer', async () => {
    const slow = {
      ...deploy('db', '1', { id: 'db-1' }),
      deploy: { plugin: 'simulated', timeout: '1m', params: { SECONDS: 'never' } },
    };
    await service.post('/v1/deploys', slow);
    await service.pass(120);
    const why = await service.why('db-1');
    expect(why.summary).toBe(
      'db-1 failed at 2026-10-12 20:01:00 UTC: simulated did not end within 60 s and was stopped.',
    );
    expect(why.reasons[0]?.unblock).toContain('deploy.timeout');
  });

  it('a cancel: by whom and why', async () => {
    await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1' }, { SECONDS: 'never' }));
    await service.pass(5);
    await service.post('/v1/deploys/db-1/cancel', { reason: 'wrong version' }, { token: 'token-of-ben' });
    await service.pass(5);
    expect((await service.why('db-1')).summary).toMatch(/^db-1 was cancelled by ben at .*: wrong version\.$/);
  });

  it('a failed dependency: the first cause, through however many', async () => {
    await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1' }, { SECONDS: 10, OUTCOME: 'error', NAME: 'db' }));
    await service.post('/v1/deploys', deploy('api', '1', { id: 'api-1', after: ['db-1'] }));
    await service.post('/v1/deploys', deploy('web', '1', { id: 'web-1', after: ['api-1'] }));
    await service.pass(60);
    expect((await texts('web-1'))[0]).toBe(
      'web-1 waited for api-1, which waited for db-1; the first cause is db-1, which ended ERROR: the deploy of db was told to fail.',
    );
  });

  it('an execution that somebody stopped', async () => {
    await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1' }, { SECONDS: 'never' }));
    await service.pass(5);
    await service.ports.machines.stop(service.ports.deployMachine, 'db-1', 'by hand');
    await service.pass(60);
    const why = await service.why('db-1');
    expect(why.summary).toContain('its execution is gone');
    expect(why.reasons[0]?.unblock).toContain('stopped its execution in the console');
  });

  it('a success that another has gone over since', async () => {
    await service.post('/v1/deploys', deploy('db', '1', { id: 'db-1' }));
    await service.pass(5);
    await service.post('/v1/deploys', deploy('db', '2', { id: 'db-2' }));
    await service.pass(5);
    expect((await texts('db-1'))[0]).toMatch(/^It is no longer current: db-2 has put db 2 there at /);
  });

  it('its release: cancelled because another failed', async () => {
    await service.post('/v1/releases', chain({ db: { OUTCOME: 'error', NAME: 'db' } }));
    await service.pass(5);
    const why = await service.why('shop.web');
    expect(why.summary).toMatch(/^shop\.web was cancelled by renga, as its release says, at /);
    expect(why.reasons.map(({ code }) => code)).toEqual(['cause', 'ended']);
    expect(why.reasons.at(-1)?.text).toContain('renga release retry shop');
  });
});

describe('why a release', () => {
  it('was left without its execution: that nobody rolls back', async () => {
    await service.post('/v1/releases', chain({ api: { SECONDS: 600 } }, { onFailure: 'rollback' }));
    await service.pass(5);
    const { execution } = await service.release('shop');
    await service.ports.machines.stop(
      execution.arn.split(':').slice(0, -1).join(':').replace(':execution:', ':stateMachine:'),
      'shop',
      'by hand',
    );
    await service.pass(30);
    const why = await service.why('shop');
    expect(why.summary).toMatch(
      /^shop is ending, because its execution is gone .*: nothing new starts and nobody rolls back; api runs\.$/,
    );
    const shown = await service.release('shop');
    expect(shown.deploys.map(({ rollbackState }) => rollbackState)).toEqual(['not-reached', 'none', 'none']);
    await service.pass(700);
    expect((await service.release('shop')).state).toBe('ERROR');
    expect((await service.why('shop')).summary).toContain('the first cause: its execution is gone');
  });

  it('was cancelled while it went back: what was taken back, and what was not', async () => {
    const shop = (version: string, broken: Record<string, string | number>, back = {}) =>
      release(
        `shop-${version}`,
        version,
        { db: {}, api: { after: ['db'], params: back }, web: { after: ['api'], params: broken } },
        { onFailure: 'rollback' },
      );
    await service.post('/v1/releases', shop('1', {}, { SECONDS: 60 }));
    await service.pass(120);
    await service.post('/v1/releases', shop('2', { OUTCOME: 'error', NAME: 'web' }));
    await service.pass(30);
    expect((await service.why('shop-2')).summary).toContain('api is being taken back');
    await service.post('/v1/releases/shop-2/cancel', { reason: 'enough' });
    await service.pass(120);
    const shown = await service.release('shop-2');
    expect([shown.state, ...shown.deploys.map(({ rollbackState }) => rollbackState)]).toEqual([
      'CANCELLED',
      'not-reached',
      'done',
      'none',
    ]);
    expect(await texts('shop-2')).toEqual(
      expect.arrayContaining(['api was taken back.', 'db was not rolled back: what this release put there stays.']),
    );
  });

  it('is under way: its layer, what runs, and what waits behind', async () => {
    await service.post('/v1/releases', chain({ api: { SECONDS: 600 } }));
    await service.pass(60);
    const why = await service.why('shop');
    expect(why.summary).toBe(
      'shop is under way in layer 2 of 3 since 2026-10-12 20:00:00 UTC, for 1 min: 1 of 3 deploys have ended, and api runs.',
    );
    expect(why.reasons.map(({ code }) => code)).toEqual(['step', 'layer']);
    expect(why.reasons[1]?.text).toBe('1 more deploy waits behind them.');
  });

  it('stands still: who paused it', async () => {
    await service.post('/v1/releases', chain({ db: { SECONDS: 30 } }));
    await service.settle();
    await service.post('/v1/releases/shop/pause', {}, { token: 'token-of-ben' });
    await service.pass(60);
    const why = await service.why('shop');
    expect(why.summary).toContain('shop is under way, paused');
    expect(why.reasons[0]).toMatchObject({
      code: 'paused',
      unblock: 'Ask ben, or let it go on: renga release resume shop.',
    });
  });

  it('is failing: what still runs, and that it goes back then', async () => {
    const wide = release(
      'shop',
      '1',
      {
        base: {},
        bad: { after: ['base'], params: { SECONDS: 5, OUTCOME: 'error', NAME: 'bad' } },
        slow: { after: ['base'], params: { SECONDS: 600 } },
      },
      { onFailure: 'rollback' },
    );
    await service.post('/v1/releases', wide);
    await service.pass(60);
    const why = await service.why('shop');
    expect(why.summary).toBe(
      'shop is failing since 2026-10-12 20:00:05 UTC, for 55 s, because shop.bad ERROR: the deploy of bad was told to fail: slow runs; then it goes back.',
    );
    expect(why.reasons.map(({ text }) => text)).toContain('base is still to be taken back.');
  });

  it('failed: the first cause, what was taken back, what was not and why', async () => {
    const shop = (version: string, broken: Record<string, string | number>, back = {}) =>
      release(
        `shop-${version}`,
        version,
        { db: {}, api: { after: ['db'], params: back }, web: { after: ['api'], params: broken } },
        { onFailure: 'rollback' },
      );
    await service.post('/v1/releases', shop('1', {}, { ROLLBACK_OUTCOME: 'error', NAME: 'api' }));
    await service.pass(5);
    await service.post('/v1/releases', shop('2', { OUTCOME: 'error', NAME: 'web' }));
    await service.pass(60);
    const why = await service.why('shop-2');
    expect(why.summary).toMatch(
      /^shop-2 failed at .*; the first cause: shop-2\.web ERROR: the deploy of web was told to fail\.$/,
    );
    expect(why.reasons.map(({ text }) => text)).toEqual([
      'web (shop-2.web) failed: the deploy of web was told to fail.',
      'The rollback stopped at api: the rollback of api was told to fail.',
      'db was not rolled back: what this release put there stays.',
      'What succeeded and was not taken back stays when it is tried again.',
    ]);
    expect((await texts('shop-2.db'))[0]).toContain('not rolled back: taking back api did not succeed');
  });

  it('was cancelled: by whom and why', async () => {
    await service.post('/v1/releases', chain({ db: { SECONDS: 'never' } }));
    await service.pass(5);
    await service.post('/v1/releases/shop/cancel', { reason: 'wrong day' }, { token: 'token-of-ben' });
    await service.pass(5);
    expect((await service.why('shop')).summary).toMatch(/^shop was cancelled by ben \(wrong day\); it ended at /);
  });

  it('succeeded', async () => {
    await service.post('/v1/releases', chain({ db: { SECONDS: 42 } }));
    await service.pass(60);
    expect((await service.why('shop')).summary).toBe(
      'shop succeeded at 2026-10-12 20:00:42 UTC, after 42 s: all 3 deploys are done.',
    );
  });

  it('shares its id with a deploy: each is told when it is asked for', async () => {
    await service.post('/v1/releases', chain());
    await service.post('/v1/deploys', deploy('other', '1', { id: 'shop' }));
    await service.pass(5);
    expect((await service.get('/v1/why/shop')).body).toMatchObject({ kind: 'release' });
    expect((await service.get('/v1/why/shop?kind=deploy')).body).toMatchObject({ kind: 'deploy' });
    expect(await service.get('/v1/why/nothing')).toMatchObject({ status: 404, body: { code: 'not-found' } });
  });
});
