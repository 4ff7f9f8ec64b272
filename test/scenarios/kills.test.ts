import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle } from '../../scripts/bundle.ts';
import { killAgainAndAgain } from './kills.ts';
import { seedOf } from './model-properties.ts';

/** Below the project, whose native modules it loads. */
const BUNDLE = path.resolve(import.meta.dirname, `../../node_modules/.cache/renga-kills-${process.pid}`);
const seed = seedOf(process.env);
let directory = '';

beforeAll(async () => {
  await bundle(BUNDLE);
  directory = await mkdtemp(path.join(tmpdir(), 'renga-kills-'));
}, 120_000);
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await rm(BUNDLE, { recursive: true, force: true });
});

test('killed ten times, it loses nothing and does nothing twice', { timeout: 300_000 }, async () => {
  console.info(`10 kills from RENGA_SEED=${seed}`);
  const main = path.join(BUNDLE, 'renga.js');
  expect(await killAgainAndAgain({ main, directory, kills: 10, seed })).toEqual([]);
});
