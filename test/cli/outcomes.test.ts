import { describe, expect, test } from 'vitest';
import { type Script, StubServer } from './stub-server.ts';
import { type Ran, renga, type Setting } from './terminal.ts';

const F = 'test/cli/fixtures';
const SUBMIT = `release submit -f ${F}/shop.yml`;

const SUCCEEDS: Script = {
  db: [
    [0, 'RUNNING'],
    [2, 'SUCCESS'],
  ],
  api: [
    [2, 'RUNNING'],
    [14, 'SUCCESS'],
  ],
};
const FAILS: Script = {
  db: [
    [0, 'RUNNING'],
    [2, 'SUCCESS'],
  ],
  web: [
    [2, 'RUNNING'],
    [3, 'ERROR'],
  ],
};
const FOREVER: Script = { db: [[0, 'RUNNING']] };

async function submitted(script: Script, options = '', setting: Setting = {}): Promise<Ran & { server: StubServer }> {
  const server = new StubServer('shop', script);
  const ran = await renga(`${SUBMIT} ${options}`, { fetch: server.fetch, tick: server.tick, ...setting });
  return { ...ran, server };
}

describe('B87: how a waiting command ends tells CI what happened', () => {
  const cases: readonly [
    name: string,
    script: Script,
    line: string,
    exit: number,
    seconds: (value: number) => boolean,
  ][] = [
    ['(1) a release that ends SUCCESS', SUCCEEDS, SUBMIT, 0, (value) => value >= 14 && value < 16],
    ['(2) a release that ends ERROR, at once', FAILS, SUBMIT, 3, (value) => value >= 3 && value < 4.1],
    ['(3) --timeout reached', FOREVER, `${SUBMIT} --timeout 30s`, 4, (value) => value === 30],
    ['(4) an invalid file', FOREVER, `release submit -f ${F}/wrong.yml`, 2, (value) => value === 0],
    ['(5) --no-wait, accepted', FOREVER, `${SUBMIT} --no-wait`, 0, (value) => value === 0],
  ];
  test.each(cases)('%s', async (_name, script, line, exit, lasts) => {
    const server = new StubServer('shop', script);
    const ran = await renga(line, { fetch: server.fetch, tick: server.tick });
    expect(ran.exit).toBe(exit);
    expect(ran.seconds).toSatisfy(lasts);
    expect(server.requests.filter(({ path }) => path.endsWith('/cancel'))).toEqual([]);
    if (exit === 2) expect(server.requests).toEqual([]);
  });

  test('--timeout says that the release goes on, and how to follow it again', async () => {
    const { stderr } = await submitted(FOREVER, '--timeout 30s');
    expect(stderr).toContain('still running after 30 s (--timeout); the release shop goes on, nothing was cancelled');
    expect(stderr).toContain('renga release status shop --watch');
  });
});

describe('B85: a file is never taken for its first document alone', () => {
  test.each(['release submit', 'check', 'plan', 'graph', 'compile'])(
    '%s refuses a file with two releases',
    async (verb) => {
      const { exit, stdout, stderr } = await renga(`${verb} -f ${F}/two-releases.yml`);
      expect(exit).toBe(2);
      expect(stdout + stderr).toContain(
        `two-releases.yml:8:1: several-documents: ${F}/two-releases.yml has 2 documents`,
      );
    },
  );

  test.each(['release submit', 'check', 'deploy'])('%s says that only comments are no release', async (verb) => {
    const { exit, stdout, stderr } = await renga(`${verb} -f ${F}/comments.yml`);
    expect(exit).toBe(2);
    expect(stdout + stderr).toContain('no release found');
  });
});

describe('B89: the same id is the same release only with the same content', () => {
  test('(1) another order of fields, comments and spaces send the same document, and get the release that is there', async () => {
    const server = new StubServer('shop', SUCCEEDS);
    server.existing = true;
    server.seconds = 20;
    await renga(SUBMIT, { fetch: server.fetch });
    const again = await renga(`release submit -f ${F}/shop-again.yml`, { fetch: server.fetch });
    expect(again.exit).toBe(0);
    expect(again.stderr).toContain('the release shop was submitted before, with the same content: this is it');
    const [first, second] = server.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
    expect(second).toEqual(first);
  });

  test('(2), (3) another version is refused, naming the release and what differs', async () => {
    const server = new StubServer('shop', FOREVER);
    server.refusal = {
      status: 409,
      code: 'id-taken',
      detail: 'there is a release shop already, with other content',
      differences: ['deploys[web].descriptor.artifact.version: "1" → "2"'],
      hint: 'give a changed release another id',
    };
    const { exit, stderr, stdout } = await renga(`release submit -f ${F}/shop-changed.yml`, { fetch: server.fetch });
    expect(exit).toBe(5);
    expect(stdout).toBe('');
    expect(stderr).toBe(`renga: there is a release shop already, with other content
  deploys[web].descriptor.artifact.version: "1" → "2"
  give a changed release another id
`);
    expect(server.requests).toHaveLength(1);
  });
});

