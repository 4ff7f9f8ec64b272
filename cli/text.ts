/** How wide text is on a terminal, and text that fits. */

/** Characters that take two columns: East Asian letters, full-width forms and pictures. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF01-\uFF60\p{Emoji_Presentation}]/u;
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}]/u;

function widthOfCharacter(character: string): number {
  return NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

/** Columns that a text without control characters takes. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

/** At most that many columns of a text; what is cut off shows as `…`. */
export function fitted(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let width = 0;
  let kept = '';
  for (const character of text) {
    width += widthOfCharacter(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return columns < 1 ? '' : `${kept}…`;
}

export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Sequences that would move a terminal's cursor or change its colours, whoever wrote them into a log or a message. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\^_])/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Text of others as a terminal may be given it: lines and tabs stay, every other control character goes. */
export function harmless(text: string): string {
  return text.replace(ESCAPES, '').replaceAll('\r\n', '\n').replace(CONTROLS, '');
}

/** Text of others in one line. */
export function oneLine(text: string): string {
  return harmless(text)
    .replace(/\s*\n\s*/g, ' · ')
    .replaceAll('\t', ' ')
    .trim();
}

/** Words in lines of at most that many columns; a longer word keeps its line. */
export function wrapped(text: string, columns: number, indent = ''): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    const fresh = line === indent;
    if (!fresh && widthOf(line) + 1 + widthOf(word) > columns) {
      lines.push(line);
      line = indent + word;
    } else line += fresh ? word : ` ${word}`;
  }
  return [...lines, line].join('\n');
}

/** Rows of cells in columns that are as wide as their widest cell; nothing is padded at the end of a line. */
export function table(rows: readonly (readonly string[])[], gap = '  '): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, widthOf(cell));
  }
  return rows.map((row) =>
    row
      .map((cell, at) => padded(cell, widths[at] ?? 0))
      .join(gap)
      .trimEnd(),
  );
}
