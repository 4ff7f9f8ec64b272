/** Problems of documents, as compilers print theirs: an editor can jump to `file:line:column`. */
import type { Problem } from '../core/errors.ts';
import type { Style } from './style.ts';
import { fitted, harmless, oneLine, widthOf, wrapped } from './text.ts';

type Position = NonNullable<Problem['position']>;

/** A position's line is an excerpt of at most this many characters, and a `…` at each end that was cut. */
const EXCERPT = 200;

export function renderProblems(problems: readonly Problem[], style: Style, columns: number): string {
  const shown = inFileOrder(problems).map((problem) => renderProblem(problem, style, columns));
  const files = [...new Set(problems.flatMap(({ position }) => (position === undefined ? [] : [position.file])))];
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const where = files.length === 0 ? '' : files.length > 4 ? ` in ${files.length} files` : ` in ${files.join(', ')}`;
  return `${shown.join('\n')}\n${style.paint('bold', `${count}${where}`)}\n`;
}

/** Files in the order in which they come up, each from its top to its end; what has no place comes first. */
function inFileOrder(problems: readonly Problem[]): Problem[] {
  const files = [...new Set(problems.map(({ position }) => position?.file))];
  const rank = ({ position }: Problem) => (position === undefined ? -1 : files.indexOf(position.file));
  return [...problems].sort((one, other) => {
    const [a, b] = [one.position, other.position];
    return rank(one) - rank(other) || (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
  });
}

function renderProblem({ code, path, message, hint, position }: Problem, style: Style, columns: number): string {
  const place = position === undefined ? path : `${position.file}:${position.line}:${position.column}`;
  const before = place === '' ? '' : `${style.paint('bold', place)}: `;
  const lines = [`${before}${style.paint('red', code)}: ${oneLine(message)}`];
  if (position !== undefined && position.source !== '') lines.push(...sourceLines(position, style, columns));
  if (hint !== undefined) lines.push(...hintLines(oneLine(hint), style, columns));
  return `${lines.join('\n')}\n`;
}

function hintLines(hint: string, style: Style, columns: number): string[] {
  const [first = '', ...rest] = wrapped(hint, columns - 12).split('\n');
  return [`      ${style.paint('cyan', 'hint')}: ${first}`, ...rest.map((line) => `            ${line}`)];
}

function sourceLines({ source, line, column }: Position, style: Style, columns: number): string[] {
  const margin = String(line).padStart(5);
  const blank = ' '.repeat(margin.length);
  const bar = style.paint('dim', '|');
  // Columns count characters; a tab is one of them, and so is shown as one.
  const characters = [...harmless(source).replaceAll('\t', ' ')];
  const caret = caretIn([...source].length, source, column);
  const room = Math.max(20, columns - margin.length - 4);
  if (caret === undefined) return [`${style.paint('dim', margin)} ${bar} ${fitted(characters.join(''), room)}`];
  const from = Math.max(0, Math.min(caret - Math.floor(room / 2), characters.length - room));
  const visible = characters.slice(from, from + room).join('');
  const pad = widthOf(characters.slice(from, caret).join(''));
  return [
    `${style.paint('dim', margin)} ${bar} ${visible.trimEnd()}`,
    `${style.paint('dim', blank)} ${bar} ${' '.repeat(pad)}${style.paint('red', '^')}`,
  ];
}

/** Index of the column in the line as it is shown; undefined where an excerpt does not tell. */
function caretIn(length: number, source: string, column: number): number | undefined {
  if (length <= EXCERPT || !source.startsWith('…')) return column - 1;
  return source.endsWith('…') ? EXCERPT / 2 + 1 : undefined;
}
