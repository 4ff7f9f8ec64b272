import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AuditView, ReleaseList, ReleaseView } from '../../api/contract.ts';
import { openService, release, type Service } from './service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const shop = (version: string, params: Record<string, Record<string, string | number>> = {}, rest = {}) =>
  release(
    `shop-${version}`,
    version,
    {
      db: { params: params.db ?? {} },
      api: { after: ['db'], params: params.api ?? {} },
      web: { after: ['api'], params: params.web ?? {} },
    },
    rest,
  );

const states = (shown: ReleaseView) => shown.deploys.map(({ name, state }) => `${name} ${state}`);
const rollbacks = (shown: ReleaseView) => shown.deploys.map(({ name, rollbackState }) => `${name} ${rollbackState}`);

describe('submitting a release', () => {
  it('answers 202 with where it is, and the release follows to its end', async () => {
    const accepted = await service.post('/v1/releases', shop('1', { db: { SECONDS: 30 } }));
    expect(accepted).toMatchObject({
      status: 202,
      body: { id: 'shop-1', state: 'PENDING', phase: 'running', attempt: 1, submittedBy: 'anna', deployCount: 3 },
    });
    expect(accepted.headers.get('location')).toBe('/v1/releases/shop-1');
    expect(ReleaseView.parse(accepted.body).execution).toMatchObject({
      name: 'shop-1',
      link: `https://console.example/${ReleaseView.parse(accepted.body).execution.arn}`,
    });

    await service.pass(10);
    const running = await service.release('shop-1');
    expect(states(running)).toEqual(['db RUNNING', 'api WAITING_DEPENDENCY', 'web WAITING_DEPENDENCY']);

    await service.pass(60);
    const done = await service.release('shop-1');
    expect(done).toMatchObject({ state: 'SUCCESS', paused: false });
    expect(
      done.deploys.map(({ name, layer, state, revision, rollbackState }) => ({
        name,
        layer,
        state,
        revision,
        rollbackState,
      })),
    ).toEqual([
      { name: 'db', layer: 0, state: 'SUCCESS', revision: 1, rollbackState: 'none' },
      { name: 'api', layer: 1, state: 'SUCCESS', revision: 1, rollbackState: 'none' },
      { name: 'web', layer: 2, state: 'SUCCESS', revision: 1, rollbackState: 'none' },
    ]);
  });

  it('shows deploys as ENQUEUED before they are recorded', async () => {
    // Nothing is recorded while the function that does it stands still.
    service.hold('record-deploys');
    const { body } = await service.post('/v1/releases', shop('1'));
    const { deploys } = ReleaseView.parse(body);
    expect(deploys.map(({ recorded, state }) => [recorded, state])).toEqual([
      [false, 'ENQUEUED'],
      [false, 'ENQUEUED'],
      [false, 'ENQUEUED'],
    ]);
    expect((await service.why('shop-1')).reasons.map(({ code }) => code)).toEqual(['not-recorded']);
    service.letGo();
    await service.pass(5);
    expect(await service.release('shop-1')).toMatchObject({ state: 'SUCCESS' });
  });

  it('answers 200 with the one that is there when it is submitted again, also after its end', async () => {
    await service.post('/v1/releases', shop('1'));
    await service.pass(5);
    const again = await service.post('/v1/releases', shop('1'), { token: 'token-of-ben' });
    expect(again).toMatchObject({ status: 200, body: { id: 'shop-1', state: 'SUCCESS', submittedBy: 'anna' } });
    expect(service.world.started).toHaveLength(3);
  });

  it('refuses other content under the same id, naming what differs', async () => {
    await service.post('/v1/releases', shop('1'));
    await service.settle();
    const other = { ...shop('1'), onFailure: 'rollback' };
    const refused = await service.post('/v1/releases', other);
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'id-taken', type: 'urn:renga:error:id-taken', differences: ['onFailure: "stop" → "rollback"'] },
    });
  });

  it('passes exports on and shows them', async () => {
    const document = release('shop-1', '1', {
      db: {
        params: { OUT_host: 'db-1.internal' },
        descriptor: { exports: { host: { from: 'deploy.host', pattern: '[a-z0-9.-]+' } } },
      },
    });
    const api = release('x', '1', { api: {} }).deploys[0];
    const consumer = {
      ...api,
      after: ['db'],
      descriptor: {
        ...api?.descriptor,
        imports: { base: { deployment: 'db' } },
        deploy: { plugin: 'simulated', paramsFrom: { DB_HOST: { import: 'base', export: 'host' } } },
      },
    };
    await service.post('/v1/releases', { ...document, deploys: [...document.deploys, consumer] });
    await service.pass(5);
    const body = await service.release('shop-1');
    expect(body.deploys.map(({ exports }) => exports)).toEqual([{ host: 'db-1.internal' }, {}]);
    const deploy = await service.deploy('shop-1.api');
    expect(deploy.provenance).toEqual({ 'import.base': 'shop-1.db@1' });
  });
});

