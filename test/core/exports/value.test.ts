import { expect, test } from 'vitest';
import { ExportValue, importedParam, importedTargets } from '../../../core/exports/value.ts';

const url = { format: 'string', value: 'https://a' } as const;
const vms: ExportValue = { format: 'targets', targets: [{ host: 'a' }, { host: 'b', port: 22 }], public: true };
const reference = { import: 'infra', export: 'url' };

test('as a parameter a text is itself, and targets are JSON of one form', () => {
  expect(importedParam(url)).toBe('https://a');
  expect(importedParam(vms)).toBe('[{"host":"a"},{"host":"b","port":22}]');
});

test('as targets only an export of targets serves; a text is never read as a list', () => {
  expect(importedTargets(vms, reference)).toEqual({ targets: [{ host: 'a' }, { host: 'b', port: 22 }] });
  const { failure, targets } = importedTargets({ format: 'string', value: '["a"]' }, reference);
  expect(targets).toBeUndefined();
  expect(failure).toEqual({
    code: 'import-not-targets',
    message:
      'the export "url" of the import "infra" has the format string and is used as targets: use it in paramsFrom, or let its producer declare format: targets',
  });
});

test('a value reads back from the table as it was stored', () => {
  for (const value of [url, vms]) expect(ExportValue.parse(JSON.parse(JSON.stringify(value)))).toEqual(value);
});
