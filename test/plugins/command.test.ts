import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CommandFixture } from './command-fixture.ts';

let fixture: CommandFixture;
beforeEach(() => {
  fixture = new CommandFixture();
});
afterEach(() => fixture.dispose());

describe('a command', () => {
  it('succeeds with exit code 0, and its outputs are those of $RENGA_OUTPUT', async () => {
    const plugin = await fixture.plugin();
    const command = fixture.script(`
      fs.appendFileSync(process.env.RENGA_OUTPUT, 'url=https://shop.example/?a=b\\n');
      fs.appendFileSync(process.env.RENGA_OUTPUT, 'notes<<END\\none\\n\\ntwo=2\\nEND\\nempty=');
    `);
    const { result } = await fixture.run(plugin, fixture.request(command));
    expect(result).toEqual({
      status: 'success',
      outputs: { url: 'https://shop.example/?a=b', notes: 'one\n\ntwo=2', empty: '' },
    });
  });

  it('gets its parameters as variables, the few inherited ones and those of renga, and nothing else', async () => {
    const plugin = await fixture.plugin({
      environment: {
        PATH: process.env.PATH,
        HOME: '/home/x',
        LANG: 'C',
        NODE_OPTIONS: '--none',
        AWS_SECRET_ACCESS_KEY: 'k',
      },
    });
    const command = fixture.script(`fs.writeFileSync('seen', JSON.stringify(process.env))`);
    await fixture.run(
      plugin,
      fixture.request(command, {
        operation: 'rollback',
        deploy: { id: 'shop-1', application: 'shop', environment: 'prod', release: 'r1' },
        artifact: { type: 'application', name: 'shop', version: '1.2.3', source: 's3://x' },
        previous: { deploy: 'shop-0', revision: 4, version: '1.2.2' },
        params: { COUNT: 3, DRY: false, HOSTS: ['a b', 'c'], TEXT: 'two\nlines', HOME: '/elsewhere' },
      }),
    );
    const { RENGA_OUTPUT, RENGA_TARGETS, ...seen } = JSON.parse(readFileSync(fixture.path('seen'), 'utf8'));
    expect(RENGA_OUTPUT).toMatch(/output-1$/);
    expect(JSON.parse(readFileSync(RENGA_TARGETS, 'utf8'))).toEqual([]);
    expect(seen).toEqual({
      PATH: process.env.PATH,
      HOME: '/elsewhere',
      LANG: 'C',
      COUNT: '3',
      DRY: 'false',
      HOSTS: '["a b","c"]',
      TEXT: 'two\nlines',
      RENGA_OPERATION: 'rollback',
      RENGA_DEPLOY: 'shop-1',
      RENGA_RELEASE: 'r1',
      RENGA_APPLICATION: 'shop',
      RENGA_ENVIRONMENT: 'prod',
      RENGA_ARTIFACT_NAME: 'shop',
      RENGA_ARTIFACT_TYPE: 'application',
      RENGA_ARTIFACT_SOURCE: 's3://x',
      RENGA_VERSION: '1.2.3',
      RENGA_PREVIOUS_VERSION: '1.2.2',
      RENGA_TOKEN: 'token-1',
    });
  });

  it('finds its targets in a file, be they a thousand, and which wave or step it is in variables', async () => {
    const plugin = await fixture.plugin();
    const targets = Array.from({ length: 1_000 }, (_, at) => ({
      host: `host-${at}.example.org`,
      port: 22,
      labels: { note: 'x'.repeat(200) },
    }));
    const command = fixture.script(`
      const { RENGA_OPERATION, RENGA_WAVE, RENGA_WAVES, RENGA_STEP } = process.env;
      const targets = JSON.parse(fs.readFileSync(process.env.RENGA_TARGETS, 'utf8'));
      fs.writeFileSync('seen', JSON.stringify({ RENGA_OPERATION, RENGA_WAVE, RENGA_WAVES, RENGA_STEP, targets }));
    `);
    const seen = async (changes: Parameters<typeof fixture.request>[1]) => {
      const { result } = await fixture.run(plugin, fixture.request(command, changes));
      expect(result).toMatchObject({ status: 'success' });
      return JSON.parse(fixture.read('seen'));
    };
    expect(await seen({ operation: 'observe', targets, wave: { number: 2, of: 3 } })).toEqual({
      RENGA_OPERATION: 'observe',
      RENGA_WAVE: '2',
      RENGA_WAVES: '3',
      targets,
    });
    expect(await seen({ idempotencyToken: 'token-2', step: 'smoke' })).toEqual({
      RENGA_OPERATION: 'deploy',
      RENGA_STEP: 'smoke',
      targets: [],
    });
  });

  it('runs in CWD, with its arguments untouched by any shell', async () => {
    const plugin = await fixture.plugin();
    mkdirSync(fixture.path('app'));
    const command = fixture.script(`fs.writeFileSync('seen', JSON.stringify(process.argv.slice(2)))`);
    const args = ['$HOME', '*', 'a b', '; exit 1', ''];
    await fixture.run(plugin, fixture.request([...command, ...args], { params: { CWD: 'app' } }));
    expect(JSON.parse(readFileSync(fixture.path('app/seen'), 'utf8'))).toEqual(args);
  });

  it.each([
    [
      'exit code 3',
      `console.log('one'); console.error('two'); process.exitCode = 3`,
      'The command ended with exit code 3. The log ends:\none\ntwo',
    ],
    ['a signal', `process.kill(process.pid, 'SIGKILL')`, 'The command was ended by the signal SIGKILL.'],
    ['closed output', `fs.closeSync(1); fs.closeSync(2); process.exitCode = 4`, 'The command ended with exit code 4.'],
    [
      'a line without end',
      `process.stdout.write('half'); process.exitCode = 1`,
      'The command ended with exit code 1. The log ends:\nhalf',
    ],
    [
      'binary output',
      `fs.writeSync(1, Buffer.from([0xff, 0, 0x1b, 0x5b, 0x33, 0x31, 0x6d, 0x41, 10])); process.exitCode = 1`,
      'The command ended with exit code 1. The log ends:\n\ufffd\ufffdA',
    ],
    ['standard input', `process.exitCode = fs.readFileSync(0).length + 7`, 'The command ended with exit code 7.'],
  ])('fails with %s and says so', async (_, body, message) => {
    const plugin = await fixture.plugin();
    const { result } = await fixture.run(plugin, fixture.request(fixture.script(body)));
    expect(result).toEqual({ status: 'error', outputs: {}, message });
  });

  it('is not told as a success with outputs when it fails after writing them', async () => {
    const plugin = await fixture.plugin();
    const command = fixture.script(`fs.writeFileSync(process.env.RENGA_OUTPUT, 'k=v'); process.exitCode = 1`);
    expect((await fixture.run(plugin, fixture.request(command))).result.outputs).toEqual({});
  });

  it('that fails has at most 20 lines and 4 KiB of its log in the message', async () => {
    const plugin = await fixture.plugin();
    const lines = fixture.script(`for (let i = 1; i <= 30; i++) console.log('line ' + i); process.exitCode = 1`);
    const { result } = await fixture.run(plugin, fixture.request(lines));
    expect(result.message?.split('\n').slice(1)).toEqual(Array.from({ length: 20 }, (_, i) => `line ${i + 11}`));
    const long = fixture.script(`console.log('語'.repeat(9000)); process.exitCode = 1`);
    const { result: other } = await fixture.run(plugin, fixture.request(long, { idempotencyToken: 'token-2' }));
    const log = other.message?.split('\n').slice(1).join('\n') ?? '';
    expect(Buffer.byteLength(log)).toBeLessThanOrEqual(4096);
    expect(log).toMatch(/語{1300}$/);
  });

  it('may open /dev/stderr, and keeps the order of both streams', async () => {
    const plugin = await fixture.plugin();
    const command = fixture.script(`
      for (let i = 0; i < 20; i++) { fs.writeSync(1, 'out' + i + '\\n'); fs.writeFileSync('/dev/stderr', 'err' + i + '\\n'); }
    `);
    const { job } = await fixture.run(plugin, fixture.request(command));
    const log = await plugin.log(job, 0);
    expect(log?.text.trim().split('\n')).toEqual(Array.from({ length: 20 }, (_, i) => [`out${i}`, `err${i}`]).flat());
  });

  it('is logged where there is no mkfifo too', async () => {
    const plugin = await fixture.plugin({ environment: { PATH: fixture.root } });
    const { job } = await fixture.run(
      plugin,
      fixture.request(fixture.script(`console.log('out'); console.error('err')`)),
    );
    expect((await plugin.log(job, 0))?.text.split('\n').sort()).toEqual(['', 'err', 'out']);
  });

  it('leaves a log of at most 10 MiB and a notice, with its first and last bytes', async () => {
    const plugin = await fixture.plugin();
    const command = fixture.script(`
      fs.writeSync(1, 'first\\n');
      const chunk = Buffer.alloc(65536, 'x');
      for (let i = 0; i < 400; i++) for (let at = 0; at < chunk.length; ) at += fs.writeSync(1, chunk, at);
      fs.writeSync(1, '\\nlast');
    `);
    const { job, result } = await fixture.run(plugin, fixture.request(command));
    expect(result.status).toBe('success');
    let text = '';
    for (let next = 0; ; ) {
      const slice = await plugin.log(job, next);
      if (slice === undefined || slice.text === '') break;
      text += slice.text;
      next = slice.next;
    }
    const notice = /\n\[(\d+) bytes of the log are left out here\]\n/.exec(text);
    expect(text).toMatch(/^first\nx/);
    expect(text).toMatch(/x\nlast$/);
    expect(Number(notice?.[1]) + text.length - (notice?.[0].length ?? 0)).toBe(400 * 65536 + 11);
    expect(text.length).toBeLessThan(10.001 * 1024 * 1024);
  });
});

