/** A table as Markdown, so that what is printed can stand in docs/measures.md as it is. */
export interface Table {
  readonly title: string;
  /** What the numbers mean, and what they do not. */
  readonly about: readonly string[];
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
}

export function printed({ title, about, columns, rows }: Table): string {
  const cells = [columns, ...rows.map((row) => row.map(shown))];
  const widths = columns.map((_, at) => Math.max(...cells.map((row) => String(row[at] ?? '').length), 3));
  const numeric = columns.map((_, at) => rows.every((row) => typeof row[at] === 'number' || row[at] === ''));
  const line = (row: readonly string[]) =>
    `| ${widths.map((width, at) => (numeric[at] ? (row[at] ?? '').padStart(width) : (row[at] ?? '').padEnd(width))).join(' | ')} |`;
  const rule = `| ${widths.map((width, at) => (numeric[at] ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width))).join(' | ')} |`;
  const [head = [], ...body] = cells;
  return `\n### ${title}\n\n${about.join('\n')}\n\n${[line(head), rule, ...body.map(line)].join('\n')}\n`;
}

/** Three significant digits, never an exponent. */
function shown(value: string | number): string {
  if (typeof value === 'string') return value;
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return Number(value.toFixed(Math.min(decimals, 6))).toLocaleString('en-US', { maximumFractionDigits: 6 });
}
