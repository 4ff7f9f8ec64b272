import { describe, expect, test } from 'vitest';
import { compileTemplate, evaluate, QueryError } from '../../../local/stepfunctions/expressions.ts';
import type { Json } from '../../../local/stepfunctions/json.ts';
import { sequence } from '../../../local/stepfunctions/jsonata-functions.ts';

const source = () => ({ now: Date.UTC(2026, 9, 1, 12), random: sequence('seed') });
const value = (expression: string, bindings: Record<string, unknown> = {}): Promise<Json> =>
  evaluate(compileTemplate(`{% ${expression} %}`, 'Output'), bindings, source());

const X = { y: 5, many: [{ n: 1 }, { n: 2 }], one: [{ n: 1 }], none: [], zero: null };

describe('an expression', () => {
  test.each([
    ['$partition([1..5], 2)', [[1, 2], [3, 4], [5]]],
    ['$range(0, 10, 5)', [0, 5, 10]],
    ['$range(3, 1, -1)', [3, 2, 1]],
    ["$hash('abc', 'MD5')", '900150983cd24fb0d6963f7d28e17f72'],
    ["$hash('abc', 'SHA-1')", 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['$parse(\'{"a": [1]}\')', { a: [1] }],
    ['$now()', '2026-10-01T12:00:00.000Z'],
    ["$now('[Y0001]-[M01]-[D01]')", '2026-10-01'],
    ['$millis()', Date.UTC(2026, 9, 1, 12)],
    ['$random(7) = $random(7)', true],
    ['$random() = $random()', false],
    ["$contains('a$b', /\\$/)", true],
    ['$x.y', 5],
    ['$x', { y: 5, many: [{ n: 1 }, { n: 2 }], one: [{ n: 1 }], none: [], zero: null }],
    ['$x.many', [{ n: 1 }, { n: 2 }]],
    ['$x.many.n', [1, 2]],
    ['$x.one', [{ n: 1 }]],
    ['$x.one.n', 1],
    ['$x.none', []],
    ['$x.zero', null],
    ['[1, 2, 3][$ > 1]', [2, 3]],
    ["{'a': [1][0]}", { a: 1 }],
    ['null', null],
  ])('%s is %j', async (expression, expected) => {
    expect(await value(expression, { x: X })).toEqual(expected);
  });

  test('gives plain JSON, without what JSONata adds to its arrays', async () => {
    const result = await value('$append([1], 2)');
    expect(Object.getOwnPropertyNames(result)).toEqual(['0', '1', 'length']);
  });

  test('gives UUIDs of version 4, always the same ones for one seed', async () => {
    const uuid = await value('$uuid()');
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(await value('$uuid()')).toBe(uuid);
  });

  test.each([
    ['$states.nothing', "'$states.nothing' specified for the field 'Output' returned nothing (undefined)."],
    ['$states.constructor', 'returned a function'],
    ['$now', 'returned a function'],
    ['1 + "a"', 'threw an error during evaluation. T2002'],
    ['function($x){$x}', 'returned a function'],
    ['$error("stop")', 'stop'],
    ['$parse("{")', 'threw an error during evaluation.'],
    ['$hash("a", "CRC")', 'must be one of MD5'],
    ['$range(0, 1e9, 1)', 'more than 100000 items'],
    ['($f := function($n){$f($n + 1) + 1}; $f(0))', 'nested deeper than 500'],
    ['($f := function($n){$f($n + 1)}; $f(0))', 'more than 500000 evaluations'],
  ])('%s fails as an evaluation error', async (expression, said) => {
    const failing = value(expression, { states: {} });
    await expect(failing).rejects.toBeInstanceOf(QueryError);
    await expect(failing).rejects.toThrow(said);
  });

  test('names the field that failed, inside a larger template', async () => {
    const template = compileTemplate({ list: [1, { deep: '{% $missing %}' }] }, 'Arguments');
    await expect(evaluate(template, {}, source())).rejects.toMatchObject({ location: 'Arguments/list[1]/deep' });
  });
});
