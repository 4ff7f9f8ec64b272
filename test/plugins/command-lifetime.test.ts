/** What a job survives, and what ends it (I10). */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { JobDirectory, jobOfToken } from '../../plugins/command/job-directory.ts';
import { identify } from '../../plugins/command/process-identity.ts';
import { CommandFixture, gone } from './command-fixture.ts';

let fixture: CommandFixture;
beforeEach(() => {
  fixture = new CommandFixture();
});
afterEach(() => fixture.dispose());

const JOB = jobOfToken('token-1');
/** Notes that it ran, waits at the gate, notes that it came through. */
const GATED = `
  fs.appendFileSync('runs', process.env.RENGA_TOKEN + '\\n');
  fs.writeFileSync('begun', String(process.pid));
  fs.readFileSync('gate');
  fs.appendFileSync('through', process.pid + '\\n');
  fs.writeFileSync(process.env.RENGA_OUTPUT, 'k=v');
`;

describe('one idempotency token', () => {
  it('runs one command, however often and from however many engines it is started at once', async () => {
    fixture.gate('gate');
    const request = fixture.request(fixture.script(GATED));
    const plugin = await fixture.plugin();
    const ended = fixture.ended();
    const [jobs] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, () => plugin.start(request))),
      ...Array.from({ length: 3 }, () => fixture.engine(request, request, request)),
    ]);
    expect(new Set(jobs.map(({ job }) => job))).toEqual(new Set([JOB]));
    expect(await plugin.read(JOB)).toBeUndefined();
    await fixture.go('gate');
    await ended;
    expect(fixture.read('runs')).toBe('token-1\n');
    expect(await plugin.read(JOB)).toEqual({ status: 'success', outputs: { k: 'v' } });
  });

  it('runs one command, however many supervisors are started for the job at once', async () => {
    const directory = new JobDirectory(join(fixture.jobsDirectory, JOB));
    mkdirSync(directory.path, { recursive: true });
    const [executable, script = ''] = fixture.script(`${GATED.replace("fs.readFileSync('gate');", '')}`);
    const invocation = { argv: [executable, script] as const, cwd: fixture.root, environment: {}, graceSeconds: 5 };
    directory.recordJob({ token: 'token-1', startedAt: Date.now(), timeoutSeconds: 60, invocation });
    const codes = await Promise.all(Array.from({ length: 8 }, () => fixture.supervisor(JOB)));
    expect(codes).toEqual(Array.from({ length: 8 }, () => 0));
    expect(fixture.read('runs').split('\n')).toHaveLength(2);
    expect(directory.lastRun()?.run).toBe(1);
  });

  it('keeps its one command when another supervisor comes while it runs', async () => {
    fixture.gate('gate');
    const plugin = await fixture.plugin();
    const ended = fixture.ended();
    await plugin.start(fixture.request(fixture.script(GATED)));
    const pid = await fixture.written('begun');
    expect(await fixture.supervisor(JOB)).toBe(0);
    await fixture.go('gate');
    await ended;
    expect(fixture.read('runs')).toBe('token-1\n');
    expect(fixture.read('through')).toBe(`${pid}\n`);
  });

  it('is told of again when it is started after its end, and runs nothing', async () => {
    const plugin = await fixture.plugin();
    const command = fixture.script(`fs.appendFileSync('runs', 'x')`);
    await fixture.run(plugin, fixture.request(command));
    await fixture.run(plugin, fixture.request(command));
    expect(fixture.read('runs')).toBe('x');
    expect(fixture.told).toEqual(['token-1', 'token-1']);
  });

  it('is one job; another token is another', async () => {
    const plugin = await fixture.plugin();
    const command = fixture.script(`fs.appendFileSync('runs', process.env.RENGA_TOKEN + ' ')`);
    await fixture.run(plugin, fixture.request(command));
    await fixture.run(plugin, fixture.request(command, { idempotencyToken: '../../token 2' }));
    expect(fixture.read('runs')).toBe('token-1 ../../token 2 ');
  });
});

