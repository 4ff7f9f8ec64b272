import { expect, test } from 'vitest';
import { CASES, check, type Kind, seedOf } from './model-properties.ts';

const seed = seedOf(process.env);

test.each<Kind>(['nothing disturbs it', 'engines die and events are lost, late or doubled'])(
  'a release ends as the rules say when %s',
  { timeout: 30 * 60_000 },
  async (kind) => {
    console.info(`${CASES} cases of "${kind}" from RENGA_SEED=${seed}`);
    await expect(check(kind, CASES, seed)).resolves.toBeUndefined();
  },
);
