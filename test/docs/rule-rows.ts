/** The rows of docs/rules.md, and what is wrong with one. */
import type { NamedTest } from './test-names.ts';

export interface Row {
  readonly line: number;
  readonly section: string;
  readonly cells: readonly string[];
}

export function rowsOf(page: string): Row[] {
  let section = '';
  return page.split('\n').flatMap((text, index): Row[] => {
    if (text.startsWith('## ')) section = text.slice(3);
    const cells = text.startsWith('|') ? text.slice(1, -1).split('|') : [];
    const row = { line: index + 1, section, cells: cells.map((cell) => cell.trim()) };
    const isHead = row.cells[0] === 'rule' || /^:?-+:?$/.test(row.cells[0] ?? '-');
    return cells.length === 0 || isHead ? [] : [row];
  });
}

interface Reference {
  readonly file: string;
  readonly name: string;
  readonly cases: readonly string[];
}

const REFERENCE = /^`(test\/[\w/.-]+\.test\.ts)` «([^«»]+)»((?: · «[^«»]+»)*)$/;

/** The tests that a row names, one a line; undefined where a line is none. */
function referencesOf(cell: string): (Reference | undefined)[] {
  return cell.split('<br>').map((line) => {
    const [, file, name, cases = ''] = REFERENCE.exec(line.trim()) ?? [];
    if (file === undefined || name === undefined) return undefined;
    return { file, name, cases: [...cases.matchAll(/«([^«»]+)»/g)].map(([, one = '']) => one) };
  });
}

/** `tests`: those of a file, undefined when there is no such file. */
export function problemsOf({ cells }: Row, tests: (file: string) => readonly NamedTest[] | undefined): string[] {
  const [rule = '', cell = '', ...more] = cells;
  if (more.length > 0) return ['it has more than two cells'];
  if (rule === '') return ['it has no rule'];
  if (cell === '') return ['it has no test'];
  return referencesOf(cell).flatMap((reference) => {
    if (reference === undefined) return [`"${cell}" is not \`test/….test.ts\` «name»`];
    const { file, name, cases } = reference;
    const all = tests(file);
    if (all === undefined) return [`there is no file ${file}`];
    const named = all.filter((test) => test.name === name);
    if (named.length === 0) return [`${file} has no test «${name}»`];
    const running = named.filter(({ skipped }) => !skipped);
    if (running.length === 0) return [`«${name}» of ${file} is skipped`];
    return cases
      .filter((one) => !running.some((test) => test.cases.has(one)))
      .map((one) => `«${name}» of ${file} has no case «${one}»`);
  });
}