describe('when the engine is killed', () => {
  it('a running job goes on, and the next engine waits for it', async () => {
    fixture.gate('gate');
    const engine = await fixture.engine(fixture.request(fixture.script(GATED)));
    const pid = await fixture.written('begun');
    await engine.kill();
    const plugin = await fixture.plugin();
    await plugin.resume();
    expect(await plugin.read(JOB)).toBeUndefined();
    const ended = fixture.ended();
    await fixture.go('gate');
    await ended;
    expect(await plugin.read(JOB)).toEqual({ status: 'success', outputs: { k: 'v' } });
    expect(fixture.read('runs')).toBe('token-1\n');
    expect(fixture.read('through')).toBe(`${pid}\n`);
    expect(fixture.told).toEqual(['token-1']);
  });

  it('a job that ended meanwhile is found with its result, and told of', async () => {
    fixture.gate('gate');
    const engine = await fixture.engine(fixture.request(fixture.script(GATED)));
    const pid = Number(await fixture.written('begun'));
    await engine.kill();
    await fixture.go('gate');
    await gone(pid);
    const plugin = await fixture.plugin();
    const ended = fixture.ended();
    await plugin.resume();
    await ended;
    expect(await plugin.read(JOB)).toEqual({ status: 'success', outputs: { k: 'v' } });
    expect(fixture.read('runs')).toBe('token-1\n');
  });

  it('a timeout still holds', async () => {
    const command = fixture.script(`fs.writeFileSync('begun', String(process.pid)); setInterval(() => {}, 1000);`);
    const engine = await fixture.engine(fixture.request(command, { timeoutSeconds: 0.5 }));
    const pid = Number(await fixture.written('begun'));
    await engine.kill();
    await gone(pid);
    const plugin = await fixture.plugin();
    const ended = fixture.ended();
    await plugin.resume();
    await ended;
    expect(await plugin.read(JOB)).toEqual({
      status: 'error',
      outputs: {},
      message: 'The command ran over its timeout of 0.5 s and was ended.',
    });
  });

  it('and its supervisor too, the command is run again under the same token, after the lost run is dead', async () => {
    fixture.gate('gate');
    const command = fixture.script(`
      const [last] = fs.existsSync('begun') ? [fs.readFileSync('begun', 'utf8')] : [];
      if (last) fs.writeFileSync('alive', String(fs.existsSync('/proc/' + last)));
      fs.writeFileSync(process.env.RENGA_OUTPUT, 'lost=' + (last ? 'no' : 'yes'));
      ${GATED.replace("fs.writeFileSync(process.env.RENGA_OUTPUT, 'k=v');", '')}
    `);
    const engine = await fixture.engine(fixture.request(command));
    const lost = Number(await fixture.written('begun'));
    await engine.kill();
    await fixture.killSupervisor(JOB);
    const plugin = await fixture.plugin();
    const ended = fixture.ended();
    await plugin.resume();
    await fixture.written('alive');
    expect(identify(lost)).toBeUndefined();
    await fixture.go('gate');
    await ended;
    expect(fixture.read('runs')).toBe('token-1\ntoken-1\n');
    expect(await plugin.read(JOB)).toEqual({ status: 'success', outputs: { lost: 'no' } });
    expect((await plugin.log(JOB, 0))?.text).toBe('[run 2: the supervisor of the run before was lost]\n');
  });
});

