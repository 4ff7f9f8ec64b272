import type { Export } from '../documents/deploy.ts';
import { LIMITS } from '../documents/limits.ts';
import { formatPath } from '../documents/path.ts';
import { shown } from '../documents/shown.ts';
import { byteLength } from '../documents/source-text.ts';
import type { Problem } from '../errors.ts';
import { matchesWhole } from './pattern.ts';
import { readTargets, united } from './targets.ts';
import { type Flaw, textFlaw } from './text.ts';
import { type ExportValue, importedParam } from './value.ts';

export type CheckedExports =
  | { readonly values: Readonly<Record<string, ExportValue>>; readonly problems?: undefined }
  | { readonly problems: Problem[]; readonly values?: undefined };

type Outputs = Readonly<Record<string, string>>;

/**
 * The declared exports of a deploy that came to its end, taken from the outputs of its steps; what was not declared is
 * dropped. `runs` has each step's outputs by run, in order: the deploy step runs once per wave, a custom step once.
 * Lists of targets are united over the waves, texts must be the same in all of them.
 *
 * All or nothing, and no problem ever shows a value: what did not match may be a secret (I8). Sizes are UTF-8 bytes.
 */
export function checkExports(
  declared: Readonly<Record<string, Export>>,
  runs: Readonly<Record<string, readonly Outputs[]>>,
): CheckedExports {
  const problems: Problem[] = [];
  const values: [string, ExportValue][] = [];
  let total = 0;
  for (const [name, declaration] of Object.entries(declared)) {
    const path = formatPath(['exports', name]);
    const { value, flaws = [] } = checkExport(declaration, runs);
    for (const { code, what, hint } of flaws) {
      problems.push({ code, path, message: `export ${shown(name)} ${what}`, hint });
    }
    if (value === undefined) continue;
    total += byteLength(importedParam(value));
    values.push([name, declaration.public ? { ...value, public: true } : value]);
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

type CheckedExport =
  | { readonly value: ExportValue; readonly flaws?: undefined }
  | { readonly flaws: readonly Flaw[]; readonly value?: undefined };

function checkExport(declaration: Export, runs: Readonly<Record<string, readonly Outputs[]>>): CheckedExport {
  const { from } = declaration;
  const [step, key] = [from.slice(0, from.indexOf('.')), from.slice(from.indexOf('.') + 1)];
  const ran = Object.hasOwn(runs, step) ? (runs[step] ?? []) : [];
  const giver = step === 'deploy' ? 'the plugin' : `the step ${shown(step)}`;
  if (ran.length === 0) return { flaws: [{ code: 'export-missing', what: `is missing: ${giver} did not run` }] };

  const outputs = ran.map((run) => (Object.hasOwn(run, key) ? run[key] : undefined));
  const lacking = ran.filter((_, wave) => outputs[wave] === undefined);
  if (lacking.length > 0) {
    const where = inWaves(outputs, (output) => output === undefined);
    const what = `is missing${where}: ${giver} gave no output ${shown(key)}`;
    return { flaws: [{ code: 'export-missing', what, hint: given(lacking) }] };
  }
  const texts = outputs.filter((output) => output !== undefined);
  return declaration.format === 'targets' ? checkTargets(declaration, texts) : checkText(declaration, texts);
}

function checkText({ pattern }: Export, texts: readonly string[]): CheckedExport {
  const flaws = flawsByWave(texts, (text) => textFlaw(text) ?? mismatch(pattern, text));
  if (flaws.length > 0) return { flaws };
  const [value = ''] = texts;
  if (texts.every((text) => text === value)) return { value: { format: 'string', value } };
  const others = inWaves(texts, (text) => text !== value);
  const what = `differs between waves:${others} it has another value than in wave 1 (not shown)`;
  const hint = 'give the same value in every wave, or export what differs with format: targets';
  return { flaws: [{ code: 'export-differs', what, hint }] };
}

/** Without a pattern nothing is let through: it is also the barrier against secrets. */
function mismatch(pattern: string | undefined, text: string): Flaw | undefined {
  if (pattern === undefined) return { code: 'export-mismatch', what: 'has no pattern, and format string needs one' };
  if (matchesWhole(pattern, text)) return undefined;
  const bytes = byteLength(text);
  const what = `does not match its pattern ${shown(pattern)} (${bytes} bytes, not shown)`;
  return { code: 'export-mismatch', what };
}

function checkTargets({ pattern }: Export, texts: readonly string[]): CheckedExport {
  const read = texts.map((text) => {
    const flaw = textFlaw(text);
    return flaw === undefined ? readTargets(text, pattern) : { flaw };
  });
  const flaws = flawsByWave(read, ({ flaw }) => flaw);
  if (flaws.length > 0) return { flaws };
  const targets = united(read.map((list) => ('targets' in list ? (list.targets ?? []) : [])));
  const flaw = unitedFlaw(targets);
  return flaw === undefined ? { value: { format: 'targets', targets } } : { flaws: [flaw] };
}

function unitedFlaw(targets: ReturnType<typeof united>): Flaw | undefined {
  if (targets.length === 0) {
    // Whoever imports it would act on nothing and call that a success.
    return { code: 'export-empty', what: 'has no targets', hint: 'list at least one, or do not declare it' };
  }
  if (targets.length > LIMITS.targetsInExport) {
    const what = `has ${targets.length} targets; the limit is ${LIMITS.targetsInExport}`;
    return { code: 'export-too-many-targets', what };
  }
  const bytes = byteLength(JSON.stringify(targets));
  if (bytes <= LIMITS.exportValueBytes) return undefined;
  const what = `has ${bytes} bytes as a list of {host, …}; the limit is ${LIMITS.exportValueBytes}`;
  return { code: 'export-too-large', what };
}

/** Each flaw once, with the waves that have it. */
function flawsByWave<Item>(items: readonly Item[], flawOf: (item: Item) => Flaw | undefined): Flaw[] {
  const found = items.map(flawOf);
  const distinct = new Map(found.flatMap((flaw) => (flaw === undefined ? [] : [[flaw.code + flaw.what, flaw]])));
  return [...distinct.values()].map((flaw) => {
    const where = inWaves(found, (other) => other?.code === flaw.code && other.what === flaw.what);
    return where === '' ? flaw : { ...flaw, what: `${where.slice(1)} ${flaw.what}` };
  });
}

/** ` in wave 2`, ` in waves 1, 3 and 4`; nothing when there is only one run, of which nobody thinks as a wave. */
function inWaves<Item>(items: readonly Item[], has: (item: Item) => boolean): string {
  if (items.length < 2) return '';
  const waves = items.flatMap((item, index) => (has(item) ? [String(index + 1)] : []));
  const last = waves.pop();
  return waves.length === 0 ? ` in wave ${last}` : ` in waves ${waves.join(', ')} and ${last}`;
}

/** Names of outputs are as untrusted as values (a plugin may print anything): only their number is told. */
function given(lacking: readonly Outputs[]): string {
  const count = Math.max(...lacking.map((outputs) => Object.keys(outputs).length));
  return count === 0 ? 'it gave no outputs at all' : `it gave ${count} other outputs; compare the name in \`from\``;
}
