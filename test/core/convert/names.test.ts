import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validNames } from '../../../core/convert/names.ts';
import { Name } from '../../../core/documents/names.ts';

describe('names of other tools', () => {
  it('are valid, one to one, and the same whatever their order', () => {
    const word = fc.oneof(
      fc.string({ maxLength: 6 }),
      fc.stringMatching(/^[A-Za-z0-9 ._-]{1,4}$/),
      fc.string({ minLength: 60, maxLength: 70 }),
    );
    fc.assert(
      fc.property(fc.uniqueArray(word, { maxLength: 30 }), (originals) => {
        const names = validNames(originals);
        expect(new Set(names.values()).size).toBe(originals.length);
        for (const name of names.values()) expect(Name.safeParse(name).success).toBe(true);
        for (const original of originals) {
          if (Name.safeParse(original).success && !original.startsWith('rollback.'))
            expect(names.get(original)).toBe(original);
        }
        expect(new Map([...validNames([...originals].reverse())].sort())).toEqual(new Map([...names].sort()));
      }),
    );
  });

  it.each([
    [['Api'], ['api']],
    [
      ['Team A', 'db'],
      ['team-a', 'db'],
    ],
    [
      ['Api', 'api'],
      [expect.stringMatching(/^api-[0-9a-f]{6}$/), 'api'],
    ],
    [['日本'], [expect.stringMatching(/^unnamed-[0-9a-f]{6}$/)]],
    [
      ['rollback.db', 'db'],
      ['rollback-db', 'db'],
    ],
    [['_metadata'], ['metadata']],
  ])('%j', (originals, wanted) => {
    const names = validNames(originals);
    expect(originals.map((original) => names.get(original))).toEqual(wanted);
  });
});
