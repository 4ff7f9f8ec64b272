/**
 * What the README and the examples' own pages print is run as printed, in a folder that looks like a clone. Only the port
 * is another one, since 4080 may be somebody's. `npm ci` and `npm test` are left out: one would replace what this test
 * runs on, the other is this test. All that needs `dist/` is in this one file, so that it is built once.
 */
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { DeployDocument } from '../../core/documents/deploy.ts';
import { build, REPOSITORY } from '../../scripts/demo/build.ts';
import { demonstrate, processesIn, versionOf } from './demonstration.ts';

const AWS = spawnSync('aws', ['--version']).status === 0;
/** What the README has a person type first, in each terminal. */
const ALIAS = 'alias renga="node $PWD/dist/renga.js"';
const SLOW = 300_000;

const page = (name: string) => readFileSync(path.join(REPOSITORY, name), 'utf8');
const blocks = (name: string, language: string) =>
  [...page(name).matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, text = '']) => text);

/** Commands of a block, with the exit code that a remark behind them announces. */
function commandsIn(block: string): { command: string; exit: number }[] {
  return block
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((command) => ({ command, exit: Number(/# exits with (\d)/.exec(command)?.[1] ?? 0) }));
}

const [install, broken, tests, start, ...talks] = blocks('README.md', 'sh');

describe('the README', () => {
  test('begins with the commands that other tests stand for', () => {
    expect([install, broken, tests]).toEqual(['npm ci && npm run demo\n', 'npm run demo:broken\n', 'npm test\n']);
    expect(start).toBe('npm run build\nalias renga="node $PWD/dist/renga.js"\nrenga start\n');
  });

  test('shows documents that are right', () => {
    const [release, deploy] = blocks('README.md', 'yaml').map((text) => parse(text));
    expect(Object.keys(release)).toContain('deploys');
    expect(DeployDocument.safeParse(deploy).error).toBeUndefined();
  });

  test('links to what is there', () => {
    for (const name of ['README.md', 'examples/README.md', 'examples/shop/README.md']) {
      for (const [, target = ''] of page(name).matchAll(/\]\(([^):#]+)\)/g)) {
        expect(existsSync(path.join(REPOSITORY, path.dirname(name), target)), `${name}: ${target}`).toBe(true);
      }
    }
  });
});

describe('the demonstrations', () => {
  beforeAll(build);

  test(
    'npm run demo ends with 0 and four deploys SUCCESS, and shows layers, timings, exports and where to look',
    async () => {
      const ended = await demonstrate('demo');
      expect(ended.code, ended.output).toBe(0);
      expect([...ended.output.matchAll(/✓ (?:db|api|worker|web) .*SUCCESS +[\d.]+ m?s/g)]).toHaveLength(4);
      expect(ended.output).toContain('4 deploys in 3 layers');
      expect(ended.output).toMatch(/db\.db_host += db\.shop\.internal/);
      expect(ended.output).toMatch(/prod +shop-web +application +web +1\.0\.0/);
      expect(ended.output).toContain(`node dist/renga.js start --data ${ended.folder}/.renga`);
      for (const service of ['db', 'api', 'worker', 'web']) expect(versionOf(ended, service)).toBe('1.0.0');
      expect(processesIn(ended.folder) ?? []).toEqual([]);
    },
    SLOW,
  );

  test(
    'npm run demo:broken ends with 3, goes back in exact reverse order, and finds the old versions on disk',
    async () => {
      const ended = await demonstrate('demo:broken');
      expect(ended.code, ended.output).toBe(3);
      expect(ended.output).toContain('GET /checkout.js answered 404');
      expect(ended.output).toContain('✓ went out: db, api, worker; went back, one at a time: worker, api, db');
      expect(ended.output).toMatch(/✓ every file in .* is what it was before, byte for byte/);
      for (const service of ['db', 'api', 'worker', 'web']) expect(versionOf(ended, service)).toBe('1.0.0');
      expect(processesIn(ended.folder) ?? []).toEqual([]);
    },
    SLOW,
  );

  test(
    'a demonstration that is interrupted ends its server',
    async () => {
      const ended = await demonstrate('demo', /db +RUNNING/);
      expect(ended.code, ended.output).toBe(130);
      // The script of a deploy ends by itself, within seconds.
      await expect.poll(() => processesIn(ended.folder) ?? [], { timeout: 60_000 }).toEqual([]);
    },
    SLOW,
  );
});

describe('with renga start running', () => {
  let folder = '';
  let server: ChildProcess;
  let url = '';

  beforeAll(async () => {
    build();
    folder = mkdtempSync(path.join(tmpdir(), 'renga-readme-'));
    cpSync(path.join(REPOSITORY, 'examples'), path.join(folder, 'examples'), {
      recursive: true,
      filter: (source) => path.basename(source) !== 'deployed',
    });
    for (const name of ['dist', 'node_modules']) {
      symlinkSync(path.join(REPOSITORY, name), path.join(folder, name));
    }
    server = spawn(process.execPath, ['dist/renga.js', 'start', '--port', '0', '--json'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    for await (const chunk of server.stdout ?? []) {
      said += chunk;
      if (said.endsWith('}\n')) break;
    }
    url = JSON.parse(said).url;
  }, SLOW);

  afterAll(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a block as a person would paste it: what one command exports, the next one has. */
  function paste(block: string): Promise<{ code: number; output: string }> {
    const checked = commandsIn(block).map(
      ({ command, exit }) => `${command}\n[ $? = ${exit} ] || { echo "not ${exit}, as it should be"; exit 99; }`,
    );
    const script = ['shopt -s expand_aliases', ALIAS, ...checked].join('\n').replaceAll('http://127.0.0.1:4080', url);
    return new Promise((resolve) => {
      const env = { ...process.env, RENGA_URL: url };
      execFile('bash', ['-c', script], { cwd: folder, env }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` });
      });
    });
  }

  test(
    'the commands of the README do what it says, by the command line, by curl and by aws',
    async () => {
      const [cli = '', curl = '', aws = '', ...more] = talks;
      expect(more).toEqual([]);

      const typed = await paste(cli);
      expect(typed.output).toContain('✓ shop-1  SUCCESS');
      expect(typed.output).toContain('GET /checkout.js answered 404');
      expect(typed.code).toBe(0);

      const sent = await paste(curl);
      expect(sent.output).toContain('✓ request-1  SUCCESS');
      expect(sent.code).toBe(0);
      expect(readFileSync(path.join(folder, 'examples/request/deployed/answer.txt'), 'utf8')).toBe(
        'Is anybody there?\nYes.\n',
      );

      if (!AWS) return console.log('the aws command is not installed here: what the README shows of it is not run');
      const looked = await paste(aws);
      expect(looked.output).toContain('ExecutionSucceeded');
      expect(looked.code).toBe(0);
    },
    SLOW,
  );

  test(
    'the commands of the examples',
    async () => {
      const [shapes = ''] = blocks('examples/README.md', 'sh');
      const ran = await paste(shapes);
      expect(ran.output).toContain('✓ sites-1  SUCCESS');
      expect(ran.code).toBe(0);
    },
    SLOW,
  );
});
