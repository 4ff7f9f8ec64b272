/** The command line over the API itself: what people do to environments, access and deploys, and what they then read. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { deploy, openService, type Service } from '../api/service.ts';
import { type Ran, renga, type Setting } from './terminal.ts';

let service: Service;
let folder: string;
beforeEach(async () => {
  service = await openService();
  folder = mkdtempSync(path.join(tmpdir(), 'renga-cli-'));
});
afterEach(async () => {
  rmSync(folder, { recursive: true });
  await service.close();
});

const fetched = async (request: Request) => {
  const response = await service.app.fetch(request);
  await service.settle();
  return response;
};
const as = (who: string) => ({ fetch: fetched, env: { RENGA_TOKEN: `token-of-${who}` } });
const run = (line: string, setting: Setting = {}) => renga(line, { ...as('anna'), ...setting });

/** Writes documents into a file and answers its path. */
function file(name: string, ...documents: readonly object[]): string {
  const where = path.join(folder, name);
  writeFileSync(where, documents.map((document) => stringify(document)).join('---\n'));
  return where;
}

const PROD = { apiVersion: 'renga/v1', kind: 'Environment', name: 'prod', concurrency: 2, approval: { required: 1 } };
const CONFIG = { apiVersion: 'renga/v1', kind: 'EnvironmentConfig', application: 'api', environment: 'prod' };
const ACCESS = {
  apiVersion: 'renga/v1',
  kind: 'Access',
  name: 'shop',
  roles: { reader: ['deployment.read', 'deployment.submit'] },
  bindings: [{ role: 'reader', subjects: ['user:zoe'], applications: ['api'] }],
};

const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** On a terminal of 80 columns nothing but an id or an address that is longer by itself goes beyond it. */
async function fits(line: string, setting: Setting = {}): Promise<Ran> {
  const ran = await run(line, { tty: { columns: 80, rows: 24 }, ...setting });
  const wide = ran.stdout
    .replaceAll(COLOUR, '')
    .split('\n')
    .filter((text) => text.length > 80 && !text.includes('https://'));
  expect(wide, line).toEqual([]);
  return ran;
}

/** With --json the standard output is one document, whatever happens. */
async function json(line: string, setting: Setting = {}): Promise<{ exit: number; document: Record<string, unknown> }> {
  const ran = await run(`${line} --json`, setting);
  return { exit: ran.exit, document: JSON.parse(ran.stdout) };
}

describe('env', () => {
  test('apply, diff, list, get and remove', async () => {
    const documents = file('prod.yml', PROD, CONFIG);
    const differs = await run(`env diff -f ${documents}`);
    expect(differs.exit).toBe(3);
    expect((await fits(`env apply -f ${documents}`)).exit).toBe(0);
    expect((await run(`env diff -f ${documents}`)).exit).toBe(0);
    const wider = file('wider.yml', { ...PROD, concurrency: 3 });
    const seen = await fits(`env diff -f ${wider}`);
    expect(seen).toMatchObject({ exit: 3, stdout: expect.stringContaining('concurrency: 2 → 3') });
    const list = await fits('env list');
    expect(list).toMatchObject({ exit: 0, stdout: expect.stringContaining('prod') });
    // What it prints can be applied again, and changes nothing.
    const got = await run('env get prod');
    writeFileSync(path.join(folder, 'again.yml'), got.stdout);
    const again = await json(`env diff -f ${folder}/again.yml`);
    expect(again.exit).toBe(0);
    expect((await fits('env remove prod --application api')).exit).toBe(0);
    expect(await json('env remove prod --application api')).toMatchObject({
      exit: 2,
      document: { error: { code: 'not-found' } },
    });
    expect(await json('env get staging')).toMatchObject({ exit: 2, document: { error: { code: 'not-found' } } });
  });

  test('apply stores nothing of a file with a mistake, and says where it is', async () => {
    const wrong = file('wrong.yml', CONFIG, { ...PROD, concurrency: 0 });
    const { exit, stdout, stderr } = await run(`env apply -f ${wrong}`);
    expect(exit).toBe(2);
    expect(stdout + stderr).toContain('wrong.yml:');
    expect((await json('env list')).document).toEqual({ items: [] });
    expect((await run('env get prod')).exit).toBe(2);
    const access = await run(`env apply -f ${file('access.yml', ACCESS)}`);
    expect(access.exit).toBe(2);
    expect(access.stdout + access.stderr).toContain('access');
  });

  test('is refused to whoever may not', async () => {
    const refused = await json(`env apply -f ${file('prod.yml', PROD)}`, as('zoe-alone'));
    expect(refused).toMatchObject({ exit: 5, document: { error: { code: 'forbidden' } } });
  });

  test('pipelines and remove-pipeline', async () => {
    const pipeline = {
      apiVersion: 'renga/v1',
      kind: 'Pipeline',
      name: 'codebuild:infra',
      application: 'infra',
      environment: 'prod',
    };
    expect((await run(`env apply -f ${file('p.yml', pipeline)}`)).exit).toBe(0);
    expect((await fits('env pipelines')).stdout).toContain('codebuild:infra');
    expect((await run('env remove-pipeline codebuild:infra')).exit).toBe(0);
    expect((await json('env pipelines')).document).toMatchObject({ items: [] });
  });
});

