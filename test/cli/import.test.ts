// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables of Compose
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { renga } from './terminal.ts';

const F = 'test/cli/fixtures/import';
const SAMPLES = ['tazuna', 'helmfile', 'compose'] as const;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'renga-import-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe.each(SAMPLES)('import %s', (tool) => {
  const line = `import ${tool} ${F}/${tool}/${tool}.yaml --environment prod`;

  test('prints a release that check --offline and plan take as it is', async () => {
    const { exit, stdout, stderr } = await renga(line);
    expect(exit).toBe(0);
    const file = path.join(directory, 'release.yml');
    await writeFile(file, stdout);
    expect((await renga(`check -f ${file} --offline`)).stdout).toContain('nothing is wrong in itself');
    expect((await renga(`plan -f ${file}`)).exit).toBe(0);
    // One note a line, each with its place.
    for (const note of stderr.trimEnd().split('\n'))
      expect(note).toMatch(/^test\/cli\/fixtures\/import\/\S+:\d+: .+: .+; .+$/);
  });

  test('each note stands as a comment in the file, and in the JSON', async () => {
    const { stdout } = await renga(line);
    const { stdout: json, stderr } = await renga(`${line} --json`);
    expect(stderr).toBe('');
    const { release, notes } = JSON.parse(json);
    expect(release).toMatchObject({ kind: 'Release', deploys: expect.any(Array) });
    const comments = stdout
      .split('\n')
      .flatMap((text) => /^ *# (.*)$/.exec(text)?.[1]?.trim() ?? [])
      .join(' ');
    expect(notes.length).toBeGreaterThan(3);
    for (const { what, instead } of notes) {
      expect(comments).toContain(`${what}: `);
      expect(comments).toContain(instead.replace(/\s+/g, ' '));
    }
  });

  test('on a terminal of 80 columns no comment is wider', async () => {
    const { stdout } = await renga(line, { tty: { columns: 80, rows: 24 } });
    const wide = stdout
      .split('\n')
      .filter((text) => /^ *#/.test(text) && text.length > 80 && !text.includes('COMMAND:'));
    expect(wide).toEqual([]);
  });

  test('the same file gives the same text', async () => {
    expect((await renga(line)).stdout).toBe((await renga(line)).stdout);
  });
});

test('the order is what each source says', async () => {
  const layers = async (tool: string) => {
    const { stdout } = await renga(`import ${tool} ${F}/${tool}/${tool}.yaml --environment prod`);
    const file = path.join(directory, 'release.yml');
    await writeFile(file, stdout);
    const plan = JSON.parse((await renga(`plan -f ${file} --json`)).stdout);
    return plan.layers.map((layer: { name: string }[]) => layer.map(({ name }) => name).join(' '));
  };
  expect(await layers('tazuna')).toEqual(['cni', 'cert-manager ingress', 'app']);
  expect(await layers('helmfile')).toEqual(['crds', 'checks', 'data-db seal shop-db', 'api']);
  expect(await layers('compose')).toEqual(['migrate db cache', 'api worker', 'debug']);
});

describe('options', () => {
  const line = `import compose ${F}/compose/compose.yaml`;

  test('--id, --tenant, --plugin, --artifact-version', async () => {
    const { stdout } = await renga(
      `${line} --environment prod --id r1 --tenant retail --plugin codebuild --artifact-version 1.10 --json`,
    );
    const { release, notes } = JSON.parse(stdout);
    expect(release).toMatchObject({ id: 'r1' });
    expect(release.deploys[3].descriptor).toMatchObject({
      tenant: 'retail',
      artifact: { version: '1.10' },
      deploy: { plugin: 'codebuild' },
    });
    const codes = notes.map(({ code }: { code: string }) => code);
    expect(codes).not.toContain('no-version');
    expect(codes).not.toContain('no-command');
  });

  test.each([
    ['the project says its name', `${line} --environment prod`, 'shop'],
    ['the usual file name says nothing', `import tazuna ${F}/tazuna/infra/tazuna.yaml --environment prod`, 'infra'],
    ['another file name is taken', `import helmfile ${F}/helmfile/nested/crds.yaml --environment prod`, 'crds'],
  ])('without --id: %s', async (_name, words, id) => {
    expect(JSON.parse((await renga(`${words} --json`)).stdout).release.id).toBe(id);
  });

  test('the environment must be named, where the source does not say it', async () => {
    const { exit, stderr, stdout } = await renga(line);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toContain('missing-environment');
    expect(stderr).toContain('--environment prod');
  });

  test.each(['--id A', '--tenant A', '--plugin A/B'])('%s is no name', async (option) => {
    const { exit, stderr } = await renga(`${line} --environment prod ${option}`);
    expect(exit).toBe(2);
    expect(stderr).toContain('must match [a-z0-9]');
  });

  test('an environment that is no name here gets one, with a note', async () => {
    const { exit, stdout, stderr } = await renga(`${line} --environment Prod`);
    expect(exit).toBe(0);
    expect(stdout).toContain('environment: prod');
    expect(stderr).toContain('it is called "prod"');
  });
});

