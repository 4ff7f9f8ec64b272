import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globTest } from '../../../core/access/glob.ts';

describe('a glob', () => {
  it.each([
    ['*', ''],
    ['*', 'shop'],
    ['**', 'shop'],
    ['shop', 'shop'],
    ['shop-*', 'shop-'],
    ['shop-*', 'shop-api'],
    ['*-api', 'shop-api'],
    ['s*-*i', 'shop-api'],
    ['*a*a*', 'aa'],
    ['a*a', 'aa'],
    ['a*b*c', 'abbc'],
    ['*ab*ab', 'abab'],
  ])('%s lets %s through', (glob, text) => {
    expect(globTest(glob)(text)).toBe(true);
  });

  it.each([
    ['shop', 'shop2'],
    ['shop', 'Shop'],
    ['shop-*', 'shop'],
    ['a*a', 'a'],
    ['*a*a*', 'a'],
    ['ab*ba', 'aba'],
    ['*ab*ab', 'ab'],
    ['a*b*b', 'ab'],
    ['sh?p', 'shop'],
    ['sh.p', 'shop'],
    ['[a-z]*', 'shop'],
    ['shop|web', 'shop'],
    ['^shop$', 'shop'],
  ])('%s holds %s back', (glob, text) => {
    expect(globTest(glob)(text)).toBe(false);
  });

  it('means what a regular expression with its other characters escaped means', () => {
    const text = (most: number) => fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: most });
    const glob = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(glob, text(10), (pattern, value) => {
        const regexp = new RegExp(`^${pattern.replaceAll('.', '\\.').replace(/\*+/g, '.*')}$`);
        expect(globTest(pattern)(value)).toBe(regexp.test(value));
      }),
      { numRuns: 2_000 },
    );
  });

  it('of many stars takes no more looks at a text than it has characters', () => {
    // With a regular expression this would outlast the universe; here it is counted, not timed.
    const text = 'a'.repeat(60_000);
    let looked = 0;
    const counted: unknown = Object.assign(Object(text), {
      indexOf(piece: string, from: number) {
        const found = text.indexOf(piece, from);
        looked += (found < 0 ? text.length : found + piece.length) - from;
        return found;
      },
    });
    expect(globTest(`${'a*'.repeat(128)}b`)(counted as string)).toBe(false);
    expect(globTest(`${'*a'.repeat(120)}*b*`)(counted as string)).toBe(false);
    expect(looked).toBeLessThanOrEqual(2 * text.length);
    expect(looked).toBeGreaterThan(0);
  });
});
