import { expect, test, vi } from 'vitest';
import { DeployView, InventoryList, type ReleaseView } from '../../api/contract.ts';
import type { ReleaseDocument } from '../../core/documents/release.ts';
import { openStage } from './stage.ts';

// Each deploy is a process or two; on a crowded machine that adds up.
vi.setConfig({ testTimeout: 180_000 });

/** The same releases, with less time between the checks: `npm run demo` has them as they are. */
function hurried(release: ReleaseDocument): ReleaseDocument {
  return withDescriptors(release, (descriptor) => ({
    ...descriptor,
    deploy: { ...descriptor.deploy, params: { ...descriptor.deploy.params, CHECK_EVERY_MS: 1 } },
  }));
}

/** The database as a type that is never taken back. */
function withMigration(release: ReleaseDocument): ReleaseDocument {
  return withDescriptors(hurried(release), (descriptor) =>
    descriptor.artifact.name === 'db'
      ? { ...descriptor, artifact: { ...descriptor.artifact, type: 'migration' } }
      : descriptor,
  );
}

type Descriptor = ReleaseDocument['deploys'][number]['descriptor'];
function withDescriptors(release: ReleaseDocument, change: (descriptor: Descriptor) => Descriptor): ReleaseDocument {
  return {
    ...release,
    deploys: release.deploys.map((entry) => ({ ...entry, descriptor: change(entry.descriptor) })),
  };
}

const SERVICES = ['db', 'api', 'worker', 'web'];
const states = ({ deploys }: ReleaseView) => deploys.map(({ name, state }) => `${name} ${state}`);
const takenBack = ({ deploys }: ReleaseView) => deploys.map(({ name, rollbackState }) => `${name} ${rollbackState}`);

type Stage = Awaited<ReturnType<typeof openStage>>;
const versions = (stage: Stage) =>
  SERVICES.map((name) => {
    const { version } = stage.json(`shop/deployed/${name}/current/config.json`) as { version: string };
    return `${name} ${version}`;
  });

async function currentVersions(stage: Stage): Promise<string[]> {
  const { items } = InventoryList.parse(await stage.call('/inventory'));
  return items.map(({ artifact }) => `${artifact.name} ${artifact.version}`).sort();
}

test('release.yml puts four services in place, layer by layer, and what db exports is in the configuration of api', async () => {
  const stage = await openStage();
  const view = await stage.run('shop/release.yml', hurried);

  expect(view.state).toBe('SUCCESS');
  expect(view.deploys.map(({ name, layer }) => `${layer} ${name}`)).toEqual(['0 db', '1 api', '1 worker', '2 web']);
  expect(versions(stage)).toEqual(['db 1.0.0', 'api 1.0.0', 'worker 1.0.0', 'web 1.0.0']);
  expect(stage.json('shop/deployed/api/current/config.json')).toEqual({
    version: '1.0.0',
    deploy: 'shop-1.api',
    database: { host: 'db.shop.internal', schema: 1 },
  });
  expect(stage.json('shop/deployed/web/current/config.json')).toMatchObject({ api: 'https://api.shop.example/v1' });
  expect(stage.disk('shop/deployed/web')).toMatchObject({
    [`${stage.disk('shop/deployed/web').current?.slice(2)}/index.html`]: stage.text(
      'shop/artifacts/web/1.0.0/index.html',
    ),
  });
  for (const [at, { startedAt = '', after }] of view.deploys.entries()) {
    for (const name of after) {
      const before = view.deploys.find((deploy) => deploy.name === name);
      expect((before?.endedAt ?? 'never') <= startedAt, `deploys[${at}] starts when ${name} has ended`).toBe(true);
    }
  }
});

test('release-2.yml replaces every service, and its migration changes the orders that are there', async () => {
  const stage = await openStage();
  await stage.run('shop/release.yml', hurried);
  const view = await stage.run('shop/release-2.yml', hurried);

  expect(view.state).toBe('SUCCESS');
  expect(versions(stage)).toEqual(['db 2.0.0', 'api 2.0.0', 'worker 2.0.0', 'web 2.0.0']);
  expect(stage.json('shop/deployed/api/current/config.json')).toMatchObject({ database: { schema: 2 } });
  expect(stage.json('shop/deployed/db/data.json')).toEqual({
    schema: 2,
    orders: [
      { id: 1, item: 'tea', pieces: 2, state: 'open' },
      { id: 2, item: 'cups', pieces: 6, state: 'open' },
    ],
  });
});

test('release-broken.yml breaks at web, and leaves the disk byte for byte as it found it, in exact reverse order', async () => {
  const stage = await openStage();
  await stage.run('shop/release.yml', hurried);
  const before = stage.disk('shop/deployed');
  const view = await stage.run('shop/release-broken.yml', hurried);

  expect(view.state).toBe('ERROR');
  expect(states(view)).toEqual(['db SUCCESS', 'api SUCCESS', 'worker SUCCESS', 'web ERROR']);
  const web = view.deploys.at(-1);
  expect(web?.error?.message).toContain('index.html asks for checkout.js, and GET /checkout.js answered 404');
  expect(web?.rolledBack).toBe(true);

  expect(takenBack(view)).toEqual(['db done', 'api done', 'worker done', 'web none']);
  const rollbacks = await Promise.all(
    ['worker', 'api', 'db'].map(async (name) =>
      DeployView.parse(await stage.call(`/deploys/shop-2-rc.rollback.${name}`)),
    ),
  );
  const instants = rollbacks.flatMap(({ startedAt = '', endedAt = '' }) => [startedAt, endedAt]);
  expect(instants).toEqual([...instants].sort());
  expect(instants).not.toContain('');

  expect(stage.disk('shop/deployed')).toEqual(before);
  expect(await currentVersions(stage)).toEqual(['api 1.0.0', 'db 1.0.0', 'web 1.0.0', 'worker 1.0.0']);
});

test('a database that is a migration is where going back ends, and the release says so', async () => {
  const stage = await openStage();
  await stage.run('shop/release.yml', withMigration);
  const view = await stage.run('shop/release-broken.yml', withMigration);

  expect(view.state).toBe('ERROR');
  expect(takenBack(view)).toEqual(['db failed', 'api done', 'worker done', 'web none']);
  expect(view.deploys[0]?.rollbackError?.code).toBe('irreversible');
  expect(versions(stage)).toEqual(['db 2.0.0', 'api 1.0.0', 'worker 1.0.0', 'web 1.0.0']);
});

test('with no release before it, the broken one finds no version to go back to, and stops at the first', async () => {
  const stage = await openStage();
  const view = await stage.run('shop/release-broken.yml', hurried);

  expect(view.state).toBe('ERROR');
  expect(takenBack(view)).toEqual(['db not-reached', 'api not-reached', 'worker failed', 'web none']);
  expect(view.deploys[2]?.rollbackError?.code).toBe('no-previous-version');
  expect(stage.disk('shop/deployed/web')).toEqual({});
});
