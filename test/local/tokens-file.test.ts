import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { owner } from '../../core/access/actor.ts';
import { startServer } from '../../local/server.ts';
import { TokensFile } from '../../local/tokens-file.ts';

const OWNER = 'o'.repeat(64);
const ADA = 'ada-ada-ada-ada-ada-ada';
const CI = 'ci-ci-ci-ci-ci-ci-ci-ci-ci';

let folder: string;
let path: string;
let reports: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'renga-tokens-'));
  path = join(folder, 'tokens.yml');
  reports = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const report = (message: string, error: unknown) => void reports.push(`${message}: ${String(error)}`);
const opened = () => new TokensFile(path, { token: OWNER, actor: owner('olga') }, report);

let written = 0;
/** Writes the file, always at another time than before: how fine the clock of a file system is must not matter. */
function write(text: string, mode = 0o600): void {
  writeFileSync(path, text, { mode });
  chmodSync(path, mode);
  written += 1;
  utimesSync(path, 1_700_000_000 + written, 1_700_000_000 + written);
}

const entry = (token: string, rest: string) => `- token: ${token}\n  ${rest}\n`;
const subjects = async (file: TokensFile) => [...(await file.current()).values()].map(({ subject }) => subject);

describe('tokens.yml', () => {
  it('need not be there: the owner alone is known', async () => {
    expect(await opened().current()).toEqual(new Map([[OWNER, owner('olga')]]));
    expect(reports).toEqual([]);
  });

  it('holds users and pipelines, in groups, none of them an administrator', async () => {
    write(entry(ADA, 'user: ada\n  groups: [platform, shop]') + entry(CI, 'pipeline: 123456789012/com.example.ci'));
    expect(await opened().current()).toEqual(
      new Map([
        [OWNER, owner('olga')],
        [ADA, { subject: 'ada', kind: 'user', groups: ['platform', 'shop'] }],
        [CI, { subject: '123456789012/com.example.ci', kind: 'pipeline', groups: [] }],
      ]),
    );
    expect(reports).toEqual([]);
  });

  it.each(['', '# nobody yet\n', '[]', '---\n'])('that says %j holds nobody', async (text) => {
    write(text);
    expect(await subjects(opened())).toEqual(['olga']);
    expect(reports).toEqual([]);
  });

  it('may be JSON', async () => {
    write(JSON.stringify([{ token: ADA, user: 'ada' }], null, 2));
    expect(await subjects(opened())).toEqual(['olga', 'ada']);
  });

  it('is read again when it has changed, and only then', async () => {
    const file = opened();
    write(entry(ADA, 'user: ada'));
    const first = await file.current();
    expect(await file.current()).toBe(first);
    write(entry(ADA, 'user: ada') + entry(CI, 'pipeline: ci'));
    expect(await subjects(file)).toEqual(['olga', 'ada', 'ci']);
    // Another file of the same size and time under the same name, as an editor saves it.
    const { mtime, atime } = statSync(path);
    const other = join(folder, 'other');
    writeFileSync(other, entry(ADA, 'user: eva') + entry(CI, 'pipeline: ci'), { mode: 0o600 });
    utimesSync(other, atime, mtime);
    renameSync(other, path);
    expect(await subjects(file)).toEqual(['olga', 'eva', 'ci']);
    rmSync(path);
    expect(await subjects(file)).toEqual(['olga']);
  });

  it.each([
    ['no YAML', `- token: [${ADA}`, /line 1 is no YAML/],
    ['no list', `token: ${ADA}`, /expected array/],
    ['a token under another name', `- ${ADA}: ada`, /line 1: .*none of: token, user, pipeline, groups/],
    ['a short token', entry(CI, 'user: ci') + entry('secretsecret', 'user: x'), /line 3: token: is shorter than 20/],
    ['a token with a space', entry(`"${ADA} ${ADA}"`, 'user: x'), /token: has other characters/],
    ['a token that YAML reads as a number', entry('01234567890123456789012', 'user: x'), /line 1: .*in quotes/],
    ['a user and a pipeline', entry(ADA, 'user: x\n  pipeline: y'), /line 1: needs either user or pipeline/],
    ['neither', entry(ADA, 'groups: [x]'), /line 1: needs either user or pipeline/],
    ['an administrator', entry(ADA, 'user: x\n  administrator: true'), /has a field that is none of/],
    ['a name that nobody can bind', entry(ADA, 'user: "Ada L"'), /line 1: user: is empty, or has spaces or \*/],
    ['a token twice', entry(ADA, 'user: x') + entry(ADA, 'user: y'), /a token is there twice/],
    ["the owner's token", entry(OWNER, 'user: x'), /or is the owner's/],
    ["the owner's name", entry(ADA, 'user: olga'), /the user olga is the owner/],
    ['two documents', `${entry(ADA, 'user: x')}---\n${entry(CI, 'user: y')}`, /several documents/],
    ['a doubled field', entry(ADA, `user: x\n  token: ${CI}`), /line 3: doubled|line 3: duplicate/],
  ])('with %s is reported once, without any token, and what was there holds', async (_, text, message) => {
    const file = opened();
    write(entry('before-before-before-before', 'user: bea'));
    expect(await subjects(file)).toEqual(['olga', 'bea']);
    write(text);
    expect(await subjects(file)).toEqual(['olga', 'bea']);
    expect(await subjects(file)).toEqual(['olga', 'bea']);
    expect(reports).toEqual([expect.stringMatching(message)]);
    for (const secret of [ADA, CI, OWNER, 'secretsecret', '0123456789']) expect(reports[0]).not.toContain(secret);
    write(entry(CI, 'user: cleo'));
    expect(await subjects(file)).toEqual(['olga', 'cleo']);
    expect(reports).toHaveLength(1);
  });

  it.skipIf(process.platform === 'win32')('that others may read is not taken over until they may not', async () => {
    const file = opened();
    write(entry(ADA, 'user: ada'), 0o640);
    expect(await subjects(file)).toEqual(['olga']);
    expect(reports).toEqual([expect.stringContaining(`chmod 600 ${path}`)]);
    chmodSync(path, 0o600);
    expect(await subjects(file)).toEqual(['olga', 'ada']);
  });

  it('that is a folder or no text is reported', async () => {
    mkdirSync(path);
    const file = opened();
    expect(await subjects(file)).toEqual(['olga']);
    rmSync(path, { recursive: true });
    writeFileSync(path, Buffer.from([0xff, 0xfe, 0xff]), { mode: 0o600 });
    expect(await subjects(file)).toEqual(['olga']);
    expect(reports).toEqual([expect.stringContaining('is no file'), expect.stringContaining('is not text')]);
  });
});

it('a server takes over new tokens while it runs', async () => {
  const data = join(folder, 'data');
  const start = () => startServer({ port: 0, dataDirectory: data, workingDirectory: folder, report });
  let server = await start();
  const status = async (token: string) =>
    (await fetch(`${server.url}/v1/releases`, { headers: { authorization: `Bearer ${token}` } })).status;
  try {
    expect(server.otherTokens).toBe(0);
    path = server.tokensFile;
    expect([await status(server.token), await status(ADA)]).toEqual([200, 401]);
    write(entry(ADA, 'user: ada'));
    expect([await status(server.token), await status(ADA)]).toEqual([200, 200]);
    write(entry(CI, 'pipeline: ci'));
    expect([await status(server.token), await status(ADA), await status(CI)]).toEqual([200, 401, 200]);
    await server.close();
    server = await start();
    expect(server.otherTokens).toBe(1);
  } finally {
    await server.close();
  }
  expect(reports).toEqual([]);
});
