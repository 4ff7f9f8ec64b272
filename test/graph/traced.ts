/** Reads a drawing of `renderText` as a person would: follows the lines from each box down to the points of arrows. */
const OPEN = new Map<string, string>([
  ['│', 'UD'],
  ['─', 'LR'],
  ['└', 'UR'],
  ['┌', 'DR'],
  ['┘', 'UL'],
  ['┐', 'DL'],
  ['├', 'UDR'],
  ['┤', 'UDL'],
  ['┴', 'ULR'],
  ['┬', 'DLR'],
  ['┼', 'UDLR'],
]);
const STEP = new Map([
  ['U', [-1, 0]],
  ['D', [1, 0]],
  ['L', [0, -1]],
  ['R', [0, 1]],
] as const);
const BACK = new Map([
  ['U', 'D'],
  ['D', 'U'],
  ['L', 'R'],
  ['R', 'L'],
] as const);
type Way = 'U' | 'D' | 'L' | 'R';

interface Box {
  readonly name: string;
  readonly row: number;
  readonly left: number;
  readonly right: number;
}

/** Every arrow as `from -> to`, sorted. Boxes are one line high and called n and a number. */
export function arrowsIn(drawing: string): string[] {
  const rows = drawing.split('\n').map((line) => [...line]);
  const boxes = drawing
    .split('\n')
    .flatMap((line, row) =>
      [...line.matchAll(/│ *(n\d+) *│/g)].map(
        (match): Box => ({ name: match[1] ?? '', row, left: match.index, right: match.index + match[0].length - 1 }),
      ),
    );
  return boxes
    .flatMap((box) => {
      const bottom = rows[box.row + 1] ?? [];
      const exits = bottom.flatMap((cell, at) => (cell === '┬' && at > box.left && at < box.right ? [at] : []));
      return exits.flatMap((column) => ends(rows, boxes, box.row + 1, column)).map((name) => `${box.name} -> ${name}`);
    })
    .sort();
}

function ends(rows: readonly string[][], boxes: readonly Box[], row: number, column: number): string[] {
  const found: string[] = [];
  const open: { row: number; column: number; way: Way }[] = [{ row, column, way: 'D' }];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { way } = at;
    const [down, right] = STEP.get(way) ?? [0, 0];
    const [nextRow, nextColumn] = [at.row + down, at.column + right];
    const cell = rows[nextRow]?.[nextColumn] ?? ' ';
    if (cell === '▼' && way === 'D') {
      const box = boxes.find((one) => one.row === nextRow + 1 && one.left < nextColumn && nextColumn < one.right);
      found.push(box?.name ?? 'nothing');
      continue;
    }
    const back = BACK.get(way) ?? 'U';
    const ways = [...(OPEN.get(cell) ?? '')] as Way[];
    if (ways.includes(back)) {
      for (const next of ways) if (next !== back) open.push({ row: nextRow, column: nextColumn, way: next });
    } else if (cell === '│') {
      open.push({ row: nextRow, column: nextColumn, way });
    } else {
      found.push(`a loose end at ${nextRow}:${nextColumn}`);
    }
  }
  return found;
}
