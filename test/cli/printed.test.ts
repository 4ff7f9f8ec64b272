import { describe, expect, test } from 'vitest';
import { StubServer } from './stub-server.ts';
import { renga } from './terminal.ts';

const F = 'test/cli/fixtures';

describe('problems are printed as compilers print theirs', () => {
  test('place, offending line with a caret, code, message and hint, all problems of all files at once', async () => {
    const { exit, stdout } = await renga(`check -f ${F}/wrong.yml ${F}/misspelt.yml --offline`);
    expect(exit).toBe(2);
    expect(
      stdout,
    ).toBe(`${F}/wrong.yml:5:26: unknown-dependency: "api" waits for "bd", which is no deploy of this release
    5 |   - { name: api, after: [bd], file: release/api.yml }
      |                          ^
      hint: did you mean "db"?; an id outside the release belongs into the descriptor's own after

${F}/misspelt.yml:4:1: unknown-field: there is no field "onFailur" here
    4 | onFailur: stop
      | ^
      hint: did you mean "onFailure"?

${F}/misspelt.yml:7:23: file-missing: "${F}/release/nothing.yml" does not exist
    7 |   - { name: db, file: release/nothing.yml }
      |                       ^

3 problems in ${F}/wrong.yml, ${F}/misspelt.yml
`);
  });

  test.each([40, 80])('at %i columns the caret stands below what it means', async (columns) => {
    const { stdout } = await renga(`check -f ${F}/wrong.yml --offline --no-color`, { tty: { columns, rows: 24 } });
    const [, line = '', below = ''] = stdout.split('\n');
    expect(line.slice(below.indexOf('^')).startsWith('bd]')).toBe(true);
    expect(line.length).toBeLessThanOrEqual(columns);
  });
});

describe('plan', () => {
  test('prints layers, order and why, the rollback order, the size and the cost', async () => {
    const { stdout } = await renga(`plan -f ${F}/shop.yml`);
    expect(stdout).toContain(`shop: 4 deploys in 3 layers, on failure: rollback
  mode: auto, and a deploy waits for another: a graph; start: layers, a layer starts when all of the
  one before has ended

  layer  deploy  waits for
      1  db
      2  api     db
         worker  db
      3  web     api *

  * and for the rest of the layer before to end; with start: eager it would not

Taken back, after a failure
  web → worker → api → db
`);
    expect(stdout).toMatch(/definition +[\d,]+ bytes/);
    expect(stdout).toMatch(/history events +\d+ when all succeed, +at most \d+, +\d\.\d % of the 25,000/);
    expect(stdout).toMatch(
      /state transitions +\d+ when all succeed, +at most \d+; +\d+ of the release, 10 of each deploy/,
    );
  });

  test('says why deploys without dependencies run one by one', async () => {
    const { stdout } = await renga(`plan -f ${F}/one-by-one.yml`);
    expect(stdout).toContain('one-by-one: 2 deploys one by one');
    expect(stdout).toContain('mode: auto, and no deploy waits for another: in the order of the file');
  });

  test('--tags plans a part, whose prerequisites must be picked or added', async () => {
    const refused = await renga(`plan -f ${F}/shop.yml --tags web`);
    expect(refused.exit).toBe(2);
    expect(refused.stderr).toContain('"api" is picked but waits for "db", which is neither picked nor current');
    const { stdout } = await renga(`plan -f ${F}/shop.yml --tags web --with-dependencies --json`);
    expect(JSON.parse(stdout)).toMatchObject({ rollbackOrder: ['web', 'api', 'db'] });
  });
});

