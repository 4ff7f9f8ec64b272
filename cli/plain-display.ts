/** Progress where nothing can be redrawn, as in CI: a line whenever something has changed, and none otherwise. */
import type { Display } from './follow.ts';
import { hasEnded, type Line, type Progress, tookAt } from './progress.ts';
import type { Surroundings } from './surroundings.ts';
import { padded, widthOf } from './text.ts';
import { instant, lasted } from './time.ts';

export class PlainDisplay<View> implements Display<View> {
  readonly #said = new Map<string, string>();
  #away = false;

  constructor(
    private readonly surroundings: Pick<Surroundings, 'stdout' | 'now'>,
    private readonly progressOf: (view: View) => Progress,
  ) {}

  show(view: View): void {
    const progress = this.progressOf(view);
    const names = Math.max(...[progress.id, ...progress.lines.map(({ name }) => name)].map(widthOf));
    if (this.#away) this.#write('the server answers again');
    this.#away = false;
    const only = progress.lines.length === 1 && progress.lines[0]?.name === progress.id;
    // Its end is said last, after that of its deploys.
    const own = { ...progress, name: progress.id };
    if (!only && !hasEnded(progress.state)) this.#say(`release ${progress.id}`, own, names);
    for (const line of progress.lines) this.#say(line.name, line, names);
    if (!only && hasEnded(progress.state)) this.#say(`release ${progress.id}`, own, names);
  }

  away(reason: string): void {
    if (!this.#away) this.#write(`${reason}; trying again`);
    this.#away = true;
  }

  end(): void {}

  #say(key: string, line: Line, names: number): void {
    const said = `${line.state} ${line.detail}`;
    if (this.#said.get(key) === said) return;
    this.#said.set(key, said);
    const took = hasEnded(line.state) ? tookAt(line, this.surroundings.now()) : undefined;
    const cells = [padded(line.name, names), line.state.padEnd('SUCCESS'.length)];
    if (took !== undefined) cells.push(lasted(took));
    if (line.detail !== '') cells.push(line.detail);
    this.#write(cells.join('  ').trimEnd());
  }

  #write(text: string): void {
    this.surroundings.stdout.write(`${instant(this.surroundings.now())}  ${text}\n`);
  }
}
