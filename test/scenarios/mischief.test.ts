import { expect, test } from 'vitest';
import { CASES, check, type Kind, seedOf } from './model-properties.ts';

const seed = seedOf(process.env);

test.each<Kind>(['people interfere', 'everything happens at once'])(
  'every invariant holds when %s',
  { timeout: 30 * 60_000 },
  async (kind) => {
    console.info(`${CASES} cases of "${kind}" from RENGA_SEED=${seed}`);
    await expect(check(kind, CASES, seed)).resolves.toBeUndefined();
  },
);
