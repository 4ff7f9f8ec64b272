/**
 * A renga for one demonstration: a folder of its own with the shop in it, a server over it, and the `renga` command as
 * anybody would type it there.
 */
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import { REPOSITORY } from './build.ts';
import { Processes } from './processes.ts';

const Started = z.object({ url: z.string() });

export class Stage {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'renga-demo-'));
  readonly #processes = new Processes(this.folder);
  #url: string | undefined;

  constructor() {
    const shop = path.join('examples', 'shop');
    cpSync(path.join(REPOSITORY, shop), path.join(this.folder, shop), {
      recursive: true,
      filter: (source) => path.basename(source) !== 'deployed',
    });
  }

  /** Starts the server, and says where it is. */
  async open(): Promise<string> {
    const { url } = Started.parse(await this.#processes.service(['start', '--port', '0', '--json']));
    this.#url = url;
    return url;
  }

  /** Runs `renga` in the folder, on this terminal, and gives its exit code. */
  show(args: readonly string[]): Promise<number> {
    return this.#processes.show(args, this.#url);
  }

  /** Runs `renga … --json` and gives its document. */
  ask(args: readonly string[]): Promise<unknown> {
    return this.#processes.ask([...args, '--json'], this.#url);
  }

  /** Ends every process that was started here. The folder stays, for whoever wants to look. */
  close(): Promise<void> {
    return this.#processes.close();
  }

  /** What the server said beside its answers. */
  get complaints(): string {
    return this.#processes.complaints;
  }
}
