/** Parts that a release and a deploy show alike. */
import type { Session } from './session.ts';
import { fitted, harmless, oneLine, table, widthOf } from './text.ts';

/** Exports are shown to recognise them; `--json` has them whole. */
const WIDEST_EXPORT = 80;

/** A heading and the message below it: its last lines may be those of a log. */
export function indented(heading: string, message: string): string[] {
  const [first = '', ...rest] = harmless(message).trimEnd().split('\n');
  return [`  ${heading}`, `    ${first}`, ...rest.map((line) => `    ${line}`.trimEnd())];
}

export function exportsOf({ style, columns }: Session, exports: readonly (readonly string[])[]): string[] {
  if (exports.length === 0) return [];
  const names = Math.max(...exports.map(([name = '']) => widthOf(name)));
  const room = Math.max(20, Math.min(WIDEST_EXPORT, columns - names - 6));
  const rows = exports.map(([name = '', value = '']) => [' ', name, `= ${fitted(oneLine(value), room)}`]);
  return ['', style.paint('bold', 'exports'), ...table(rows, ' ')];
}

export function lookCloser(
  { style }: Session,
  link: string | undefined,
  commands: readonly (readonly [string, string])[],
) {
  const rows = [...commands, ...(link === undefined ? [] : [['console', link] as const])];
  if (rows.length === 0) return [];
  return ['', style.paint('bold', 'look closer'), ...table(rows.map(([what, where]) => ['', what, where]))];
}
