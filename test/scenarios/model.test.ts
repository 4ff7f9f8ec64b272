import { expect, test } from 'vitest';
import { check, KINDS, type Kind, seedOf } from './model-properties.ts';

const seed = seedOf(process.env);
const cases = Number(process.env.RENGA_CASES ?? 75);

test.each(Object.keys(KINDS) as Kind[])(
  'a release ends as the rules say when %s',
  { timeout: 30 * 60_000 },
  async (kind) => {
    console.info(`${cases} cases of "${kind}" from RENGA_SEED=${seed}`);
    await expect(check(kind, cases, seed)).resolves.toBeUndefined();
  },
);