describe('what is followed goes on without us', () => {
  test('Ctrl-C stops following, and says that the release does not stop', async () => {
    const { exit, stderr, server, seconds } = await submitted(FOREVER, '', { interruptAt: 5 });
    expect({ exit, seconds }).toEqual({ exit: 4, seconds: 5 });
    expect(stderr).toContain('no longer followed; the release shop goes on, nothing was cancelled');
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('a server that comes back is asked again', async () => {
    const server = new StubServer('shop', SUCCEEDS);
    server.away = [4, 40];
    const { exit, stdout } = await renga(SUBMIT, { fetch: server.fetch, tick: server.tick });
    expect(exit).toBe(0);
    expect(stdout.match(/no server answers/g)).toHaveLength(1);
    expect(stdout).toContain('the server answers again');
  });

  test('a server that stays away is reported after a minute', async () => {
    const server = new StubServer('shop', SUCCEEDS);
    server.away = [4, Number.POSITIVE_INFINITY];
    const { exit, stderr, seconds } = await renga(SUBMIT, { fetch: server.fetch, tick: server.tick });
    expect(exit).toBe(1);
    expect(seconds).toBeGreaterThanOrEqual(63);
    expect(seconds).toBeLessThan(68);
    expect(stderr).toContain('how the release shop goes on is not known');
    expect(stderr).toContain('renga release status shop --watch');
  });

  test('a refusal meanwhile is no reason to wait', async () => {
    const server = new StubServer('shop', FOREVER);
    const tick = (seconds: number) => {
      server.tick(seconds);
      if (seconds > 5) server.refusal = { status: 401, code: 'unauthenticated', detail: 'the token is not known here' };
    };
    const { exit, stderr, seconds } = await renga(SUBMIT, { fetch: server.fetch, tick });
    expect(exit).toBe(5);
    expect(seconds).toBeLessThan(8);
    expect(stderr).toContain('`token` of its data directory');
  });

  test('looks are close together while something changes, and a second apart while nothing does', async () => {
    const { sleeps } = await submitted(FOREVER, '--timeout 1m');
    expect(sleeps[0]).toBe(200);
    expect(Math.max(...sleeps)).toBe(1_000);
    expect(sleeps.length).toBeLessThan(70);
  });
});

describe('without a server', () => {
  test.each([
    SUBMIT,
    `deploy -f ${F}/release/api.yml`,
    'release list',
    'status shop',
    'why shop',
    'inventory',
    'log shop.db',
    'cancel shop.db',
  ])('%s says how to start one', async (line) => {
    const { exit, stdout, stderr } = await renga(line);
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' });
    expect(stderr).toContain('no server answers at http://127.0.0.1:4080 (ECONNREFUSED)');
    expect(stderr).toContain('start one with `renga start`');
  });

  test.each(['plan', 'graph', 'compile', 'check --offline'])('%s needs none', async (verb) => {
    expect(await renga(`${verb} -f ${F}/shop.yml`)).toMatchObject({ exit: 0, stderr: '' });
  });

  test('check says what part of it needs one, unless --offline, which says what was not checked', async () => {
    const wanted = await renga(`check -f ${F}/shop.yml`);
    expect(wanted.exit).toBe(1);
    expect(wanted.stderr.replace(/\s+/g, ' ')).toContain(
      'or add --offline to check only what the files say themselves',
    );
    const offline = await renga(`check -f ${F}/shop.yml --offline`);
    expect(offline.stdout).toContain('not checked (--offline):\n  - that the ids of its deploys are free\n');
  });
});

describe('--json prints exactly one document, however it ends', () => {
  const cases: readonly [line: string, exit: number, expected: object][] = [
    [SUBMIT, 3, { id: 'shop', state: 'ERROR' }],
    [`${SUBMIT} --no-wait`, 0, { id: 'shop' }],
    [`${SUBMIT} --timeout 1s`, 4, { id: 'shop', state: 'PENDING' }],
    [
      `release submit -f ${F}/wrong.yml`,
      2,
      { error: { code: 'invalid-document', problems: [{ code: 'unknown-dependency' }] } },
    ],
    ['release submit', 2, { error: { code: 'usage' } }],
    ['release submit --nonsense', 2, { error: { code: 'usage' } }],
    ['nonsense', 2, { error: { code: 'usage' } }],
    ['', 2, { error: { code: 'usage', message: 'a command is missing' } }],
    ['--help', 0, { text: expect.stringContaining('Exit codes:') }],
    ['--version', 0, { text: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) }],
    ['release status nope', 2, { error: { code: 'not-found' } }],
    ['status nope', 2, { error: { code: 'not-found' } }],
    ['release list', 0, { items: [{ id: 'shop' }] }],
    ['inventory', 0, { items: [] }],
    [`check -f ${F}/shop.yml ${F}/release/api.yml`, 0, { valid: true, problems: [], notChecked: [] }],
    [`check -f ${F}/wrong.yml ${F}/misspelt.yml`, 2, { valid: false }],
    [`plan -f ${F}/shop.yml`, 0, { order: 'dag', rollbackOrder: ['web', 'worker', 'api', 'db'] }],
    [
      `graph -f ${F}/shop.yml --format mermaid`,
      0,
      { format: 'mermaid', graph: expect.stringContaining('flowchart TD') },
    ],
    [`compile -f ${F}/shop.yml`, 0, { QueryLanguage: 'JSONata' }],
    ['completion fish', 0, { shell: 'fish' }],
    ['start', 2, { error: { code: 'port-unavailable' } }],
    ['release list --server nonsense', 2, { error: { code: 'invalid-request' } }],
  ];
  test.each(cases)('%s', async (line, exit, expected) => {
    const server = new StubServer('shop', FAILS);
    const ran = await renga(`${line} --json`, { fetch: server.fetch, tick: server.tick });
    expect(ran.exit).toBe(exit);
    expect(JSON.parse(ran.stdout)).toMatchObject(expected);
  });

  test('even a surprise, whose place goes to the standard error output', async () => {
    const startServer = async () => {
      throw new Error('a bug');
    };
    const { exit, stdout, stderr } = await renga('start --json', { startServer });
    expect(exit).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'internal', message: 'unexpected: a bug' } });
    expect(stderr).toContain('outcomes.test.ts');
  });

  test('also on a terminal, where nothing is drawn then', async () => {
    const { stdout } = await submitted(SUCCEEDS, '--json', { tty: { columns: 80, rows: 24 } });
    expect(JSON.parse(stdout)).toMatchObject({ state: 'SUCCESS' });
  });
});