describe('-o', () => {
  const line = `import compose ${F}/compose/compose.yaml --environment prod`;

  test('writes the file and says so', async () => {
    const written = new Map<string, string>();
    const file = path.join(directory, 'new.yml');
    const { exit, stdout, stderr } = await renga(`${line} -o ${file}`, { written });
    expect([exit, stdout]).toEqual([0, '']);
    expect(stderr).toContain(`wrote ${file}`);
    expect(written.get(file)).toBe((await renga(line)).stdout);
  });

  test('writes over nothing, unless it is told to', async () => {
    const written = new Map<string, string>();
    const file = path.join(directory, 'there.yml');
    await writeFile(file, 'mine');
    const refused = await renga(`${line} -o ${file}`, { written });
    expect(refused.exit).toBe(5);
    expect(refused.stderr).toContain('is there already');
    expect(refused.stderr).toContain('--force');
    expect((await renga(`${line} -o ${directory} --json`, { written })).exit).toBe(5);
    expect(written.size).toBe(0);
    expect(await readFile(file, 'utf8')).toBe('mine');
    expect((await renga(`${line} -o ${file} --force`, { written })).exit).toBe(0);
    expect(written.has(file)).toBe(true);
  });
});

describe('input that can not be converted ends with 2, and nothing is printed as a result', () => {
  test.each([
    ['no file', 'services: {}', 'nothing.yaml', 'file-missing'],
    ['a circle', 'services: {a: {image: a, depends_on: [b]}, b: {image: a, depends_on: [a]}}', 'x.yaml', 'cycle'],
    ['a doubled key', 'services: {}\nservices: {}', 'x.yaml', 'duplicate-key'],
    ['nothing in it', '# nothing', 'x.yaml', 'no-document'],
  ])('%s', async (_name, text, name, code) => {
    await writeFile(path.join(directory, 'x.yaml'), text);
    const line = `import compose ${path.join(directory, name)} --environment prod`;
    const { exit, stdout, stderr } = await renga(line);
    expect([exit, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`${code}: `);
    const json = JSON.parse((await renga(`${line} --json`)).stdout);
    expect(json.error.problems[0].code).toBe(code);
  });

  test('a template names the command that renders it', async () => {
    const file = path.join(directory, 'helmfile.yaml');
    await writeFile(file, 'releases:\n{{ range .Values.apps }}\n  - name: {{ . }}\n{{ end }}\n');
    const { exit, stderr } = await renga(`import helmfile ${file} --environment prod`);
    expect(exit).toBe(2);
    expect(stderr).toContain(`${file}:2:1: template: `);
    expect(stderr).toContain('helmfile build');
  });
});

test('what others wrote moves no cursor and ends no comment', async () => {
  const file = path.join(directory, 'compose.yaml');
  await writeFile(file, 'services:\n  "a\\e[2J\\nb: c": {image: "x:${A}\\u009b\\n- name: evil"}\n');
  const { exit, stdout, stderr } = await renga(`import compose ${file} --environment prod`);
  expect(exit).toBe(0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  await writeFile(path.join(directory, 'release.yml'), stdout);
  const plan = await renga(`plan -f ${path.join(directory, 'release.yml')} --json`);
  expect(JSON.parse(plan.stdout).layers).toHaveLength(1);
});

test.each(['bash', 'zsh', 'fish'])('completion for %s knows the verb and its tools', async (shell) => {
  const { stdout } = await renga(`completion ${shell}`);
  for (const tool of SAMPLES) expect(stdout).toContain(`import ${tool}`);
  expect(stdout).toContain('artifact-version');
});

test('bash completes the tools, then files and options', async () => {
  const { stdout: script } = await renga('completion bash');
  const complete = (...words: string[]) => {
    const program = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _renga; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', program, 'bash', ...words], { cwd: F, encoding: 'utf8' })
      .trim()
      .split('\n');
  };
  expect(complete('renga', 'import', '')).toEqual([...SAMPLES]);
  expect(complete('renga', 'import', 'compose', '').sort()).toEqual(['compose', 'helmfile', 'tazuna']);
  expect(complete('renga', 'import', 'compose', 'compose/c')).toEqual(['compose/compose.yaml']);
  expect(complete('renga', 'import', 'compose', '--ar')).toEqual(['--artifact-version']);
});

test.each(['import', ...SAMPLES.map((tool) => `import ${tool}`)])(
  '%s has help with an example, at 80 columns',
  async (verb) => {
    const { exit, stdout } = await renga(`${verb} --help`, { tty: { columns: 80, rows: 24 } });
    expect(exit).toBe(0);
    expect(stdout).toContain('Examples:\n  $ renga import');
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  },
);