describe('what is current already need not be picked', () => {
  test('release submit --tags asks the inventory', async () => {
    const server = new StubServer('shop', { web: [[0, 'SUCCESS']] });
    const current = (version: string) => (request: Request) => {
      const url = new URL(request.url);
      if (url.pathname !== '/v1/inventory' || url.searchParams.get('application') !== 'shop-db')
        return server.fetch(request);
      const artifact = { type: 'application', name: 'db', version };
      const item = {
        application: 'shop-db',
        environment: 'prod',
        artifact,
        deploy: 'x',
        revision: 1,
        at: '2026-10-12T12:00:00Z',
      };
      return Promise.resolve(Response.json({ items: [item] }));
    };
    const line = `release submit -f ${F}/shop.yml --tags web --no-wait`;
    expect((await renga(line, { fetch: current('0') })).exit).toBe(2);
    expect((await renga(line, { fetch: current('1') })).exit).toBe(0);
    const sent = server.requests.find(({ method }) => method === 'POST')?.body;
    expect(sent).toMatchObject({
      deploys: [
        { name: 'api', after: [] },
        { name: 'web', after: ['api'] },
      ],
    });
  });
});

describe('deploy', () => {
  test('--import binds an import that the file does not declare, and adds it to after; --after adds to it', async () => {
    const server = new StubServer('none', {});
    expect((await renga(`deploy -f ${F}/import.yml`, { fetch: server.fetch })).stderr).toContain('unknown-import');
    await renga(`deploy -f ${F}/import.yml --import infra=infra-42 --after other`, { fetch: server.fetch });
    expect(server.requests.map(({ body }) => body)).toMatchObject([
      { imports: { infra: { deployment: 'infra-42' } }, after: ['other', 'infra-42'] },
    ]);
  });

  test.each(['infra', '=x', 'infra='])('--import %s is no binding', async (binding) => {
    const { exit, stderr } = await renga(`deploy -f ${F}/import.yml --import ${binding}`);
    expect(exit).toBe(2);
    expect(stderr).toContain('NAME=ID');
  });
});

describe('log', () => {
  const served = (pieces: readonly string[], endsAfter: number) => {
    let looks = 0;
    const all = () => pieces.slice(0, looks).join('');
    return async (request: Request) => {
      looks += 1;
      const offset = Number(new URL(request.url).searchParams.get('offset'));
      const text = all().slice(offset);
      return Response.json({ text, offset, next: offset + text.length, ended: looks >= endsAfter });
    };
  };

  test('prints what there is, and with --follow what is added until the deploy has ended', async () => {
    expect((await renga('log shop.db', { fetch: served(['a\n'], 99) })).stdout).toBe('a\n');
    const followed = await renga('log shop.db --follow', { fetch: served(['a\n', '', 'b\n', '', '', 'c\n'], 6) });
    expect(followed).toMatchObject({ exit: 0, stdout: 'a\nb\nc\n' });
  });

  test('--follow reads each job to its end and the next from its beginning; --job prints one', async () => {
    const logs: Record<string, string> = { deploy: 'first wave\n', 'deploy-2': 'second\n' };
    const asked: string[] = [];
    let looks = 0;
    const fetch = async (request: Request) => {
      const { searchParams } = new URL(request.url);
      const named = searchParams.get('job');
      const job = named ?? (looks++ < 1 ? 'deploy' : 'deploy-2');
      asked.push(`${named ?? 'the last'} from ${searchParams.get('offset')}`);
      // Of the first wave only a part was there at the first look.
      const all = job === 'deploy' && looks === 1 && named === null ? 'first ' : (logs[job] ?? '');
      const offset = Number(searchParams.get('offset'));
      const text = all.slice(offset);
      return Response.json({
        job,
        text,
        offset,
        next: Math.max(offset, all.length),
        ended: looks > 3 || named !== null,
      });
    };
    const followed = await renga('log d --follow', { fetch });
    expect(followed).toMatchObject({ exit: 0, stdout: 'first wave\nsecond\n' });
    expect(followed.stderr).toContain('deploy-2');
    expect(asked.slice(1, 5)).toEqual(['the last from 6', 'deploy from 6', 'deploy from 11', 'the last from 0']);
    expect((await renga('log d --job deploy', { fetch })).stdout).toBe('first wave\n');
  });

  test('control characters of a log do nothing to a terminal, and arrive whole in a pipe', async () => {
    const log = '\u001b[2Jgone?\n';
    expect((await renga('log x', { fetch: served([log], 1) })).stdout).toBe(log);
    const seen = await renga('log x', { fetch: served([log], 1), tty: { columns: 80, rows: 24 } });
    expect(seen.stdout).toBe('gone?\n');
  });
});

