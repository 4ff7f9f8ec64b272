const [UP, RIGHT, DOWN, LEFT] = [1, 2, 4, 8];
/** Lines by the directions in which they leave a cell, as a sum of up 1, right 2, down 4 and left 8. */
const LINES = ' │─└││┌├─┘─┴┐┤┬┼';

interface Line {
  readonly owner: string;
  readonly directions: number;
}

/** Characters on a grid that grows as it is written; lines of one owner join, lines of two owners only cross. */
export class Canvas {
  readonly #rows: string[][] = [];
  readonly #lines = new Map<string, Line>();

  put(column: number, row: number, character: string): void {
    while (this.#rows.length <= row) this.#rows.push([]);
    const cells = this.#rows[row];
    if (cells === undefined) return;
    while (cells.length < column) cells.push(' ');
    cells[column] = character;
  }

  write(column: number, row: number, text: string): void {
    [...text].forEach((character, at) => {
      this.put(column + at, row, character);
    });
  }

  /** A line down rows `from` to `to`; `above` and `below` say whether it goes on beyond its first and last row. */
  vertical(column: number, from: number, to: number, owner: string, { above = true, below = true } = {}): void {
    for (let row = from; row <= to; row++) {
      const up = row > from || above ? UP : 0;
      const down = row < to || below ? DOWN : 0;
      this.#line(column, row, owner, up | down);
    }
  }

  horizontal(from: number, to: number, row: number, owner: string): void {
    for (let column = from; column <= to; column++) {
      this.#line(column, row, owner, (column === from ? 0 : LEFT) | (column === to ? 0 : RIGHT));
    }
  }

  #line(column: number, row: number, owner: string, directions: number): void {
    const key = `${column},${row}`;
    const there = this.#lines.get(key);
    if (there !== undefined && there.owner !== owner) {
      // A crossing: the vertical line passes over the other one, which is seen to go on at both sides.
      if ((there.directions & (UP | DOWN)) !== 0) return;
      this.#set(column, row, { owner, directions });
      return;
    }
    this.#set(column, row, { owner, directions: directions | (there?.directions ?? 0) });
  }

  #set(column: number, row: number, line: Line): void {
    this.#lines.set(`${column},${row}`, line);
    this.put(column, row, LINES[line.directions] ?? ' ');
  }

  toString(): string {
    return this.#rows
      .map(
        (cells) =>
          `${[...cells]
            .map((cell) => cell ?? ' ')
            .join('')
            .trimEnd()}\n`,
      )
      .join('');
  }
}
