import type { Export } from '../documents/deploy.ts';
import { LIMITS } from '../documents/limits.ts';
import { formatPath } from '../documents/path.ts';
import { shown } from '../documents/shown.ts';
import { byteLength } from '../documents/source-text.ts';
import type { Problem } from '../errors.ts';
import { matchesWhole } from './pattern.ts';

export type CheckedExports =
  | { readonly values: Readonly<Record<string, string>>; readonly problems?: undefined }
  | { readonly problems: Problem[]; readonly values?: undefined };

/**
 * The declared exports of a deploy, taken from its plugin's outputs; what was not declared is dropped. All or nothing,
 * and no problem ever shows a value: what did not match may be a secret (I8). Sizes are UTF-8 bytes.
 */
export function checkExports(
  declared: Readonly<Record<string, Export>>,
  outputs: Readonly<Record<string, string>>,
): CheckedExports {
  const problems: Problem[] = [];
  const values: [string, string][] = [];
  let total = 0;
  for (const [name, { from, pattern }] of Object.entries(declared)) {
    if (pattern === undefined) continue;
    const key = from.slice(from.indexOf('.') + 1);
    const refuse = (code: string, message: string, hint?: string) =>
      problems.push({ code, path: formatPath(['exports', name]), message: `export ${shown(name)} ${message}`, hint });
    const value = Object.hasOwn(outputs, key) ? outputs[key] : undefined;
    if (value === undefined) {
      refuse('export-missing', `is missing: the plugin gave no output ${shown(key)}`, given(outputs));
      continue;
    }
    const bytes = byteLength(value);
    total += bytes;
    if (bytes > LIMITS.exportValueBytes) {
      refuse('export-too-large', `has ${bytes} bytes; the limit is ${LIMITS.exportValueBytes}`);
    } else if (!matchesWhole(pattern, value)) {
      refuse('export-mismatch', `does not match its pattern ${shown(pattern)} (${bytes} bytes, not shown)`);
    } else {
      values.push([name, value]);
    }
  }
  if (total > LIMITS.exportsBytes) {
    problems.push({
      code: 'exports-too-large',
      path: 'exports',
      message: `the exports have ${total} bytes together; the limit is ${LIMITS.exportsBytes}`,
    });
  }
  return problems.length > 0 ? { problems } : { values: Object.fromEntries(values) };
}

/** Names of outputs are as untrusted as values (a plugin may print anything): only their number is told. */
function given(outputs: Readonly<Record<string, string>>): string {
  const count = Object.keys(outputs).length;
  return count === 0 ? 'it gave no outputs at all' : `it gave ${count} other outputs; compare the name in \`from\``;
}
