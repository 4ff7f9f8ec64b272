import { describe, expect, test } from 'vitest';
import type { ReleaseView } from '../../api/contract.ts';
import { type Script, StubServer } from './stub-server.ts';
import { renga, Screen, type Setting } from './terminal.ts';

const SUBMIT = 'release submit -f test/cli/fixtures/shop.yml';
const SHOP: Script = {
  db: [
    [0, 'RUNNING'],
    [2, 'SUCCESS'],
  ],
  api: [
    [2, 'RUNNING'],
    [5, 'SUCCESS'],
  ],
  web: [
    [0, 'WAITING_DEPENDENCY'],
    [5, 'RUNNING'],
    [6, 'ERROR'],
  ],
};

async function followed(script: Script, setting: Setting = {}, change?: (view: ReleaseView) => ReleaseView) {
  const server = new StubServer('shop', script, change);
  return renga(SUBMIT, { fetch: server.fetch, tick: server.tick, ...setting });
}

/** Frames of a terminal: what stood on it each time that something was written. */
async function frames(script: Script, tty: { columns: number; rows: number }, resize?: (second: number) => number) {
  const server = new StubServer('shop', script);
  const seen: string[][] = [];
  const size = { ...tty };
  const screen = new Screen(tty.columns);
  const ran = await renga(SUBMIT, {
    fetch: server.fetch,
    tty: size,
    env: { NO_COLOR: '1' },
    tick: (second) => {
      server.tick(second);
      if (resize !== undefined) size.columns = resize(second);
    },
    watch: (text) => {
      screen.resize(size.columns);
      screen.write(text);
      seen.push(screen.lines);
    },
  });
  return { ...ran, seen, last: seen.at(-1) ?? [] };
}

describe('in CI', () => {
  test('a line for whatever changes, and none while nothing does', async () => {
    const { stdout } = await followed(SHOP);
    const [progress = ''] = stdout.split('\n\n');
    expect(progress).toBe(`2026-10-12T12:00:00Z  shop  PENDING
2026-10-12T12:00:00Z  db    RUNNING
2026-10-12T12:00:00Z  api   ENQUEUED
2026-10-12T12:00:00Z  web   WAITING_DEPENDENCY
2026-10-12T12:00:02Z  db    SUCCESS  2.0 s
2026-10-12T12:00:02Z  api   RUNNING
2026-10-12T12:00:05Z  api   SUCCESS  3.0 s
2026-10-12T12:00:05Z  web   RUNNING
2026-10-12T12:00:06Z  web   ERROR    1.0 s  plugin-failed: exit code 7. The log ends: · no port 80
2026-10-12T12:00:06Z  shop  ERROR    6.0 s`);
  });

  test('at the end who failed and why, what was taken back in its order, what is exported, and where to look', async () => {
    const change = (view: ReleaseView): ReleaseView => ({
      ...view,
      deploys: view.deploys.map((deploy) => {
        if (view.state === 'PENDING' || deploy.state !== 'SUCCESS') return deploy;
        const rollbackId = `shop.rollback.${deploy.name}`;
        if (deploy.name === 'api') return { ...deploy, rollbackState: 'done', rollbackId, exports: { url: 'gone' } };
        const rollbackError = { code: 'no-previous-version', message: 'there is no version before this' };
        return { ...deploy, rollbackState: 'failed', rollbackId, rollbackError, exports: { host: '10.0.0.1' } };
      }),
    });
    const { stdout, exit } = await followed(SHOP, {}, change);
    expect(exit).toBe(3);
    expect(stdout.slice(stdout.indexOf('\n\n') + 2)).toBe(`✗ shop  ERROR in 6.0 s

  layer    deploy  artifact  state      took
      1  ✓ db      db 1      SUCCESS   2.0 s
      2  ✓ api     api 1     SUCCESS   3.0 s
      3  ✗ web     web 1     ERROR     1.0 s

what failed
  web: plugin-failed; what it had changed stays
    exit code 7. The log ends:
    no port 80

taken back, in this order
  ✓ api  done    shop.rollback.api
  ✗ db   failed  shop.rollback.db   no-previous-version: there is no version before this

exports
  db.host = 10.0.0.1

look closer
  why      renga why shop
  log      renga log shop.web
  again    renga release retry shop
  console  http://console/e
`);
  });

  test('no colours and no cursor moves, whatever others wrote into their messages', async () => {
    const { stdout } = await followed(SHOP, {}, (view) => ({
      ...view,
      deploys: view.deploys.map((deploy) =>
        deploy.error === undefined
          ? deploy
          : { ...deploy, error: { code: 'plugin-failed', message: '\u001b[2J\u001b[31mred\u0007\nend' } },
      ),
    }));
    expect(stdout).not.toMatch(/\p{Cc}(?<!\n)/u);
    expect(stdout).toContain('plugin-failed: red · end');
  });
});