describe('a release that goes back', () => {
  const versions = async (broken: Record<string, Record<string, string | number>>, first = {}) => {
    await service.post('/v1/releases', shop('1', first, { onFailure: 'rollback' }));
    await service.pass(5);
    await service.post('/v1/releases', shop('2', broken, { onFailure: 'rollback' }));
    await service.pass(60);
    return service.release('shop-2');
  };

  it('shows each deploy that was taken back', async () => {
    const body = await versions({ web: { OUTCOME: 'error' } });
    expect(body.state).toBe('ERROR');
    expect(states(body)).toEqual(['db SUCCESS', 'api SUCCESS', 'web ERROR']);
    expect(rollbacks(body)).toEqual(['db done', 'api done', 'web none']);
    expect(body.deploys[1]?.rollbackId).toBe('shop-2.rollback.api');
    const rollback = await service.deploy('shop-2.rollback.api');
    expect(rollback).toMatchObject({ kind: 'rollback', rollsBack: 'shop-2.api', restores: 1, state: 'SUCCESS' });
  });

  it('shows what it did not reach as not rolled back, and keeps the first error', async () => {
    const body = await versions(
      { web: { OUTCOME: 'error', NAME: 'web' } },
      { api: { ROLLBACK_OUTCOME: 'error', NAME: 'api' } },
    );
    expect(rollbacks(body)).toEqual(['db not-reached', 'api failed', 'web none']);
    expect(body.deploys[0]?.rollbackError?.message).toMatch(/^not rolled back: taking back api did not succeed/);
    expect(body.error?.message.split('\n')[0]).toContain('the deploy of web was told to fail');
  });

  it('says of a first-ever deploy that there is nothing to go back to', async () => {
    await service.post('/v1/releases', shop('1', { web: { OUTCOME: 'error' } }, { onFailure: 'rollback' }));
    await service.pass(5);
    const body = await service.release('shop-1');
    expect(rollbacks(body)).toEqual(['db not-reached', 'api failed', 'web none']);
    expect(body.deploys[1]?.rollbackError?.code).toBe('no-previous-version');
  });
});

describe('acting on a release', () => {
  it('pauses with a reason that the audit keeps, and resumes', async () => {
    await service.post('/v1/releases', shop('1', { db: { SECONDS: 30 } }));
    await service.settle();
    const paused = await service.post('/v1/releases/shop-1/pause', { reason: 'incident 4711' });
    expect(paused).toMatchObject({ status: 200, body: { state: 'PENDING', paused: true } });
    await service.pass(60);
    expect(states(await service.release('shop-1'))).toEqual([
      'db SUCCESS',
      'api WAITING_DEPENDENCY',
      'web WAITING_DEPENDENCY',
    ]);

    await service.post('/v1/releases/shop-1/resume', undefined, { token: 'token-of-ben' });
    await service.pass(60);
    expect((await service.release('shop-1')).state).toBe('SUCCESS');
    const audit = await service.get('/v1/releases/shop-1/audit');
    expect(AuditView.parse(audit.body).items.map(({ action, by, why }) => [action, by, why])).toEqual([
      ['release.submitted', 'anna', undefined],
      ['release.paused', 'anna', 'incident 4711'],
      ['release.resumed', 'ben', undefined],
      ['release.finish', 'renga', undefined],
    ]);
  });

  it('cancels: what runs is stopped, what has not started never does', async () => {
    await service.post('/v1/releases', shop('1', { db: { SECONDS: 'never' } }));
    await service.pass(5);
    const answer = await service.post('/v1/releases/shop-1/cancel', { reason: 'wrong version' });
    expect(answer.status).toBe(202);
    await service.pass(5);
    const body = await service.release('shop-1');
    expect(body.state).toBe('CANCELLED');
    expect(states(body)).toEqual(['db CANCELLED', 'api CANCELLED', 'web CANCELLED']);
    expect(await service.post('/v1/releases/shop-1/cancel')).toMatchObject({ status: 409, body: { code: 'conflict' } });
  });

  it('retries: what succeeded stays, the rest are new deploys', async () => {
    await service.post('/v1/releases', shop('1', { api: { OUTCOME: 'error' } }));
    await service.pass(5);
    const retried = await service.post('/v1/releases/shop-1/retry', { reason: 'the disk was full' });
    expect(retried).toMatchObject({ status: 202, body: { attempt: 2, execution: { name: 'shop-1.r2' } } });
    expect(retried.headers.get('location')).toBe('/v1/releases/shop-1');
    await service.pass(5);
    const body = await service.release('shop-1');
    expect(body.deploys.map(({ id, kept, state }) => [id, kept, state])).toEqual([
      ['shop-1.db', true, 'SUCCESS'],
      ['shop-1.api.r2', false, 'ERROR'],
      ['shop-1.web.r2', false, 'CANCELLED'],
    ]);
    expect(await service.post('/v1/releases/shop-0/retry')).toMatchObject({ status: 404, body: { code: 'not-found' } });
  });

  it('refuses to retry what is still under way', async () => {
    await service.post('/v1/releases', shop('1', { db: { SECONDS: 30 } }));
    expect(await service.post('/v1/releases/shop-1/retry')).toMatchObject({ status: 409, body: { code: 'conflict' } });
    await service.settle();
  });
});

describe('releases in a list', () => {
  it('come newest first, by state, in pages', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      await service.post(
        '/v1/releases',
        release(id, '1', { [id]: { params: id === 'c' ? { OUTCOME: 'error' } : {} } }),
      );
      await service.pass(5);
    }
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await service.get(`/v1/releases?limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      const { items, cursor: next } = ReleaseList.parse(page.body);
      ids.push(...items.map(({ id }) => id));
      cursor = next;
    } while (cursor !== undefined);
    expect(ids).toEqual(['e', 'd', 'c', 'b', 'a']);
    const failed = await service.get('/v1/releases?state=ERROR');
    expect(ReleaseList.parse(failed.body).items.map(({ id }) => id)).toEqual(['c']);
  });
});
