import { describe, expect, it } from 'vitest';
import { compilePattern } from '../../../local/eventbridge/matcher.ts';

describe('a pattern', () => {
  it.each<[pattern: object, matching: object[], others: object[]]>([
    [{ kind: ['deploy', 'release'] }, [{ kind: 'release' }, { kind: ['x', 'deploy'] }], [{ kind: 'Deploy' }, {}]],
    [{ at: { city: ['Roma'] } }, [{ at: { city: 'Roma' } }, { at: [{}, { city: 'Roma' }] }], [{ city: 'Roma' }]],
    [{ 'at.city': ['Roma'] }, [{ at: { city: 'Roma' } }], [{}]],
    [{ a: [null] }, [{ a: null }], [{ a: 'null' }, { a: '' }, { a: 0 }, {}]],
    [{ a: [''] }, [{ a: '' }], [{ a: null }, { a: [] }]],
    [{ a: [{ prefix: 'eu-' }] }, [{ a: 'eu-south-1' }], [{ a: 'EU-south-1' }, { a: 5 }]],
    [{ a: [{ prefix: { 'equals-ignore-case': 'eu-' } }] }, [{ a: 'EU-x' }], [{ a: 'us-x' }]],
    [{ a: [{ suffix: '.tgz' }] }, [{ a: 'x.tgz' }], [{ a: 'x.TGZ' }]],
    [{ a: [{ suffix: { 'equals-ignore-case': '.tgz' } }] }, [{ a: 'x.TGZ' }], [{ a: 'x.zip' }]],
    [{ a: [{ 'equals-ignore-case': 'perù' }] }, [{ a: 'PERÙ' }], [{ a: 'PERU' }]],
    [{ a: [{ wildcard: 'a*b*c' }] }, [{ a: 'abc' }, { a: 'a--bb--c' }], [{ a: 'ab' }, { a: 'abcd' }, { a: 5 }]],
    [{ a: [{ wildcard: 'ab*ba' }] }, [{ a: 'abba' }], [{ a: 'aba' }]],
    [{ a: [{ wildcard: '1\\*\\\\' }] }, [{ a: '1*\\' }], [{ a: '1x\\' }]],
    [{ a: [{ exists: true }] }, [{ a: 0 }, { a: null }, { a: [{}, 1] }], [{}, { a: {} }, { a: [] }, { a: { b: 1 } }]],
    [{ a: [{ exists: false }] }, [{}, { a: {} }], [{ a: null }]],
    [{ a: ['x', { exists: false }] }, [{}, { a: 'x' }], [{ a: 'y' }]],
    [{ a: [{ 'anything-but': ['x', 'y'] }] }, [{ a: 'z' }, { a: 5 }, { a: ['x', 'z'] }], [{ a: 'x' }, {}]],
    [{ a: [{ 'anything-but': 5 }] }, [{ a: 6 }, { a: '5' }], [{ a: 5 }]],
    [{ a: [{ 'anything-but': { prefix: ['x', 'y'] } }] }, [{ a: 'zx' }, { a: 5 }], [{ a: 'xz' }, { a: 'y' }]],
    [{ a: [{ 'anything-but': { suffix: 'x' } }] }, [{ a: 'xz' }], [{ a: 'zx' }]],
    [{ a: [{ 'anything-but': { wildcard: '*/lib/*' } }] }, [{ a: 'lib' }], [{ a: 'a/lib/b' }]],
    [{ a: [{ 'anything-but': { 'equals-ignore-case': ['x'] } }] }, [{ a: 'y' }], [{ a: 'X' }]],
    [{ a: [{ numeric: ['=', 5] }] }, [{ a: 5 }], [{ a: '5' }, { a: 5.1 }]],
    [{ a: [{ numeric: ['>', 0, '<=', 5] }] }, [{ a: 5 }, { a: 0.1 }], [{ a: 0 }, { a: 5.1 }]],
    [{ a: [{ cidr: '10.0.0.0/24' }] }, [{ a: '10.0.0.255' }], [{ a: '10.0.1.0' }, { a: 'ten' }, { a: '::a00:1' }]],
    [{ a: [{ cidr: '2001:db8::/32' }] }, [{ a: '2001:db8:1::1' }], [{ a: '2001:db9::1' }, { a: '10.0.0.1' }]],
    [{ $or: [{ a: ['x'] }, { b: ['y'] }] }, [{ a: 'x' }, { b: 'y', a: 'z' }], [{ a: 'y' }, {}]],
    [{ c: ['z'], at: { $or: [{ a: ['x'] }, { b: ['y'] }] } }, [{ c: 'z', at: { b: 'y' } }], [{ at: { b: 'y' } }]],
    [{ $or: ['x'] }, [{ $or: 'x' }], [{ a: 'x' }]],
    [
      { of: { name: ['api'], state: ['ERROR'] } },
      [{ of: [{ name: 'db' }, { name: 'api', state: 'ERROR' }] }],
      [
        {
          of: [
            { name: 'db', state: 'ERROR' },
            { name: 'api', state: 'SUCCESS' },
          ],
        },
      ],
    ],
    [
      { of: { name: ['api'], error: [{ exists: false }] } },
      [{ of: [{ name: 'db', error: 'x' }, { name: 'api' }] }],
      [{ of: [{ name: 'db' }, { name: 'api', error: 'x' }] }],
    ],
  ])('%j', (pattern, matching, others) => {
    const matches = compilePattern(pattern);
    expect([...matching, ...others].filter(matches)).toEqual(matching);
  });

  it('B23: anything-but matches a null field and not a missing one', () => {
    const matches = compilePattern({ detail: { state: [{ 'anything-but': ['FAILED'] }] } });
    expect(matches({ detail: { state: null } })).toBe(true);
    expect(matches({ detail: {} })).toBe(false);
  });

  it('B24: booleans and numbers are never compared as text', () => {
    const isFalse = compilePattern({ detail: { dryRun: [false] } });
    const isFive = compilePattern({ detail: { dryRun: [5] } });
    const values = [false, 'false', 0, 5, '5'];
    const holding = (matches: (event: unknown) => boolean) =>
      values.filter((dryRun) => matches({ detail: { dryRun } }));
    expect(holding(isFalse)).toEqual([false]);
    expect(holding(isFive)).toEqual([5]);
  });
});

