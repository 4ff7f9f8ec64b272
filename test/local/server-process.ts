/** `renga start` as a process of its own, as a person starts it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command line from its source. */
export function renga(args: readonly string[], cwd?: string) {
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, RENGA_URL: undefined, RENGA_TOKEN: undefined },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, ...output }));
  return { child, ended, output };
}

/** Starts a server on a free port; resolves once it is up. */
export async function startedServer(dataDirectory: string, cwd?: string) {
  const { child, ended, output } = renga(['start', '--port', '0', '--data', dataDirectory, '--json'], cwd);
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      if (output.stdout.trimEnd().endsWith('}')) resolve((JSON.parse(output.stdout) as { url: string }).url);
    });
    void ended.then(({ code, stderr }) => reject(new Error(`the server ended with ${code}: ${stderr}`)));
  });
  return {
    url,
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
      child.kill(signal);
      return ended;
    },
  };
}
