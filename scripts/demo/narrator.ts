/** What a demonstration says between the commands that it runs. */
import { Style } from '../../cli/style.ts';
import { table, wrapped } from '../../cli/text.ts';

const WIDEST = 100;

export class Narrator {
  readonly #style = new Style(
    { write: () => {}, isTTY: process.stdout.isTTY === true, columns: 0, rows: 0 },
    process.env,
    true,
  );
  readonly #columns = Math.min(process.stdout.columns || WIDEST, WIDEST);

  title(text: string): void {
    this.#say(`\n${this.#style.paint('bold', text)}`);
  }

  /** A step, and in a sentence or two what there is to see in it. */
  step(title: string, about = ''): void {
    const rule = '─'.repeat(Math.max(3, this.#columns - title.length - 4));
    this.#say(
      `\n${this.#style.paint('dim', '──')} ${this.#style.paint('bold', title)} ${this.#style.paint('dim', rule)}`,
    );
    if (about !== '') this.#say(wrapped(about, this.#columns));
    this.#say('');
  }

  command(args: readonly string[]): void {
    this.#say(`${this.#style.paint('dim', '$')} ${this.#style.paint('cyan', `renga ${args.join(' ')}`)}`);
  }

  rows(rows: readonly (readonly string[])[]): void {
    const [head = '', ...lines] = table(rows.map((row) => ['', ...row]));
    this.#say([this.#style.paint('dim', head), ...lines].join('\n'));
  }

  plain(text: string, indent = ''): void {
    this.#say(wrapped(text, this.#columns, indent));
  }

  verdict(good: boolean, text: string): void {
    const sign = good ? this.#style.paint('green', '✓') : this.#style.paint('red', '✗');
    this.#say(`${sign} ${wrapped(text, this.#columns - 2).replaceAll('\n', '\n  ')}`);
  }

  /** As it stands: a command to copy must not be broken into lines. */
  verbatim(text: string): void {
    this.#say(text);
  }

  #say(text: string): void {
    process.stdout.write(`${text}\n`);
  }
}
