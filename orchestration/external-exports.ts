/**
 * No pattern is declared for what another pipeline exports. All else holds that holds for our own exports: limits, no empty
 * or masked value, nothing that could not be written.
 */
import type { DeployConcluded } from '../bus/incoming.ts';
import { LIMITS } from '../core/documents/limits.ts';
import { formatPath } from '../core/documents/path.ts';
import { withRemedy } from '../core/documents/remedies.ts';
import { shown } from '../core/documents/shown.ts';
import { byteLength } from '../core/documents/source-text.ts';
import { type Problem, RengaError } from '../core/errors.ts';
import { readTargets } from '../core/exports/targets.ts';
import { type Flaw, textFlaw } from '../core/exports/text.ts';
import { type ExportValue, importedParam } from '../core/exports/value.ts';

type Given = NonNullable<DeployConcluded['exports']>;

/** Throws `invalid-request` with every problem, naming exports and never a value. */
export function externalExports(exports: Given): Record<string, ExportValue> {
  const problems: Problem[] = [];
  const values: [string, ExportValue][] = [];
  let total = 0;
  for (const [name, given] of Object.entries(exports)) {
    const { value, flaw } = checkedExport(given);
    if (flaw !== undefined) {
      const { code, what, hint } = flaw;
      problems.push({ code, path: formatPath(['exports', name]), message: `the export ${shown(name)} ${what}`, hint });
      continue;
    }
    total += byteLength(importedParam(value));
    values.push([name, value]);
  }
  if (total > LIMITS.exportsBytes) {
    const message = `the exports have ${total} bytes together; the limit is ${LIMITS.exportsBytes}`;
    problems.push({ code: 'exports-too-large', path: 'exports', message, hint: 'export where the data is kept' });
  }
  if (problems.length === 0) return Object.fromEntries(values);
  const first = problems[0]?.message ?? '';
  throw new RengaError('invalid-request', `the exports are not valid: ${first}`, {
    problems: problems.map(withRemedy),
  });
}

type Checked =
  | { readonly value: ExportValue; readonly flaw?: undefined }
  | { readonly flaw: Flaw; readonly value?: undefined };

function checkedExport(given: Given[string]): Checked {
  const text = typeof given === 'string' ? given : JSON.stringify(given);
  const flaw = textFlaw(text);
  if (flaw !== undefined) return { flaw };
  if (typeof given === 'string') return { value: { format: 'string', value: given } };
  const { targets, flaw: wrong } = readTargets(text, undefined);
  if (targets === undefined) return { flaw: wrong };
  const value: ExportValue = { format: 'targets', targets: [...targets] };
  // Bare hosts are kept as `{host}`, which is longer.
  const kept = textFlaw(importedParam(value));
  return kept === undefined ? { value } : { flaw: kept };
}
