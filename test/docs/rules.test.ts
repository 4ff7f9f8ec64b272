/** The table of rules: no row without a test, and no test in it that is not in its file. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const ROW = /^\| (.*?) \| (.*) \|$/;
const NAMED = /^`(test\/[^`]+\.test\.ts)` · `([^`]+)`$/;

interface Named {
  readonly file: string;
  /** As vitest prints it: groups and title, ` > ` between them. */
  readonly name: string;
}

const page = readFileSync(path.join(ROOT, 'docs/rules.md'), 'utf8');
const rows = page
  .split('\n')
  .map((line) => ROW.exec(line)?.slice(1))
  .filter((cells): cells is [string, string] => cells !== undefined)
  .filter(([rule]) => rule.trim() !== 'rule' && !/^-+$/.test(rule.trim()))
  .map(([rule, tests]) => ({ rule: rule.trim(), tests: tests.trim().split('<br>') }));

function namedIn(cell: string): Named | undefined {
  const [, file, name] = NAMED.exec(cell.replaceAll('\\|', '|')) ?? [];
  return file === undefined || name === undefined ? undefined : { file, name };
}

/** Titles of groups and tests as they are written, with what `test.each` puts in standing for anything. */
function titlesOf(text: string): RegExp[] {
  const calls = /\b(?:describe|test|it)(?:\.\w+)*(?=\s*\()|\]\)\(/g;
  const titles: RegExp[] = [];
  for (const { index } of text.matchAll(calls)) {
    const title = /^[\s\S]{0,40}?\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`]*)`)/.exec(
      text.slice(index),
    );
    const written = title?.[1] ?? title?.[2] ?? title?.[3];
    if (written !== undefined) titles.push(pattern(written.replace(/\\(['"\\])/g, '$1')));
  }
  // `test.each(cases)('title', …)`, however long the cases are.
  for (const [, one, two] of text.matchAll(/\)\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")/g)) {
    titles.push(pattern((one ?? two ?? '').replace(/\\(['"\\])/g, '$1')));
  }
  return titles;
}

function pattern(title: string): RegExp {
  const parts = title.split(/%[sdifjop]|\$\{[^}]*\}|\$[a-zA-Z_.]+/);
  return new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(.*)')}$`);
}

/** What is put into a title stands in the file: whole and quoted where it is all of the title, else word by word. */
function isThere(part: string, titles: readonly RegExp[], text: string): boolean {
  return titles.some((title) => {
    const match = title.exec(part);
    if (match === null) return false;
    if (title.source === '^(.*)$') return ["'", '"', '`'].some((quote) => text.includes(quote + part + quote));
    return match.slice(1).every((words) => words.split(/[^\p{L}\p{N}]+/u).every((word) => text.includes(word)));
  });
}

/** Modules beside a test that it imports: cases may come from there. */
function besideOf(file: string): string {
  const folder = path.join(ROOT, path.dirname(file));
  const imports = readFileSync(path.join(ROOT, file), 'utf8').matchAll(/from '\.\/([a-z-]+\.ts)'/g);
  return [...imports].map(([, name = '']) => readFileSync(path.join(folder, name), 'utf8')).join('\n');
}

test('the page has its rules', () => {
  expect(rows.length).toBeGreaterThan(100);
  expect(new Set(rows.map(({ rule }) => rule)).size).toBe(rows.length);
});

test('every line of a table is a row with a rule and a test', () => {
  const lines = page.split('\n').filter((line) => line.startsWith('|') && !/^\| *(rule|-+) /.test(line));
  expect(lines).toHaveLength(rows.length);
  for (const { rule, tests } of rows) {
    expect(rule).not.toBe('');
    for (const cell of tests) expect(namedIn(cell), `«${rule}» names no test: ${cell}`).toBeDefined();
  }
});

test('every test that the page names is in its file', () => {
  const absent = rows
    .flatMap(({ tests }) => tests.map(namedIn))
    .filter((named) => named !== undefined)
    .filter(({ file, name }) => {
      if (!existsSync(path.join(ROOT, file))) return true;
      const text = readFileSync(path.join(ROOT, file), 'utf8') + besideOf(file);
      const titles = titlesOf(text);
      return !name.split(' > ').every((part) => isThere(part, titles, text));
    });
  expect(absent).toEqual([]);
});

test('a test that is not there would be found', () => {
  const text =
    "test('a', () => {});\ntest.each([1])('b %i is', () => {});\ntest.each(['x'])('d %s', () => {});\ntest.each(cases)('%s', () => {});";
  const titles = titlesOf(text);
  expect(['a', 'b 1 is'].every((part) => isThere(part, titles, text))).toBe(true);
  expect(['c', 'b 1 was', 'b 2 is', 'd nothing'].some((part) => isThere(part, titles, text))).toBe(false);
});