describe('a command that cannot run', () => {
  it.each<[string, (f: CommandFixture) => [string[] | string, Record<string, string>], RegExp]>([
    ['is not there', () => ['no-such-command', {}], /^The command no-such-command was not found/],
    ['is no program', (f) => [f.plainFile(), {}], /^The command \.\/plain is not executable/],
    ['is a directory', () => ['./jobs', {}], /^The command \.\/jobs is not executable/],
    ['has no CWD', () => ['true', { CWD: 'absent' }], /^CWD is no directory: there is none at .*absent\.$/],
    ['is given NUL', () => [['true', 'a\0b'], {}], /^COMMAND: holds a NUL character/],
    ['is given NUL in a variable', () => ['true', { NOTE: 'a\0b' }], /^NOTE: holds a NUL character/],
    [
      'has arguments without end',
      () => [['true', ...Array.from({ length: 200 }, () => 'x'.repeat(100_000))], {}],
      /^The command true could not be started: its arguments and variables are longer/,
    ],
  ])('because it %s is an error that says why', async (_, make, message) => {
    const plugin = await fixture.plugin();
    mkdirSync(fixture.jobsDirectory, { recursive: true });
    const [command, params] = make(fixture);
    const { result } = await fixture.run(plugin, fixture.request(command, { params }));
    expect(result).toEqual({ status: 'error', outputs: {}, message: expect.stringMatching(message) });
  });

  it.each(['destroy'] as const)('is not run for the operation %s', async (operation) => {
    const plugin = await fixture.plugin();
    const command = fixture.script(`fs.writeFileSync('ran', 'x')`);
    const { result } = await fixture.run(plugin, fixture.request(command, { operation }));
    expect(result.message).toBe(`The command plugin does not carry out the operation ${operation}.`);
    expect(statSync(fixture.path('ran'), { throwIfNoEntry: false })).toBeUndefined();
  });

  it('because its supervisor does not start is an error too', async () => {
    const plugin = await fixture.plugin({ supervisor: fixture.path('absent.cjs') });
    const { result } = await fixture.run(plugin, fixture.request('true'));
    expect(result.message).toMatch(/^The supervisor of the command could not be started: /);
  });
});

