/** The list of rules against the tests: every rule has one that is there and runs. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { problemsOf, rowsOf } from './rule-rows.ts';
import { type NamedTest, testsOf } from './test-names.ts';

const root = new URL('../../', import.meta.url);
const read = new Map<string, readonly NamedTest[]>();
function testsOfFile(file: string): readonly NamedTest[] | undefined {
  const path = new URL(file, root);
  if (!existsSync(path)) return undefined;
  const tests = read.get(file) ?? testsOf(readFileSync(path, 'utf8'));
  read.set(file, tests);
  return tests;
}

describe('docs/rules.md', () => {
  const rows = rowsOf(readFileSync(new URL('docs/rules.md', root), 'utf8'));

  test('has its rules, in sections', () => {
    expect(rows.length).toBeGreaterThan(250);
    expect(new Set(rows.map(({ section }) => section)).size).toBeGreaterThan(10);
  });

  test.each(rows.map((row) => [`line ${row.line}, ${row.section}: ${row.cells[0]}`, row] as const))('%s', (_, row) => {
    expect(problemsOf(row, testsOfFile)).toEqual([]);
  });

  test('has no rule twice', () => {
    const plain = rows.map(
      ({ cells: [rule = ''], section }) => `${section}: ${rule.toLowerCase().replace(/\W+/g, ' ')}`,
    );
    expect(plain.filter((rule, index) => plain.indexOf(rule) !== index)).toEqual([]);
  });
});

describe('a row is told', () => {
  const SOURCE = `
    const table = [['one', 1]];
    describe('inside', () => { const table = [['two', 2]]; test.each(table)('also of %s', () => {}); });
    test('plain', () => {});
    test.each(table)('of %s', () => {});
    test.skip('left out', () => {});
    describe.skip('nothing of it', () => { it('within', () => {}); });
    describe.each(['x'])('some %s', () => { it.each(Object.entries({ key: 'word' }))('%s of it', () => {}); });
    it.runIf(process.platform === 'linux')('seldom', () => {});
  `;
  const problems = (cell: string, rule = 'A rule.') => {
    const [row] = rowsOf(`## A\n\n| rule | test |\n| --- | --- |\n| ${rule} | ${cell} |\n`);
    if (row === undefined) throw new Error('there is no row');
    return problemsOf(row, (file) => (file === 'test/a.test.ts' ? testsOf(SOURCE) : undefined));
  };
  const a = (name: string) => `\`test/a.test.ts\` «${name}»`;

  test.each([
    ['a rule that is empty', '', a('plain'), 'it has no rule'],
    ['a test that is empty', 'A rule.', '', 'it has no test'],
    ['what names no test', 'A rule.', 'test/a.test.ts', '"test/a.test.ts" is not `test/….test.ts` «name»'],
    ['a file that is not there', 'A rule.', '`test/b.test.ts` «plain»', 'there is no file test/b.test.ts'],
    ['a test that is not there', 'A rule.', a('plainer'), 'test/a.test.ts has no test «plainer»'],
    ['a part of a name', 'A rule.', a('plai'), 'test/a.test.ts has no test «plai»'],
    ['a second test that is not there', 'A rule.', `${a('plain')}<br>${a('x')}`, 'test/a.test.ts has no test «x»'],
    ['a test that is skipped', 'A rule.', a('left out'), '«left out» of test/a.test.ts is skipped'],
    ['a test of what is skipped', 'A rule.', a('within'), '«within» of test/a.test.ts is skipped'],
    ['a test that runs seldom', 'A rule.', a('seldom'), '«seldom» of test/a.test.ts is skipped'],
    ['a case that is not there', 'A rule.', `${a('of %s')} · «two»`, '«of %s» of test/a.test.ts has no case «two»'],
    ['a third cell', 'A rule.', `${a('plain')} | more`, 'it has more than two cells'],
  ])('for %s', (_, rule, cell, problem) => {
    expect(problems(cell, rule)).toEqual([problem]);
  });

  test('as right with a test, or with cases of one', () => {
    for (const cell of [
      a('plain'),
      `${a('of %s')} · «one»`,
      `${a('also of %s')} · «two»`,
      `${a('%s of it')} · «key» · «word» · «x»`,
    ]) {
      expect(problems(cell)).toEqual([]);
    }
  });
});