describe('access, whoami and audit', () => {
  test('what a document gives is seen by whoever has it, until it is removed', async () => {
    expect((await fits('whoami', as('zoe-alone'))).stdout).toContain('may do nothing yet');
    expect((await fits(`access apply -f ${file('access.yml', ACCESS)}`)).exit).toBe(0);
    expect((await run(`access diff -f ${folder}/access.yml`)).exit).toBe(0);
    expect((await fits('whoami', as('zoe-alone'))).stdout).toContain('deployment.submit');
    expect((await fits('access list')).stdout).toContain('shop');
    const got = await run('access get shop');
    writeFileSync(path.join(folder, 'again.yml'), got.stdout);
    expect((await run(`access diff -f ${folder}/again.yml`)).exit).toBe(0);
    expect(await json('access list', as('zoe-alone'))).toMatchObject({ exit: 5 });
    expect((await fits('access remove shop')).exit).toBe(0);
    expect(await json('whoami', as('zoe-alone'))).toMatchObject({ exit: 0, document: { subject: 'zoe', grants: [] } });
    const audit = await fits('audit');
    expect(audit.stdout).toMatch(/setting\.removed +Access shop +by anna/);
    expect((await json('audit --by ben')).document).toEqual({ items: [] });
    const lines = (await json('audit --limit 1')).document.items as unknown[];
    expect(lines).toHaveLength(1);
  });
});

