import { expect, test } from 'vitest';
import { seedOf } from '../model-properties.ts';
import { checkLife, LIFE_CASES, type LifeKind } from './life-properties.ts';

const seed = seedOf(process.env);

test.each<LifeKind>(['the whole life, undisturbed'])(
  'everything ends as the rules say, and every invariant holds: %s',
  { timeout: 30 * 60_000 },
  async (kind) => {
    const cases = LIFE_CASES[kind];
    console.info(`${cases} cases of "${kind}" from RENGA_SEED=${seed}`);
    const verdicts = await checkLife(kind, cases, seed);
    const checked = [...verdicts.values()].reduce((sum, count) => sum + count, 0);
    expect(checked).toBe(cases);
  },
);
