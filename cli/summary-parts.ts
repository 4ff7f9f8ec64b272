/** Parts that a release and a deploy show alike. */
import type { ExportsView } from '../api/contract.ts';
import type { Session } from './session.ts';
import { fitted, harmless, oneLine, table, widthOf } from './text.ts';

/** Exports are shown to recognise them; `--json` has them whole. */
const WIDEST_EXPORT = 80;

/** A heading and the message below it: its last lines may be those of a log. */
export function indented(heading: string, message: string): string[] {
  const [first = '', ...rest] = harmless(message).trimEnd().split('\n');
  return [`  ${heading}`, `    ${first}`, ...rest.map((line) => `    ${line}`.trimEnd())];
}

type Shown = ExportsView[string];

export function exportsOf({ style, columns }: Session, exports: readonly (readonly [string, Shown])[]): string[] {
  if (exports.length === 0) return [];
  const names = Math.max(...exports.map(([name]) => widthOf(name)));
  const room = Math.max(20, Math.min(WIDEST_EXPORT, columns - names - 6));
  const rows = exports.map(([name, value]) => [' ', name, `= ${fitted(oneLine(textOf(value)), room)}`]);
  return ['', style.paint('bold', 'exports'), ...table(rows, ' ')];
}

/** Targets by their hosts, and what stands beside a host only for whoever asks for `--json`. */
function textOf(value: Shown): string {
  if (typeof value === 'string') return value;
  return `${value.length} ${value.length === 1 ? 'target' : 'targets'}: ${value.map(({ host }) => host).join(', ')}`;
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