describe('a deploy that people steer', () => {
  test('is approved or rejected, and audit and status tell by whom', async () => {
    await run(`env apply -f ${file('prod.yml', PROD)}`);
    for (const id of ['one', 'two']) {
      const sent = await run(`deploy -f ${file(`${id}.yml`, deploy(`app-${id}`, '1', { id }))} --no-wait`);
      expect(sent.exit).toBe(0);
    }
    const status = await fits('status one');
    expect(status.stdout).toContain('0 of 1 approvals');
    expect(status.stdout).toContain('renga approve one');
    expect((await fits('why one')).stdout).toContain('waits to be approved');
    expect(await json('approve one')).toMatchObject({ exit: 5, document: { error: { code: 'forbidden' } } });
    expect(await fits('approve one --reason "looks right"', as('ben'))).toMatchObject({ exit: 0 });
    expect((await fits('status one')).stdout).toMatch(/approved +by ben, .*: looks right/);
    expect((await run('reject two', as('ben'))).exit).toBe(2);
    expect(await fits('reject two --reason "after the sale"', as('ben'))).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining('REJECTED'),
    });
    expect(await json('reject two --reason again', as('ben'))).toMatchObject({ exit: 5 });
    expect((await fits('audit two')).stdout).toContain('after the sale');
    expect((await json('audit nothing')).exit).toBe(2);
  });

  test('goes back and on, and history lists what was there', async () => {
    for (const version of ['v1', 'v2']) {
      const sent = await run(`deploy -f ${file(`${version}.yml`, deploy('api', version, { id: version }))}`);
      expect(sent.exit).toBe(0);
    }
    const history = await fits('history api --environment prod');
    expect(history.stdout).toMatch(/\* +2 +api +v2/);
    expect((await json('history api --environment prod --limit 1')).document.items).toHaveLength(1);
    expect((await fits('history api --environment qa')).stdout).toContain('nothing of api');
    const back = await fits('rollback api --environment prod');
    expect(back.exit).toBe(0);
    expect(back.stderr).toContain('submitted as');
    expect((await json('inventory --application api')).document).toMatchObject({
      items: [{ artifact: { version: 'v1' } }],
    });
    expect(await json('rollback v2')).toMatchObject({ exit: 5, document: { error: { code: 'superseded' } } });
    expect(await json('rollback api --environment nowhere')).toMatchObject({ exit: 2 });
    const on = await json('promote v2 --to qa --id on');
    expect(on).toMatchObject({ exit: 0, document: { id: 'on', state: 'SUCCESS', promotes: 'v2' } });
    expect((await json('promote v2 --to qa --id on')).exit).toBe(0);
    expect((await json('promote v2')).exit).toBe(2);
    expect((await fits('status on')).stdout).toMatch(/promotes +v2/);
  });

  test('schedules are listed, shown, paused, resumed and deleted', async () => {
    const nightly = deploy('api', '1', { id: 'nightly', schedule: { cron: '0 3 * * *', timezone: 'Europe/Rome' } });
    const made = await fits(`deploy -f ${file('nightly.yml', nightly)}`);
    expect(made).toMatchObject({ exit: 0, stdout: expect.stringContaining('Europe/Rome') });
    expect((await fits('schedule list')).stdout).toContain('nightly');
    expect((await fits('schedule show nightly')).stdout).toContain('2026-10-13');
    for (const [action, state] of [
      ['pause', 'paused'],
      ['resume', 'active'],
      ['delete', 'deleted'],
    ]) {
      expect(await json(`schedule ${action} nightly`)).toMatchObject({ exit: 0, document: { state } });
    }
    expect((await json('schedule resume nightly')).exit).toBe(5);
    expect((await json('schedule show nothing')).exit).toBe(2);
  });
});

describe('events', () => {
  test('are sent from a file, and listed with what became of them', async () => {
    const detail = { id: 'ci:1', pipeline: 'ci', application: 'api', environment: 'prod' };
    const event = { source: 'com.example.ci', 'detail-type': 'Deploy Started', detail };
    expect((await fits(`events send -f ${file('event.yml', event)}`)).exit).toBe(0);
    const list = await fits('events');
    expect(list.stdout).toMatch(/refused +Deploy Started +ci:1/);
    expect((await json('events --refused')).document.items).toHaveLength(1);
    expect(await json(`events send -f ${file('bad.yml', { source: 'x' })}`)).toMatchObject({
      exit: 2,
      document: { error: { code: 'invalid-event' } },
    });
    expect((await json(`events send -f ${folder}/nothing.yml`)).exit).toBe(2);
    expect((await json('events', as('zoe-alone'))).exit).toBe(5);
    expect((await json(`events send -f ${folder}/event.yml`, as('zoe-alone'))).exit).toBe(5);
  });
});

