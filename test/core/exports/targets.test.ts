import { describe, expect, test } from 'vitest';
import { checkExports } from '../../../core/exports/check.ts';
import { targets } from './exports.ts';

const check = (value: string, pattern?: string) =>
  checkExports({ vms: targets('deploy.vms', pattern) }, { deploy: [{ vms: value }] });
const hosts = (...list: unknown[]) => JSON.stringify(list);
const many = (count: number) => hosts(...Array.from({ length: count }, (_, i) => `h${i}`));

describe('B56: targets are a JSON list, and nothing is guessed', () => {
  test.each([
    ['plain text', '10.20.0.1', 'plain text', 'write ["10.20.0.1", {"host": "10.20.0.2", "port": 22}]'],
    ['a list that was encoded twice', '"[\\"10.20.0.1\\"]"', 'encoded twice', 'encode it once'],
    ['a JSON text', '"10.20.0.1"', 'one JSON text', 'put it into a list'],
    ['one target without a list', '{"host":"10.20.0.1"}', 'one mapping', 'put it into a list'],
    ['null', 'null', 'another JSON value', 'write ['],
    ['a list that breaks off', '["10.20.0.1",', 'breaks off', 'write ['],
    ["Python's way of writing a list", "['10.20.0.1']", 'plain text', 'write ['],
  ])('%s is a type error that says what to write', (_, value, why, hint) => {
    const { problems = [] } = check(value);
    expect(problems).toMatchObject([{ code: 'export-not-targets', path: 'exports.vms' }]);
    expect(problems[0]?.message).toContain(why);
    expect(problems[0]?.hint).toContain(hint);
    expect(problems[0]?.message).not.toContain('10.20');
  });

  const MIXED = '["10.20.0.1",{"host":"10.20.0.2","port":22}]';

  test('hosts and mappings may stand together', () => {
    expect(check(MIXED, '10\\.20\\..*').values).toEqual({
      vms: { format: 'targets', targets: [{ host: '10.20.0.1' }, { host: '10.20.0.2', port: 22 }] },
    });
  });

  test('one bad host refuses the whole export, by its place', () => {
    const { problems, values } = check(MIXED.replace('10.20.0.2', '10.99.0.1'), '10\\.20\\..*');
    expect(values).toBeUndefined();
    expect(problems?.map(({ code, message }) => [code, message])).toEqual([
      [
        'export-bad-target',
        'export "vms" has targets that are none: target 2 has a host that does not match the pattern "10\\\\.20\\\\..*" (not shown)',
      ],
    ]);
  });

  test('500 targets are accepted, 501 are not, and the number is told', () => {
    expect(check(many(500)).problems).toBeUndefined();
    expect(check(many(501)).problems).toMatchObject([
      { code: 'export-too-many-targets', message: 'export "vms" has 501 targets; the limit is 500' },
    ]);
  });
});

describe('every field of a target is checked, and none is shown', () => {
  test.each([
    ['a number', 7, 'is neither a host nor'],
    ['a list', ['s3cr3t'], 'is neither a host nor'],
    ['an empty host', '', 'has a host that is no host name'],
    ['a host with a space', 's3cr3t s3cr3t', 'has a host that is no host name'],
    ['a host like an option', '-s3cr3t', 'has a host that is no host name'],
    ['a host that is a URL', 'https://s3cr3t', 'has a host that is no host name'],
    ['a host with a line break', 's3cr3t\n', 'has a host that is no host name'],
    ['no host', { port: 22 }, 'has no host'],
    ['a host of null', { host: null }, 'has a host that is no host name'],
    ['a port of text', { host: 'a', port: '22' }, 'has a port that is no whole number from 1 to 65535'],
    ['port 0', { host: 'a', port: 0 }, 'has a port'],
    ['port 65536', { host: 'a', port: 65_536 }, 'has a port'],
    ['half a port', { host: 'a', port: 22.5 }, 'has a port'],
    ['a user with a space', { host: 'a', user: 's3cr3t x' }, 'has a user that is no user name'],
    ['labels as a list', { host: 'a', labels: ['s3cr3t'] }, 'has labels that are no mapping'],
    ['a label of a number', { host: 'a', labels: { s3cr3t: 1 } }, 'has labels that are no mapping'],
    ['a label with NUL', { host: 'a', labels: { zone: 's3cr3t\u0000' } }, 'has labels that are no mapping'],
    ['a label with a space in its name', { host: 'a', labels: { 's3cr3t x': 'y' } }, 'has labels that are no mapping'],
    ['an unknown field', { host: 'a', s3cr3t: 1 }, 'has a field that is none of host, port, user, labels'],
  ])('%s', (_, target, what) => {
    const { problems } = check(hosts('good', target));
    expect(problems).toMatchObject([{ code: 'export-bad-target' }]);
    expect(problems?.[0]?.message).toContain(`target 2 ${what}`);
    expect(JSON.stringify(problems)).not.toContain('s3cr3t');
  });

  test('a field that only JSON can have is not lost silently', () => {
    expect(check('[{"host":"a","__proto__":{"port":1}}]').problems).toMatchObject([{ code: 'export-bad-target' }]);
    expect(check('[{"host":"a","labels":{"__proto__":"x"}}]').problems).toMatchObject([{ code: 'export-bad-target' }]);
  });

  test('all fields together are kept as they are', () => {
    const target = { host: '[2001:db8::1]', port: 2222, user: 'ec2-user', labels: { zone: 'a', 'empty/one': '' } };
    expect(check(hosts(target)).values).toEqual({ vms: { format: 'targets', targets: [target] } });
  });

  test('many bad targets are counted, the first three told', () => {
    const { problems } = check(hosts(...Array.from({ length: 10 }, () => 'a b')));
    expect(problems?.[0]?.message).toMatch(
      /none: target 1 [^;]+; target 2 [^;]+; target 3 [^;]+; and 7 more \(not shown\)$/,
    );
  });
});

test.each([
  ['no target', hosts(), 'export-empty'],
  ['nothing', '', 'export-empty'],
  ['asterisks', '***', 'export-masked'],
  ['a host of asterisks', hosts('a', '*****'), 'export-masked'],
  ['a label of asterisks', hosts({ host: 'a', labels: { token: '***' } }), 'export-masked'],
])('B51: a list with %s is refused', (_, value, code) => {
  expect(check(value).problems).toMatchObject([{ code, path: 'exports.vms' }]);
});

test('B55: a list is measured as its plugin gave it, and as it is kept', () => {
  const white = `${' '.repeat(65_537 - hosts('a').length)}${hosts('a')}`;
  expect(check(white).problems?.[0]?.message).toBe('export "vms" has 65537 bytes; the limit is 65536');
  expect(check(white.slice(1)).problems).toBeUndefined();
  // 500 hosts of 125 letters: 64,001 bytes as hosts, 68,501 as mappings.
  const long = hosts(...Array.from({ length: 500 }, (_, i) => `${i}`.padStart(125, 'h')));
  expect(long).toHaveLength(64_001);
  expect(check(long).problems).toMatchObject([
    { code: 'export-too-large', message: 'export "vms" has 68501 bytes as a list of {host, …}; the limit is 65536' },
  ]);
});
