import { expect, test, vi } from 'vitest';
import { openStage } from './stage.ts';

// Each deploy is a process or two; on a crowded machine that adds up.
vi.setConfig({ testTimeout: 180_000 });

test('sequential: one node after another leaves the pool, is upgraded and comes back', async () => {
  const stage = await openStage();
  const view = await stage.run('sequential/release.yml');

  expect(view.state).toBe('SUCCESS');
  expect(stage.json('sequential/deployed/pool.json')).toEqual({
    nodes: {
      'node-a': { version: '1.0.0', serves: true },
      'node-b': { version: '1.0.0', serves: true },
      'node-c': { version: '1.0.0', serves: true },
    },
    history: [
      'node-a out',
      'node-a in with 1.0.0',
      'node-b out',
      'node-b in with 1.0.0',
      'node-c out',
      'node-c in with 1.0.0',
    ],
  });
});

test('sequential: its scripts refuse what a release that runs all nodes at once would do', async () => {
  const stage = await openStage();
  const view = await stage.run('sequential/release.yml', (release) => ({ ...release, id: 'at-once', mode: 'dag' }));

  expect(view.state).toBe('ERROR');
  expect(view.error?.message).toMatch(/is out of the pool: node-. has to wait until it is back/);
});

test('wide: twelve sites from three included files in one layer, then a page that links to all of them', async () => {
  const stage = await openStage();
  const view = await stage.run('wide/release.yml');

  expect(view.state).toBe('SUCCESS');
  expect(view.deploys.map(({ layer }) => layer)).toEqual([...Array<number>(12).fill(0), 1]);
  expect(view.deploys.at(-1)?.exports).toEqual({ sites: '12' });
  const links = [...stage.text('wide/deployed/index.html').matchAll(/<a href="(.+)\/">(.+)<\/a>/g)];
  expect(links).toHaveLength(12);
  for (const [, site, welcome] of links) {
    expect(stage.text(`wide/deployed/${site}/index.html`)).toContain(`<h1>${welcome}</h1>`);
  }
  expect(stage.text('wide/deployed/kyoto/index.html')).toContain('<h1>こんにちは</h1>');
});

test('diamond: two halves are added up on their own, and together make the whole', async () => {
  const stage = await openStage();
  const view = await stage.run('diamond/release.yml');

  expect(view.state).toBe('SUCCESS');
  const numbers = stage.text('diamond/deployed/numbers.txt').trim().split('\n').map(Number);
  const sum = (of: number[]) => of.reduce((total, number) => total + number, 0);
  const odd = sum(numbers.filter((number) => number % 2 === 1));
  expect(numbers).toHaveLength(1000);
  expect(stage.json('diamond/deployed/report.json')).toEqual({ odd, even: sum(numbers) - odd, whole: sum(numbers) });
  expect(stage.text('diamond/deployed/chart.txt')).toMatch(/^even #+\.+ \d\d\.\d %\n$/);
});
