/** No pattern is declared for what another pipeline exports: limits hold, and nothing that could not be written. */
import type { DeployConcluded } from '../bus/incoming.ts';
import { LIMITS } from '../core/documents/limits.ts';
import { byteLength } from '../core/documents/source-text.ts';
import { targetOf } from '../core/documents/target.ts';
import { RengaError } from '../core/errors.ts';
import { type ExportValue, importedParam } from '../core/exports/value.ts';

/** Throws `invalid-request`, naming the export and never its value. */
export function externalExports(exports: NonNullable<DeployConcluded['exports']>): Record<string, ExportValue> {
  let total = 0;
  const values = Object.entries(exports).map(([name, given]): [string, ExportValue] => {
    const value: ExportValue =
      typeof given === 'string'
        ? { format: 'string', value: given }
        : { format: 'targets', targets: given.map(targetOf) };
    const text = importedParam(value);
    const bytes = byteLength(text);
    total += bytes;
    if (bytes > LIMITS.exportValueBytes)
      throw wrong(name, `has ${bytes} bytes; the limit is ${LIMITS.exportValueBytes}`);
    if (text.includes('\0')) throw wrong(name, 'holds a NUL character');
    return [name, value];
  });
  if (total > LIMITS.exportsBytes) {
    throw new RengaError('invalid-request', `the exports have ${total} bytes; the limit is ${LIMITS.exportsBytes}`);
  }
  return Object.fromEntries(values);
}

function wrong(name: string, what: string): RengaError {
  return new RengaError('invalid-request', `the export "${name}" ${what}`);
}