describe('$RENGA_OUTPUT', () => {
  it.each([
    ['a symbolic link', `fs.symlinkSync('/etc/hostname', file)`],
    ['a directory', `fs.mkdirSync(file)`],
    ['a FIFO', `require('node:child_process').execFileSync('mkfifo', [file])`],
  ])('replaced by %s is an error', async (_, body) => {
    const plugin = await fixture.plugin();
    const command = fixture.script(`const file = process.env.RENGA_OUTPUT; fs.unlinkSync(file); ${body}`);
    const { result } = await fixture.run(plugin, fixture.request(command));
    expect(result).toEqual({
      status: 'error',
      outputs: {},
      message: '$RENGA_OUTPUT is no longer a plain file that can be read: the command replaced it.',
    });
  });

  it('of more than 1 MiB is an error with its size', async () => {
    const plugin = await fixture.plugin();
    const command = fixture.script(`fs.writeFileSync(process.env.RENGA_OUTPUT, 'k=' + 'x'.repeat(1024 * 1024))`);
    const { result } = await fixture.run(plugin, fixture.request(command));
    expect(result.message).toBe('$RENGA_OUTPUT holds 1048578 bytes; the limit is 1048576.');
  });

  it('leaves no trace once the job is forgotten, and the token still starts nothing again', async () => {
    const plugin = await fixture.plugin();
    const command = fixture.script(`
      fs.appendFileSync('runs', 'x');
      fs.writeFileSync(process.env.RENGA_OUTPUT, 'db_password=' + ['hunter', 2].join(''));
    `);
    const { job } = await fixture.run(plugin, fixture.request(command));
    await plugin.forget(job);
    const directory = join(fixture.jobsDirectory, job);
    for (const file of readdirSync(directory)) {
      expect(readFileSync(join(directory, file), 'utf8'), file).not.toContain('hunter2');
    }
    expect((await fixture.run(plugin, fixture.request(command))).result.outputs).toEqual({});
    expect(readFileSync(fixture.path('runs'), 'utf8')).toBe('x');
  });
});