describe('graph', () => {
  test('-o writes a file in the format of its ending', async () => {
    const written = new Map<string, string>();
    const { exit, stdout, stderr } = await renga(`graph -f ${F}/shop.yml -o shop.svg`, { written });
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: '', stderr: 'wrote shop.svg\n' });
    expect(written.get('shop.svg')).toMatch(/^<svg /);
  });
});

describe('steering', () => {
  test.each([
    ['release pause shop --reason "incident 4711"', '/v1/releases/shop/pause', { reason: 'incident 4711' }],
    ['release resume shop', '/v1/releases/shop/resume', undefined],
    ['release cancel shop', '/v1/releases/shop/cancel', undefined],
    ['release retry shop --no-wait', '/v1/releases/shop/retry', undefined],
  ])('%s', async (line, path, body) => {
    const server = new StubServer('shop', { db: [[0, 'RUNNING']] });
    const { exit } = await renga(line, { fetch: server.fetch });
    expect(exit).toBe(0);
    expect(server.requests).toMatchObject([{ method: 'POST', path, ...(body && { body }) }]);
  });
});

describe('start', () => {
  test('prints where things are, and stops when it is told to', async () => {
    let closed = 0;
    let otherTokens = 0;
    const startServer = async ({ port, dataDirectory }: { port: number; dataDirectory: string }) => ({
      url: `http://127.0.0.1:${port}`,
      dataDirectory: `/here/${dataDirectory}`,
      tokenFile: `/here/${dataDirectory}/token`,
      tokensFile: `/here/${dataDirectory}/tokens.yml`,
      otherTokens,
      close: async () => {
        closed += 1;
      },
    });
    const ran = await renga('start --port 4081', { startServer, interruptAt: 0 });
    expect(ran.exit).toBe(0);
    expect(closed).toBe(1);
    expect(ran.stdout).toContain('http://127.0.0.1:4081/v1');
    expect(ran.stdout).toContain('/here/.renga/token');
    expect(ran.stdout).not.toContain('tokens.yml');
    otherTokens = 3;
    expect((await renga('start', { startServer, interruptAt: 0 })).stdout).toContain(
      '3 more in /here/.renga/tokens.yml',
    );
    const json = await renga('start --json', { startServer, interruptAt: 0 });
    expect(JSON.parse(json.stdout)).toMatchObject({
      url: 'http://127.0.0.1:4080',
      tokenFile: '/here/.renga/token',
      tokensFile: '/here/.renga/tokens.yml',
      otherTokens: 3,
    });
  });

  test.each(['-1', '65536', 'x', '4080.5'])('--port %s is refused', async (port) => {
    expect((await renga(`start --port=${port}`)).exit).toBe(2);
  });
});

describe('the command line itself', () => {
  test.each([
    'plan --fil x',
    'frobnicate',
    'release frobnicate',
    'status',
    'release list --state DONE',
    'release list --limit 0',
    'completion tcsh',
    'release submit -f x --timeout 10',
    'plan -f x --tags a,,b',
  ])('%s is invalid input', async (line) => {
    const { exit, stdout, stderr } = await renga(line);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toMatch(/^error: /);
  });

  test('every command has help with an example, at 80 columns', async () => {
    const names = [
      'check',
      'plan',
      'graph',
      'compile',
      'deploy',
      'cancel',
      'status',
      'why',
      'log',
      'inventory',
      'start',
      'completion',
    ];
    const inner = ['submit', 'status', 'list', 'cancel', 'pause', 'resume', 'retry'].map((name) => `release ${name}`);
    for (const name of ['', 'release', ...names, ...inner]) {
      const { exit, stdout } = await renga(`${name} --help`, { tty: { columns: 80, rows: 24 } });
      expect(exit).toBe(0);
      expect(stdout).toContain('Examples:\n  $ ');
      for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
    }
  });
});
