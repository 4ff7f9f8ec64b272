import { describe, expect, test } from 'vitest';
import { checkExports } from '../../../core/exports/check.ts';
import { targets, text } from './exports.ts';

const checkUrl = (...values: (string | undefined)[]) =>
  checkExports(
    { url: text('deploy.url', '[a-z]+') },
    { deploy: values.map((url) => (url === undefined ? {} : { url })) },
  );
const checkVms = (...lists: unknown[][]) =>
  checkExports({ vms: targets('deploy.vms') }, { deploy: lists.map((vms) => ({ vms: JSON.stringify(vms) })) });
const messages = ({ problems = [] }: ReturnType<typeof checkExports>) => problems.map(({ message }) => message);

describe('a text over waves', () => {
  test('is one value when every wave gave the same', () => {
    expect(checkUrl('a', 'a', 'a').values).toEqual({ url: { format: 'string', value: 'a' } });
  });

  test('that differs is refused by export and waves, values untold', () => {
    const checked = checkUrl('same', 'other', 'same', 'third');
    expect(checked.problems).toMatchObject([{ code: 'export-differs', path: 'exports.url' }]);
    expect(messages(checked)).toEqual([
      'export "url" differs between waves: in waves 2 and 4 it has another value than in wave 1 (not shown)',
    ]);
    expect(JSON.stringify(checked)).not.toMatch(/same"|other"|third/);
  });

  test('that a wave lacks is missing in that wave', () => {
    expect(messages(checkUrl('a', undefined, 'a'))).toEqual([
      'export "url" is missing in wave 2: the plugin gave no output "url"',
    ]);
    expect(messages(checkUrl(undefined, 'a', undefined, undefined))).toEqual([
      'export "url" is missing in waves 1, 3 and 4: the plugin gave no output "url"',
    ]);
  });

  test('that is wrong in some waves is told once for each reason', () => {
    const checked = checkUrl('A', 'a', 'B', '');
    expect(messages(checked)).toEqual([
      'export "url" in waves 1 and 3 does not match its pattern "[a-z]+" (1 bytes, not shown)',
      'export "url" in wave 4 is empty',
    ]);
  });
});

describe('targets over waves', () => {
  test('are united in order, exact repetitions once', () => {
    expect(checkVms(['b', 'a'], [{ host: 'a' }, 'c'], ['b']).values).toEqual({
      vms: { format: 'targets', targets: [{ host: 'b' }, { host: 'a' }, { host: 'c' }] },
    });
  });

  test('that share a host and differ in anything else are different targets', () => {
    const first = { host: 'a', labels: { x: '1', y: '2' } };
    const others = [{ host: 'a', port: 22 }, { host: 'a', port: 22, user: 'root' }, { host: 'a' }];
    const same = { labels: { y: '2', x: '1' }, host: 'a' };
    expect(checkVms([first, ...others], [same]).values).toEqual({
      vms: { format: 'targets', targets: [first, ...others] },
    });
  });

  test('may be none in one wave, not in all', () => {
    expect(checkVms([], ['a']).values).toEqual({ vms: { format: 'targets', targets: [{ host: 'a' }] } });
    expect(checkVms([], []).problems).toMatchObject([{ code: 'export-empty' }]);
  });

  test('are counted after they are united', () => {
    const list = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `h${from + i}`);
    expect(checkVms(list(0, 300), list(100, 500)).problems).toBeUndefined();
    expect(messages(checkVms(list(0, 300), list(100, 501)))).toEqual([
      'export "vms" has 501 targets; the limit is 500',
    ]);
  });

  test('that are wrong name the wave and the place in it', () => {
    expect(messages(checkVms(['a'], ['b', 'c d']))).toEqual([
      'export "vms" in wave 2 has targets that are none: target 2 has a host that is no host name and no address (not shown)',
    ]);
  });
});

test('exports of the deploy step and of custom steps stand together', () => {
  const declared = { url: text('deploy.url', '.+'), report: text('smoke.report', '.+') };
  const runs = { deploy: [{ url: 'a' }, { url: 'a' }], smoke: [{ report: 'b', other: 'c' }] };
  expect(checkExports(declared, runs).values).toEqual({
    url: { format: 'string', value: 'a' },
    report: { format: 'string', value: 'b' },
  });
});