describe('the log', () => {
  it('is read from an offset, whole characters at a time', async () => {
    const plugin = await fixture.plugin();
    const command = fixture.script(`
      process.on('SIGUSR2', () => { fs.writeSync(1, Buffer.from([0x9e, 0x21, 0xe8])); process.exit(); });
      fs.writeSync(1, Buffer.from([0x61, 0xe8, 0xaa]));
      fs.writeFileSync('pid', String(process.pid));
      setInterval(() => {}, 1000);
    `);
    const ended = fixture.ended();
    const { job } = await plugin.start(fixture.request(command));
    const pid = Number(await fixture.written('pid'));
    process.kill(pid, 'SIGUSR2');
    await ended;
    expect(await plugin.log(job, 0)).toEqual({ text: 'a語!\ufffd', next: 6 });
    expect(await plugin.log(job, 4)).toEqual({ text: '!\ufffd', next: 6 });
    expect(await plugin.log(job, 6)).toEqual({ text: '', next: 6 });
    expect(await plugin.log(job, 600)).toEqual({ text: '', next: 6 });
  });

  it('of an unknown job is undefined', async () => {
    const plugin = await fixture.plugin();
    expect(await plugin.log('../../etc', 0)).toBeUndefined();
    expect(await plugin.read('0'.repeat(64))).toMatchObject({ status: 'error' });
    expect(await plugin.stop('0'.repeat(64))).toBe('already-ended');
  });
});
