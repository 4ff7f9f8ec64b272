/** Cases drawn by a seed, shrunk when one goes wrong. */
import fc from 'fast-check';
import { drawnAction, drawnCall, drawnDeath, drawnDelivery, drawnRelease } from './drawn.ts';
import { type Case, judge, quietly } from './model-case.ts';

const MOST_DEPLOYS = 5;

const none = fc.constant([]);
const some = <T>(arbitrary: fc.Arbitrary<T>, most: number) => fc.array(arbitrary, { minLength: 1, maxLength: most });

function caseWith(mischief: fc.Arbitrary<Case['mischief']>, retried: fc.Arbitrary<boolean>): fc.Arbitrary<Case> {
  return fc.record({ model: drawnRelease(MOST_DEPLOYS), mischief, retried });
}

/** What is drawn, by what disturbs it. */
export const KINDS = {
  'nothing disturbs it': drawnRelease(MOST_DEPLOYS).map(quietly),
  'engines die and events are lost, late or doubled': caseWith(
    fc.record({
      actions: none,
      deaths: fc.array(drawnDeath, { maxLength: 4 }),
      deliveries: some(drawnDelivery, 6),
      calls: none,
    }),
    fc.constant(false),
  ),
  'people interfere': caseWith(
    fc.record({ actions: some(drawnAction, 3), deaths: none, deliveries: none, calls: none }),
    fc.boolean(),
  ),
  'everything happens at once': caseWith(
    fc.record({
      actions: fc.array(drawnAction, { maxLength: 3 }),
      deaths: fc.array(drawnDeath, { maxLength: 3 }),
      deliveries: fc.array(drawnDelivery, { maxLength: 6 }),
      calls: fc.array(drawnCall, { maxLength: 12 }),
    }),
    fc.boolean(),
  ),
} satisfies Record<string, fc.Arbitrary<Case>>;
export type Kind = keyof typeof KINDS;

/** Throws with the seed, the smallest case found and its history when one goes wrong. */
export async function check(kind: Kind, cases: number, seed: number): Promise<void> {
  const path = process.env.RENGA_PATH;
  await fc.assert(
    fc.asyncProperty(KINDS[kind] as fc.Arbitrary<Case>, async (drawn) => {
      const wrong = await judge(drawn);
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
    }),
    {
      numRuns: cases,
      seed,
      ...(path !== undefined && { path }),
      // A case takes a fraction of a second: shrinking is worth a minute, not ten.
      interruptAfterTimeLimit: 20 * 60_000,
      endOnFailure: process.env.RENGA_SHRINK === undefined,
    },
  );
}

/** Drawn in each run of the tests, of each kind. */
export const CASES = Number(process.env.RENGA_CASES ?? 40);

/** From RENGA_SEED, to repeat a run; else of this moment. */
export function seedOf(environment: Readonly<Record<string, string | undefined>>): number {
  return Number(environment.RENGA_SEED ?? Date.now() % 2 ** 31);
}
