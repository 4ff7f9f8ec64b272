/** A `command` plugin in a directory of its own, and scripts for it to run. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { VirtualClock } from '../../local/clock.ts';
import { supervisorProgram } from '../../local/supervisor/program.ts';
import { JobDirectory } from '../../plugins/command/job-directory.ts';
import { identify } from '../../plugins/command/process-identity.ts';
import { type CommandPlugin, type CommandPluginOptions, commandPlugin } from '../../plugins/command.ts';
import type { Job, PluginRequest, PluginResult } from '../../plugins/contract.ts';

const HOST = fileURLToPath(new URL('./command-host.ts', import.meta.url));

/** Resolves when no process has this id, or a zombie alone. */
export async function gone(pid: number): Promise<void> {
  while (identify(pid) !== undefined) await new Promise((resolve) => setImmediate(resolve));
}

export class CommandFixture {
  readonly root = mkdtempSync(join(tmpdir(), 'renga-command-'));
  readonly jobsDirectory = join(this.root, 'jobs');
  readonly clock = new VirtualClock(Date.parse('2026-10-25T00:00:00Z'));
  readonly told: string[] = [];
  readonly #waiting: { token: string; resolve: () => void }[] = [];
  readonly #plugins: CommandPlugin[] = [];
  readonly #engines: (() => Promise<void>)[] = [];
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
      targets: [],
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

  /** Another engine, in a process of its own, that has started these requests; ends with the fixture. */
  async engine(...requests: PluginRequest[]): Promise<{ kill(): Promise<void> }> {
    const program = this.path('engine.mjs');
    await build({
      entryPoints: [HOST],
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: program,
      logLevel: 'error',
    });
    const given = {
      jobsDirectory: this.jobsDirectory,
      workingDirectory: this.root,
      supervisor: await supervisorProgram(),
      requests,
    };
    const engine = spawn(process.execPath, [program, JSON.stringify(given)], { stdio: ['pipe', 'pipe', 'inherit'] });
    const gone = new Promise<void>((resolve) => engine.on('exit', () => resolve()));
    const kill = () => {
      engine.kill('SIGKILL');
      return gone;
    };
    this.#engines.push(kill);
    let started = 0;
    for await (const line of createInterface({ input: engine.stdout })) {
      if (line === 'started' && ++started === requests.length) break;
    }
    return { kill };
  }

  /** One more supervisor for a job, started by nobody who looked first; resolves with its exit code. */
  async supervisor(job: Job): Promise<number | null> {
    const supervisor = spawn(process.execPath, [await supervisorProgram()], { stdio: ['pipe', 'ignore', 'inherit'] });
    supervisor.stdin.end(`${join(this.jobsDirectory, job)}\n`);
    return new Promise((resolve) => supervisor.on('exit', resolve));
  }

  /** A place where a command waits: `fs.readFileSync(name)` returns when {@link go} is called, and not before. */
  gate(name: string): void {
    execFileSync('mkfifo', [this.path(name)]);
  }

  /** Resolves when whoever waits at the gate has been let through. */
  go(name: string): Promise<void> {
    return writeFile(this.path(name), 'go');
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  /** Kills the supervisor of a job, and returns when it is gone. */
  async killSupervisor(job: Job): Promise<void> {
    const holder = new JobDirectory(join(this.jobsDirectory, job)).holder();
    if (holder === undefined) throw new Error('the job has no supervisor');
    process.kill(holder.pid, 'SIGKILL');
    await gone(holder.pid);
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

  async dispose(): Promise<void> {
    for (const kill of this.#engines) await kill();
    // A test that failed half-way leaves jobs that nobody would end.
    const plugin = await this.plugin();
    if (existsSync(this.jobsDirectory)) {
      await Promise.all(readdirSync(this.jobsDirectory).map((job) => plugin.stop(job)));
    }
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
