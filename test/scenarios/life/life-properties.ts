/** Worlds drawn by a seed, shrunk when one goes wrong. */
import fc from 'fast-check';
import { drawnCall, drawnDeath, drawnDelivery } from '../drawn.ts';
import { drawnWorld } from './drawn-world.ts';
import { judge, type LifeCase, type Verdict } from './life-case.ts';

const none = fc.constant([]);

export const LIFE_KINDS = {
  'the whole life, undisturbed': fc.record({
    world: drawnWorld({ calm: false, together: false }),
    mischief: fc.record({ deliveries: none, calls: none, deaths: none }),
    compared: fc.constant('all' as const),
  }),
  'the whole life, while engines die and events are lost': fc.record({
    world: drawnWorld({ calm: true, together: false }),
    mischief: fc.record({
      deliveries: fc.array(drawnDelivery, { minLength: 1, maxLength: 6 }),
      calls: none,
      deaths: fc.array(drawnDeath, { maxLength: 5 }),
    }),
    compared: fc.constant('ends' as const),
  }),
  'the whole life, with everything at once': fc.record({
    world: fc.boolean().chain((together) => drawnWorld({ calm: false, together })),
    mischief: fc.record({
      deliveries: fc.array(drawnDelivery, { maxLength: 6 }),
      calls: fc.array(drawnCall, { maxLength: 12 }),
      deaths: fc.array(drawnDeath, { maxLength: 4 }),
    }),
    compared: fc.constant('nothing' as const),
  }),
} satisfies Record<string, fc.Arbitrary<LifeCase>>;
export type LifeKind = keyof typeof LIFE_KINDS;

const CASES = process.env.RENGA_CASES;
/** Drawn in each run of the tests. */
export const LIFE_CASES: Readonly<Record<LifeKind, number>> = {
  'the whole life, undisturbed': Number(CASES ?? 50),
  'the whole life, while engines die and events are lost': Number(CASES ?? 40),
  'the whole life, with everything at once': Number(CASES ?? 50),
};

/** Throws with the seed, the case and its history when one goes wrong; answers how exactly the rules fixed the cases. */
export async function checkLife(kind: LifeKind, cases: number, seed: number): Promise<Map<string, number>> {
  const verdicts = new Map<string, number>();
  const told = (verdict: Verdict) => {
    const short = verdict.replace(/ at \d+$/, '');
    verdicts.set(short, (verdicts.get(short) ?? 0) + 1);
  };
  const path = process.env.RENGA_PATH;
  await fc.assert(
    fc.asyncProperty(LIFE_KINDS[kind] as fc.Arbitrary<LifeCase>, async (drawn) => {
      const wrong = await judge(drawn, told);
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
    }),
    {
      numRuns: cases,
      seed,
      ...(path !== undefined && { path }),
      interruptAfterTimeLimit: 20 * 60_000,
      endOnFailure: process.env.RENGA_SHRINK === undefined,
    },
  );
  return verdicts;
}