describe('a pattern is refused', () => {
  it.each<[pattern: unknown, reason: string]>([
    [[], 'not an object'],
    ['x', 'not an object'],
    [{}, 'Empty objects'],
    [{ a: {} }, 'Empty objects'],
    [{ a: [] }, 'Empty arrays'],
    [{ a: 'x' }, '"a" must be an object or an array'],
    [{ a: [['x']] }, 'nested'],
    [{ a: [{ toString: 'x' }] }, 'Unrecognized match type toString'],
    [{ a: [{ prefix: 'x', suffix: 'y' }] }, 'Only one key'],
    [{ a: [{ prefix: 5 }] }, 'must be a string'],
    [{ a: [{ prefix: { wildcard: 'x' } }] }, 'Unsupported prefix pattern: wildcard'],
    [{ a: [{ wildcard: 'a**b' }] }, 'Consecutive wildcard'],
    [{ a: [{ wildcard: 'a\\b' }] }, 'escape'],
    [{ a: [{ exists: 'yes' }] }, 'true or false'],
    [{ a: [{ 'anything-but': [] }] }, 'Empty arrays'],
    [{ a: [{ 'anything-but': [null] }] }, 'null'],
    [{ a: [{ 'anything-but': ['x', 5] }] }, 'mixed'],
    [{ a: [{ 'anything-but': { suffix: '' } }] }, 'Null prefix/suffix'],
    [{ a: [{ 'anything-but': { constructor: 'x' } }] }, 'Unsupported anything-but'],
    [{ a: [{ numeric: ['=='] }] }, 'operator'],
    [{ a: [{ numeric: ['<', 5, '>', 1] }] }, 'range'],
    [{ a: [{ numeric: ['>', 5, '<', 5] }] }, 'bottom'],
    [{ a: [{ numeric: ['>', '5'] }] }, 'must be numeric'],
    [{ a: [{ numeric: ['<', 5e10] }] }, 'between'],
    [{ a: [{ cidr: '10.0.0.0/33' }] }, 'CIDR'],
    [{ a: [{ cidr: '10.0.0/8' }] }, 'Nonstandard IP address'],
    [
      Object.fromEntries(
        Array.from({ length: 4 }, (_, n) => [
          `at${n}`,
          { $or: Array.from({ length: 6 }, (_, branch) => ({ [`f${branch}`]: ['x'] })) },
        ]),
      ),
      'combinations',
    ],
  ])('%j', (pattern, reason) => {
    expect(() => compilePattern(pattern)).toThrow(
      expect.objectContaining({ code: 'InvalidEventPatternException', message: expect.stringContaining(reason) }),
    );
  });
});