describe('when a supervisor is killed', () => {
  it('the engine that started it runs the command again', async () => {
    fixture.gate('gate');
    const plugin = await fixture.plugin();
    const ended = fixture.ended();
    const command = fixture.script(`if (fs.existsSync('begun')) fs.writeFileSync('again', 'x');${GATED}`);
    await plugin.start(fixture.request(command));
    const lost = Number(await fixture.written('begun'));
    await fixture.killSupervisor(JOB);
    await gone(lost);
    await fixture.written('again');
    await fixture.go('gate');
    await ended;
    expect(fixture.read('runs')).toBe('token-1\ntoken-1\n');
  });

  it('an engine that only watches notices within a second of its clock', async () => {
    fixture.gate('gate');
    const engine = await fixture.engine(
      fixture.request(fixture.script(`if (fs.existsSync('begun')) fs.writeFileSync('again', 'x');${GATED}`)),
    );
    await fixture.written('begun');
    await engine.kill();
    const plugin = await fixture.plugin();
    await plugin.resume();
    await fixture.killSupervisor(JOB);
    const before = fixture.clock.now();
    expect(fixture.clock.step()).toBe(true);
    expect(fixture.clock.now() - before).toBe(1000);
    const ended = fixture.ended();
    await fixture.written('again');
    await fixture.go('gate');
    await ended;
    expect(fixture.read('runs')).toBe('token-1\ntoken-1\n');
  });

  it('by its own command each time, the job is given up after five runs', async () => {
    const plugin = await fixture.plugin();
    const command = fixture.script(`fs.appendFileSync('runs', 'x'); process.kill(process.ppid, 'SIGKILL');`);
    const { result } = await fixture.run(plugin, fixture.request(command));
    expect(result).toEqual({ status: 'error', outputs: {}, message: "The command's supervisor was lost 5 times." });
    expect(fixture.read('runs')).toBe('xxxxx');
  });
});

/** Starts a child that runs the same script as `inner`, and waits for it to say so. */
const WITH_CHILD = (inner: string, options: string) => `
  if (process.argv[2] === 'inner') { ${inner}; fs.writeFileSync('inner', String(process.pid)); setInterval(() => {}, 1000); }
  else require('node:child_process').spawn(process.execPath, [__filename, 'inner'], ${options});
`;

describe('stopping', () => {
  it('asks the command to end, and tells that it was stopped whatever its exit code', async () => {
    const plugin = await fixture.plugin();
    const command = fixture.script(`
      process.on('SIGTERM', () => { console.log('tidy'); process.exit(0); });
      fs.writeFileSync('begun', 'x');
      setInterval(() => {}, 1000);
    `);
    await plugin.start(fixture.request(command));
    await fixture.written('begun');
    expect(await plugin.stop(JOB)).toBe('stopped');
    expect(await plugin.read(JOB)).toEqual({
      status: 'error',
      outputs: {},
      message: 'The command was stopped. The log ends:\ntidy',
    });
    expect(fixture.told).toEqual(['token-1']);
    expect(await plugin.stop(JOB)).toBe('already-ended');
  });

  it.each([
    ['in its group', `{ stdio: 'inherit' }`],
    ['that left its group', `{ stdio: 'ignore', detached: true }`],
  ])('kills, after the grace, a grandchild %s and ignores SIGTERM', async (_, options) => {
    const plugin = await fixture.plugin();
    const command = fixture.script(
      `process.on('SIGTERM', () => {}); ${WITH_CHILD('', options)} setInterval(() => {}, 1000);`,
    );
    await plugin.start(fixture.request(command, { params: { GRACE: 0.1 } }));
    const pid = Number(await fixture.written('inner'));
    expect(await plugin.stop(JOB)).toBe('stopped');
    expect(identify(pid)).toBeUndefined();
  });

  it('lets a grandchild use the grace when its parent ended at once', async () => {
    const plugin = await fixture.plugin();
    const tidy = `process.on('SIGTERM', () => setImmediate(() => { fs.writeFileSync('tidied', 'x'); process.exit(); }))`;
    await plugin.start(fixture.request(fixture.script(WITH_CHILD(tidy, `{ stdio: 'inherit' }`))));
    await fixture.written('inner');
    expect(await plugin.stop(JOB)).toBe('stopped');
    expect(fixture.read('tidied')).toBe('x');
  });

  it('works from an engine that did not start the job', async () => {
    const command = fixture.script(`fs.writeFileSync('begun', String(process.pid)); setInterval(() => {}, 1000);`);
    const engine = await fixture.engine(fixture.request(command));
    const pid = Number(await fixture.written('begun'));
    await engine.kill();
    const plugin = await fixture.plugin();
    expect(await plugin.stop(JOB)).toBe('stopped');
    expect(identify(pid)).toBeUndefined();
  });

  it('is nothing that a signal from elsewhere to the supervisor does', async () => {
    fixture.gate('gate');
    const plugin = await fixture.plugin();
    const ended = fixture.ended();
    await plugin.start(fixture.request(fixture.script(GATED.replace(`String(process.pid)`, `String(process.ppid)`))));
    process.kill(Number(await fixture.written('begun')), 'SIGTERM');
    await fixture.go('gate');
    await ended;
    expect(await plugin.read(JOB)).toMatchObject({ status: 'success' });
  });

  it('keeps a job that waits for its place from ever running, and the next takes the place', async () => {
    fixture.gate('gate');
    const plugin = await fixture.plugin({ atOnce: 1 });
    const command = fixture.script(GATED);
    const note = fixture.script(`fs.appendFileSync('runs', process.env.RENGA_TOKEN + '\\n')`);
    await plugin.start(fixture.request(command));
    await fixture.written('begun');
    const second = await plugin.start(fixture.request(note, { idempotencyToken: 'token-2' }));
    await plugin.start(fixture.request(note, { idempotencyToken: 'token-3' }));
    expect(await plugin.stop(second.job)).toBe('stopped');
    const ended = Promise.all([fixture.ended('token-1'), fixture.ended('token-3')]);
    await fixture.go('gate');
    await ended;
    expect(fixture.read('runs')).toBe('token-1\ntoken-3\n');
    expect(await plugin.read(second.job)).toMatchObject({ message: 'The command was stopped.' });
  });
});