describe('what holds where a release goes', () => {
  const release = (type = 'application') => ({
    apiVersion: 'renga/v1',
    kind: 'Release',
    id: 'r',
    onFailure: 'rollback',
    deploys: ['db', 'api'].map((name) => ({
      name,
      descriptor: deploy(name, '1', { artifact: { type, name, version: '1' } }),
    })),
  });
  const environment = (more: object) => run(`env apply -f ${file('prod.yml', { ...PROD, ...more })}`);
  const freeze = (from: string, to: string) => ({ from, to, reason: 'the sale' });

  test('is in its plan: approvals, queue, freezes, what can not be taken back', async () => {
    const where = file('r.yml', release('migration'));
    const before = await fits(`plan -f ${where}`);
    expect(before.stdout).toContain('can not be: db, api');
    expect(before.stdout).toContain('no approvals, freezes or queues');
    await environment({ freezes: [freeze('2026-10-12T22:00:00Z', '2026-10-13T06:00:00Z')] });
    const coming = await fits(`plan -f ${where}`);
    const told = coming.stdout.replace(/\s+/g, ' ');
    expect(told).toContain('prod 1 approval before each of its 2 deploys');
    expect(told).toContain('2 at once: 0 of the slots taken, nobody waits');
    expect(told).toMatch(/next freeze 2026-10-12.22:00.* to 2026-10-13.06:00.* \(the sale\)/);
    await environment({ freezes: [freeze('2026-10-12T19:00:00Z', '2026-10-13T06:00:00Z')] });
    const frozen = (await fits(`plan -f ${where}`)).stdout.replace(/\s+/g, ' ');
    expect(frozen).toMatch(/frozen until 2026-10-13.06:00.* \(the sale\): refused until then/);
    const config = { ...CONFIG, application: 'db', rollback: { migration: 'allowed' } };
    await run(`env apply -f ${file('config.yml', config)}`);
    expect((await json(`plan -f ${where}`)).document).toMatchObject({
      irreversible: ['api'],
      environments: [{ name: 'prod', deploys: 2, approval: { required: 1 }, freeze: { reason: 'the sale' } }],
    });
    // Of an environment that somebody may not see, and without a server, it says what the file says.
    for (const setting of [as('zoe-alone'), { fetch: undefined }]) {
      const { document } = await json(`plan -f ${where}`, setting as Setting);
      expect(document.irreversible).toEqual(['db', 'api']);
      expect(document.environments ?? []).toEqual([]);
    }
  });

  test('is in its status: who is asked', async () => {
    await environment({});
    await run(`release submit -f ${file('r.yml', release())} --no-wait`);
    const status = await fits('release status r');
    expect(status.stdout).toMatch(/db .*AWAITING_APPROVAL\s+renga approve r\.db/);
    expect((await fits('why r')).stdout).toMatch(/renga\s+approve r\.db/);
  });
});

describe('login', () => {
  const URL = '--server https://renga.example/';
  test('keeps a token that the server takes, for that server alone, until logout', async () => {
    const written = new Map<string, string>();
    const home = { fetch: fetched, env: { HOME: '/home/zoe' }, written };
    const login = await renga(`login --token-stdin ${URL}`, { ...home, input: 'token-of-zoe-alone\n' });
    expect(login).toMatchObject({ exit: 0, stdout: expect.stringContaining('as user zoe') });
    expect(login.stdout + login.stderr).not.toContain('token-of-zoe-alone');
    const kept = '/home/zoe/.config/renga/tokens.json';
    expect([...written.keys()]).toEqual([kept]);
    const who = async (line: string, env: Record<string, string> = {}) => {
      const ran = await renga(`whoami --json ${line}`, { ...home, env: { ...home.env, ...env } });
      return (JSON.parse(ran.stdout) as { subject?: string }).subject;
    };
    expect(await who('--server https://renga.example')).toBe('zoe');
    expect(await who(`${URL} --token token-of-ben`)).toBe('ben');
    expect(await who(URL, { RENGA_TOKEN: 'token-of-anna' })).toBe('anna');
    expect(await who(`--server https://other.example --data ${folder}/none`)).toBeUndefined();
    // Before the token of a local server, which stands in a directory.
    writeFileSync(path.join(folder, 'token'), 'token-of-ben');
    expect(await who(`${URL} --data ${folder}`)).toBe('zoe');
    expect((await renga(`logout ${URL}`, home)).stdout).toContain('is removed');
    expect(await who(`${URL} --data ${folder}`)).toBe('ben');
    expect((await renga(`logout ${URL}`, home)).stdout).toContain('no token is kept');
  });

  test.each([
    ['', 2],
    ['one two', 2],
    ['token-of-nobody', 5],
  ])('keeps nothing of "%s"', async (input, exit) => {
    const written = new Map<string, string>();
    const ran = await renga(`login --token-stdin ${URL} --json`, {
      fetch: fetched,
      env: { HOME: '/h' },
      written,
      input,
    });
    expect(ran.exit).toBe(exit);
    expect(JSON.parse(ran.stdout)).toHaveProperty('error.code');
    expect(written.size).toBe(0);
  });

  test('says where there is no place for it, and what is wrong with the file', async () => {
    const input = 'token-of-anna';
    expect((await renga(`login --token-stdin ${URL}`, { fetch: fetched, input })).exit).toBe(2);
    const broken = new Map([['/h/.config/renga/tokens.json', 'not json']]);
    const ran = await renga('whoami', { fetch: fetched, env: { HOME: '/h' }, written: broken });
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining('tokens.json') });
    expect((await renga('login', { fetch: fetched, env: { HOME: '/h' }, input })).exit).toBe(2);
  });
});