describe('what the server answers', () => {
  const answering = (body: string, status: number): Setting => ({ fetch: async () => new Response(body, { status }) });
  test('a page that is none of ours is said to be none', async () => {
    const { exit, stderr } = await renga('release list', answering('<html>', 200));
    expect(exit).toBe(1);
    expect(stderr).toContain('is it a renga server');
  });

  test('a gateway without its server is like no server', async () => {
    const { exit, stderr } = await renga('release list', answering('<html>', 502));
    expect(exit).toBe(1);
    expect(stderr).toContain('no server answers at http://127.0.0.1:4080 (HTTP 502)');
  });

  test('fields that a newer server adds are left alone', async () => {
    const server = new StubServer(
      'shop',
      SUCCEEDS,
      (view) => ({ ...view, execution: { ...view.execution, novel: 1 }, novel: 2 }) as never,
    );
    server.seconds = 20;
    const { exit, stdout } = await renga('release status shop --json', { fetch: server.fetch });
    expect(exit).toBe(0);
    expect(stdout).not.toContain('novel');
  });

  test('problems that only it can see stand in the files that were sent', async () => {
    const server = new StubServer('shop', SUCCEEDS);
    server.refusal = {
      status: 422,
      code: 'invalid-document',
      problems: [
        {
          code: 'unknown-plugin',
          path: 'deploys[1].descriptor.deploy.plugin',
          message: 'there is no plugin "command" here',
          position: { file: 'body.json', line: 1, column: 200, source: '{}' },
        },
      ],
    };
    for (const verb of ['check', 'release submit']) {
      const { exit, stdout, stderr } = await renga(`${verb} -f ${F}/shop.yml`, { fetch: server.fetch });
      expect(exit).toBe(2);
      expect(stdout + stderr).toContain(`${F}/release/api.yml:5:19: unknown-plugin: there is no plugin "command" here`);
    }
  });
});

describe('who is asking', () => {
  const authorization = async (line: string, env: Record<string, string> = {}) => {
    const server = new StubServer('shop', SUCCEEDS);
    await renga(line, { fetch: server.fetch, env });
    return server.requests[0]?.authorization;
  };
  test('--token, then RENGA_TOKEN, then the token file, then nobody', async () => {
    const file = `--data ${F}/data`;
    expect(await authorization(`release list --token a ${file}`, { RENGA_TOKEN: 'b' })).toBe('Bearer a');
    expect(await authorization(`release list ${file}`, { RENGA_TOKEN: 'b' })).toBe('Bearer b');
    expect(await authorization(`release list ${file}`)).toBe('Bearer from-the-file');
    expect(await authorization(`release list --data ${F}/none`)).toBeUndefined();
  });
});
