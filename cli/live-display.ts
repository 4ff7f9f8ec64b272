/** Progress on a terminal: a frame of lines that is drawn over again. */
import type { Display } from './follow.ts';
import { hasEnded, type Line, type Progress, tookAt } from './progress.ts';
import type { Style } from './style.ts';
import { signOf } from './style.ts';
import type { Surroundings } from './surroundings.ts';
import { fitted, padded, widthOf } from './text.ts';
import { lasted } from './time.ts';

/** Names longer than this give way to what happens. */
const WIDEST_NAME = 32;

export class LiveDisplay<View> implements Display<View> {
  /** Widths of the lines on the screen: a terminal made narrower since has broken the long ones in two. */
  #drawn: readonly number[] = [];
  #last: Progress | undefined;
  /** Of the widest state so far: columns that jump to and fro can't be read. */
  #states = 0;

  constructor(
    private readonly surroundings: Pick<Surroundings, 'stdout' | 'now'>,
    private readonly style: Style,
    private readonly progressOf: (view: View) => Progress,
  ) {}

  show(view: View): void {
    this.#last = this.progressOf(view);
    this.#draw(this.#last);
  }

  away(reason: string, milliseconds: number): void {
    if (this.#last !== undefined) this.#draw(this.#last, `${reason}, for ${lasted(milliseconds)} now; trying again`);
  }

  end(): void {
    this.surroundings.stdout.write(`${this.#home()}\u001b[J`);
    this.#drawn = [];
  }

  #draw(progress: Progress, notice?: string): void {
    const { stdout } = this.surroundings;
    // The last column stays empty: some terminals break the line when it is written to.
    const columns = Math.max(1, stdout.columns - 1);
    const room = Math.max(1, stdout.rows - 3 - (notice === undefined ? 0 : 1));
    const lines = this.#frame(progress, columns, room);
    if (notice !== undefined) lines.push({ plain: fitted(notice, columns), colour: 'yellow' });
    const text = lines.map(({ plain, colour, state }) =>
      state !== undefined
        ? this.style.inState(state, plain)
        : colour !== undefined
          ? this.style.paint(colour, plain)
          : plain,
    );
    stdout.write(`${this.#home()}${text.map((line) => `${line}\u001b[K\n`).join('')}\u001b[J`);
    this.#drawn = lines.map(({ plain }) => widthOf(plain));
  }

  #frame(progress: Progress, columns: number, room: number): Drawn[] {
    const now = this.surroundings.now();
    const ended = progress.lines.filter(({ state }) => hasEnded(state)).length;
    const took = tookAt(progress, now);
    const head = [
      `${signOf(progress.state)} ${progress.id}`,
      progress.state,
      ...(took === undefined ? [] : [lasted(took)]),
      ...(progress.lines.length > 1 ? [`${ended} of ${progress.lines.length} ended`] : []),
      ...(progress.detail === '' ? [] : [progress.detail]),
    ];
    const drawn: Drawn[] = [{ plain: fitted(head.join('  '), columns), colour: 'bold' }];
    const { shown, hidden } = mostTelling(progress.lines, room);
    const names = Math.min(WIDEST_NAME, Math.max(...shown.map(({ name }) => widthOf(name)), 0));
    this.#states = Math.max(this.#states, ...shown.map(({ state }) => state.length));
    for (const line of shown) {
      const time = tookAt(line, now);
      const cells = [padded(fitted(line.name, names), names), line.state.padEnd(this.#states)];
      const rest = `${(time === undefined ? '' : lasted(time)).padStart(7)}  ${line.detail}`;
      const plain = fitted(`  ${signOf(line.state)} ${cells.join('  ')}  ${rest}`.trimEnd(), columns);
      drawn.push({ plain, state: line.state });
    }
    if (hidden.length > 0) drawn.push({ plain: fitted(`    … and ${counted(hidden)}`, columns), colour: 'dim' });
    return drawn;
  }

  /** Back to the first line of the frame. */
  #home(): string {
    const columns = Math.max(1, this.surroundings.stdout.columns);
    const rows = this.#drawn.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0);
    return rows === 0 ? '\r' : `\u001b[${rows}A\r`;
  }
}

interface Drawn {
  readonly plain: string;
  readonly colour?: 'bold' | 'dim' | 'yellow';
  readonly state?: string;
}

/** What a person looks for first, when there is no room for all: failures, what runs, what comes next, what is done. */
function mostTelling(lines: readonly Line[], room: number): { shown: readonly Line[]; hidden: readonly Line[] } {
  if (lines.length <= room) return { shown: lines, hidden: [] };
  const rank = ({ state }: Line) => {
    if (state === 'RUNNING' || state === 'ROLLING_BACK') return 1;
    if (!hasEnded(state)) return 2;
    return state === 'ERROR' ? 0 : 3;
  };
  const order = lines.map((line, at) => ({ line, at })).sort((a, b) => rank(a.line) - rank(b.line) || a.at - b.at);
  const picked = new Set(order.slice(0, Math.max(0, room - 1)).map(({ line }) => line));
  return { shown: lines.filter((line) => picked.has(line)), hidden: lines.filter((line) => !picked.has(line)) };
}

/** `34 more: 20 SUCCESS, 14 ENQUEUED`. */
function counted(lines: readonly Line[]): string {
  const counts = new Map<string, number>();
  for (const { state } of lines) counts.set(state, (counts.get(state) ?? 0) + 1);
  return `${lines.length} more: ${[...counts].map(([state, count]) => `${count} ${state}`).join(', ')}`;
}
