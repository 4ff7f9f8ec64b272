/** A `command` plugin in a directory of its own, and scripts for it to run. */
import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '../../local/clock.ts';
import { supervisorProgram } from '../../local/supervisor/program.ts';
import { type CommandPlugin, type CommandPluginOptions, commandPlugin } from '../../plugins/command.ts';
import type { Job, PluginRequest, PluginResult } from '../../plugins/contract.ts';

export class CommandFixture {
  readonly root = mkdtempSync(join(tmpdir(), 'renga-command-'));
  readonly jobsDirectory = join(this.root, 'jobs');
  readonly clock = new VirtualClock(Date.parse('2026-10-25T00:00:00Z'));
  readonly told: string[] = [];
  readonly #waiting: { token: string; resolve: () => void }[] = [];
  readonly #plugins: CommandPlugin[] = [];
  #scripts = 0;

  async plugin(options: Partial<CommandPluginOptions> = {}): Promise<CommandPlugin> {
    const plugin = commandPlugin({
      jobsDirectory: this.jobsDirectory,
      workingDirectory: this.root,
      supervisor: await supervisorProgram(),
      clock: this.clock,
      host: { ended: (token) => this.#ended(token) },
      ...options,
    });
    this.#plugins.push(plugin);
    return plugin;
  }

  /** Arguments that run JavaScript in a Node of its own; `fs` is at hand. */
  script(body: string): [string, ...string[]] {
    const path = join(this.root, `script-${this.#scripts++}.cjs`);
    writeFileSync(path, `const fs = require('node:fs');\n${body}\n`);
    return [process.execPath, path];
  }

  /** A command that is a file, but no program. */
  plainFile(): string {
    writeFileSync(this.path('plain'), 'x', { mode: 0o644 });
    return './plain';
  }

  request(command: string | string[], changes: Partial<PluginRequest> = {}): PluginRequest {
    return {
      operation: 'deploy',
      deploy: { id: 'shop-1', application: 'shop', environment: 'prod' },
      idempotencyToken: 'token-1',
      artifact: { type: 'application', name: 'shop', version: '1.2.3' },
      timeoutSeconds: 3600,
      ...changes,
      params: { COMMAND: command, ...changes.params },
    };
  }

  /** Resolves when the plugin has told, once more than before the call, that the job has ended. */
  ended(token = 'token-1'): Promise<void> {
    return new Promise((resolve) => this.#waiting.push({ token, resolve }));
  }

  async run(plugin: CommandPlugin, request: PluginRequest): Promise<{ job: Job; result: PluginResult }> {
    const ended = this.ended(request.idempotencyToken);
    const { job } = await plugin.start(request);
    await ended;
    const result = await plugin.read(job);
    if (result === undefined) throw new Error('told of the end of a job that has no result');
    return { job, result };
  }

  path(name: string): string {
    return join(this.root, name);
  }

  /** The text of a file, as soon as it has any. */
  async written(name: string): Promise<string> {
    const path = this.path(name);
    const text = () => (existsSync(path) ? readFileSync(path, 'utf8') : '');
    if (text() !== '') return text();
    await new Promise<void>((resolve) => {
      const watcher = watch(this.root, () => {
        if (text() === '') return;
        watcher.close();
        resolve();
      });
      watcher.emit('change', 'rename', name);
    });
    return text();
  }

  dispose(): void {
    for (const plugin of this.#plugins) plugin.close();
    rmSync(this.root, { recursive: true, force: true });
  }

  #ended(token: string): void {
    this.told.push(token);
    for (const waiting of this.#waiting.splice(0)) {
      if (waiting.token === token) waiting.resolve();
      else this.#waiting.push(waiting);
    }
  }
}