describe('when a command ends', () => {
  it('what it left running in its group is killed', async () => {
    const plugin = await fixture.plugin();
    const command = fixture.script(`
      ${WITH_CHILD('', `{ stdio: 'inherit' }`)}
      if (process.argv[2] !== 'inner') fs.watch('.', () => { if (fs.existsSync('inner')) process.exit(0); });
    `);
    const { result } = await fixture.run(plugin, fixture.request(command));
    expect(result.status).toBe('success');
    await gone(Number(fixture.read('inner')));
  });
});

describe('records', () => {
  it('that somebody removes under a running job are an error of that job alone', async () => {
    fixture.gate('gate');
    const plugin = await fixture.plugin();
    const ended = fixture.ended();
    await plugin.start(fixture.request(fixture.script(`fs.writeFileSync('parent', String(process.ppid));${GATED}`)));
    await fixture.written('begun');
    rmSync(join(fixture.jobsDirectory, JOB), { recursive: true });
    process.kill(Number(fixture.read('parent')), 'SIGKILL');
    await ended;
    expect(await plugin.read(JOB)).toMatchObject({ status: 'error', message: expect.stringContaining('removed') });
    await fixture.go('gate');
  });

  it('of ended jobs are told of at each resume until they are forgotten', async () => {
    const first = await fixture.plugin();
    await fixture.run(first, fixture.request('true'));
    await fixture.run(first, fixture.request('true', { idempotencyToken: 'token-2' }));
    await first.forget(JOB);
    first.close();
    await (await fixture.plugin()).resume();
    expect(fixture.told).toEqual(['token-1', 'token-2', 'token-2']);
  });

  it('of jobs that ended before an instant are pruned; running jobs and later ones stay', async () => {
    fixture.gate('gate');
    const plugin = await fixture.plugin();
    await plugin.start(fixture.request(fixture.script(GATED)));
    const { job } = await fixture.run(plugin, fixture.request('true', { idempotencyToken: 'token-2' }));
    expect(await plugin.prune(Date.now() - 60_000)).toBe(0);
    expect(await plugin.prune(Date.now() + 60_000)).toBe(1);
    expect(existsSync(join(fixture.jobsDirectory, job))).toBe(false);
    expect(await plugin.read(job)).toMatchObject({ status: 'error', message: expect.stringContaining('unknown') });
    const ended = fixture.ended();
    await fixture.go('gate');
    await ended;
    expect(await plugin.read(JOB)).toMatchObject({ status: 'success' });
  });
});