describe('on a terminal', () => {
  test('one line for each deploy is redrawn, and gives way to the summary', async () => {
    const { seen, last, stderr } = await frames(SHOP, { columns: 80, rows: 24 });
    expect(seen[0]).toEqual([
      '● shop  PENDING  0.0 s  0 of 3 ended',
      '  ● db   RUNNING               0.0 s',
      '  ○ api  ENQUEUED',
      '  ○ web  WAITING_DEPENDENCY',
      '',
    ]);
    const middle = seen.find((lines) => lines[1]?.includes('SUCCESS'));
    expect(middle?.map((line) => line.replace(/\d+\.\d s/, 'N s'))).toEqual([
      '● shop  PENDING  N s  1 of 3 ended',
      '  ✓ db   SUCCESS               N s',
      '  ● api  RUNNING               N s',
      '  ○ web  WAITING_DEPENDENCY',
      '',
    ]);
    expect(last[0]).toMatch(/^✗ shop {2}ERROR in 6\.0 s$/);
    expect(last.join('\n')).not.toContain('PENDING');
    expect(stderr).toBe('');
  });

  const many: Script = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [
      `deploy-${at}`,
      at < 20
        ? [[0, 'SUCCESS']]
        : at === 40
          ? [
              [0, 'RUNNING'],
              [1, 'ERROR'],
            ]
          : at < 45
            ? [
                [0, 'RUNNING'],
                [9, 'SUCCESS'],
              ]
            : [[9, 'SUCCESS']],
    ]),
  );

  test('with more deploys than rows, what failed and what runs is shown, the rest counted', async () => {
    const { seen } = await frames(many, { columns: 80, rows: 12 });
    const frame = seen.find((lines) => lines.some((line) => line.includes('✗ deploy-40')));
    expect(frame?.filter((line) => line !== '')).toHaveLength(10);
    expect(frame?.at(-2)).toBe('    … and 52 more: 20 SUCCESS, 17 RUNNING, 15 ENQUEUED');
    for (const lines of seen.slice(0, -2)) expect(lines.length).toBeLessThanOrEqual(12);
  });

  test.each([20, 40, 120])('at %i columns no line of a frame is broken in two', async (columns) => {
    const { seen } = await frames(SHOP, { columns, rows: 24 });
    for (const lines of seen.slice(0, -2)) {
      expect(lines).toHaveLength(5);
      for (const line of lines) expect([...line].length).toBeLessThan(columns);
    }
  });

  test('a terminal made narrower leaves nothing of the frame before', async () => {
    const { seen } = await frames(SHOP, { columns: 80, rows: 24 }, (second) => (second < 3 ? 80 : 30));
    // The frame that was drawn wide takes more rows once it is narrow; all of them are drawn over.
    for (const lines of seen.slice(0, -2)) expect(lines.filter((line) => /^[●✗] shop/.test(line))).toHaveLength(1);
  });

  test('colours follow --no-color, NO_COLOR and a dumb terminal', async () => {
    const tty = { columns: 80, rows: 24 };
    const coloured = async (line: string, env: Record<string, string> = {}) => {
      const server = new StubServer('shop', SHOP);
      const { stdout } = await renga(line, { fetch: server.fetch, tick: server.tick, tty, env });
      return stdout.includes('\u001b[3');
    };
    expect(await coloured('release status shop')).toBe(true);
    expect(await coloured('release status shop --no-color')).toBe(false);
    expect(await coloured('release status shop', { NO_COLOR: '1' })).toBe(false);
    expect(await coloured(SUBMIT, { TERM: 'dumb' })).toBe(false);
  });
});

describe('what waits', () => {
  const waits: Script = { db: [[0, 'AWAITING_APPROVAL']], api: [[0, 'ENQUEUED']], web: [[0, 'ENQUEUED']] };
  const change = (view: ReleaseView): ReleaseView => ({
    ...view,
    deploys: view.deploys.map((deploy) => ({
      ...deploy,
      ...(deploy.name === 'db' && {
        approval: {
          required: 2,
          selfApproval: false,
          expiresAt: '2026-10-12T22:00:00.000Z',
          approvals: [{ by: 'bob', at: '2026-10-12T12:00:00.000Z' }],
        },
      }),
      ...(deploy.name === 'api' && { queue: { slots: 1, held: 1, position: 3 } }),
      ...(deploy.name === 'web' && { queue: { freeze: { reason: 'the sale', until: '2026-10-13T06:00:00.000Z' } } }),
    })),
  });
  const expected = [
    /db.*AWAITING_APPROVAL.* renga approve shop\.db \(1 of 2, by bob\)/,
    /api.*ENQUEUED.* number 3 in line for a slot/,
    /web.*ENQUEUED.* frozen until 2026-10-13T06:00:00Z: the sale/,
  ];

  test('is told while it is followed, the command first', async () => {
    const { stdout, exit } = await followed(waits, { interruptAt: 2 }, change);
    expect(exit).toBe(4);
    for (const line of expected) expect(stdout).toMatch(line);
  });

  test('is told by the status of the release, at 80 columns too', async () => {
    const server = new StubServer('shop', waits, change);
    const tty = { columns: 80, rows: 24 };
    const { stdout } = await renga('release status shop --no-color', { fetch: server.fetch, tty });
    for (const line of expected) expect(stdout.replace(/\n {11}/g, ' ')).toMatch(line);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});