describe('--ci', () => {
  const exporting = (id: string) =>
    deploy(
      id,
      '1',
      { id, exports: { host: { from: 'deploy.host', pattern: '[a-z.]+' } } },
      { OUT_host: 'db.internal' },
    );

  test.each([
    ['github', /^deploy_id=x\nstate=SUCCESS\nexport_host=db\.internal\n$/],
    ['dotenv', /export_host/i],
    ['json', /"host": ?"db\.internal"/],
  ])('%s writes state and exports once it has ended', async (system, expected) => {
    const target = path.join(folder, 'out');
    const ran = await run(`deploy -f ${file('x.yml', exporting('x'))} --ci ${system} --ci-file ${target}`);
    expect(ran.exit).toBe(0);
    expect(readFileSync(target, 'utf8')).toMatch(expected);
  });

  test('of a release names each export after its deploy, and takes GITHUB_OUTPUT', async () => {
    const target = path.join(folder, 'github');
    writeFileSync(target, 'before=1\n');
    const { id: _, ...descriptor } = exporting('db') as { id?: string };
    const release = { apiVersion: 'renga/v1', kind: 'Release', id: 'r', deploys: [{ name: 'db', descriptor }] };
    const env = { RENGA_TOKEN: 'token-of-anna', GITHUB_OUTPUT: target };
    const ran = await run(`release submit -f ${file('r.yml', release)} --ci github`, { env });
    expect(ran.exit).toBe(0);
    expect(readFileSync(target, 'utf8')).toBe('before=1\nrelease_id=r\nstate=SUCCESS\nexport_db_host=db.internal\n');
  });

  test('is checked before anything is submitted', async () => {
    const ran = await json(`deploy -f ${file('x.yml', exporting('x'))} --ci github`);
    expect(ran.exit).toBe(2);
    expect((await service.get('/v1/deploys/x')).status).toBe(404);
    expect((await run(`deploy -f ${folder}/x.yml --ci jenkins`)).exit).toBe(2);
  });

  test('a failure is written too, without exports', async () => {
    const target = path.join(folder, 'out.json');
    const failing = deploy('x', '1', { id: 'x' }, { OUTCOME: 'error' });
    const ran = await run(`deploy -f ${file('x.yml', failing)} --ci json --ci-file ${target}`);
    expect(ran.exit).toBe(3);
    expect(JSON.parse(readFileSync(target, 'utf8'))).toMatchObject({ state: 'ERROR' });
  });
});

describe('every command', () => {
  const COMMANDS = [
    ...['env apply', 'env diff', 'env list', 'env get', 'env remove', 'env pipelines', 'env remove-pipeline'],
    ...['access apply', 'access diff', 'access list', 'access get', 'access remove'],
    ...['audit', 'whoami', 'history', 'approve', 'reject', 'rollback', 'promote'],
    ...['schedule list', 'schedule show', 'schedule pause', 'schedule resume', 'schedule delete'],
    ...['events', 'events send', 'login', 'logout'],
  ];
  test.each(COMMANDS)('%s has a help text with an example that fits 80 columns', async (line) => {
    const { exit, stdout } = await renga(`${line} --help`, { tty: { columns: 80, rows: 24 } });
    expect(exit).toBe(0);
    expect(stdout).toContain(`$ renga ${line.split(' ')[0]}`);
    expect(stdout.split('\n').filter((text) => text.length > 80)).toEqual([]);
  });

  test.each(['bash', 'zsh', 'fish'])('is known to the completion of %s', async (shell) => {
    const { stdout } = await renga(`completion ${shell}`);
    for (const line of COMMANDS) for (const word of line.split(' ')) expect(stdout).toContain(word);
    expect(stdout).toContain(shell === 'fish' ? 'ci-file' : '--ci-file');
  });
});
