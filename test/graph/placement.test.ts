import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spread } from '../../graph/placement.ts';

describe('places in a row', () => {
  it.each<[number[], number[], number[]]>([
    [
      [0, 10, 20],
      [5, 5],
      [0, 10, 20],
    ],
    [[10, 10], [4], [8, 12]],
    [[20, 0], [4], [8, 12]],
    [
      [5, 5, 5],
      [2, 2],
      [3, 5, 7],
    ],
  ])('wanted %j with gaps %j are %j', (wanted, gaps, places) => {
    expect(spread(wanted, gaps)).toEqual(places);
  });

  it('keep their order and their gaps', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: -99, max: 99 }), fc.nat(9)), { minLength: 1 }), (row) => {
        const gaps = row.map(([, gap]) => gap);
        const places = spread(
          row.map(([wanted]) => wanted),
          gaps,
        );
        for (let at = 1; at < places.length; at++) {
          expect((places[at] ?? 0) - (places[at - 1] ?? 0)).toBeGreaterThanOrEqual(gaps[at - 1] ?? 0);
        }
      }),
    );
  });
});
