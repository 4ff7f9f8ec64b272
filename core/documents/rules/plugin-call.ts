/** Rules of whatever calls a plugin: the deploy step, custom steps, probes, and an environment's configuration. */
import type { Problem } from '../../errors.ts';
import { field, fields, items } from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { formatPath, type Path } from '../path.ts';
import { shown } from '../shown.ts';
import { suggestion } from '../spelling.ts';
import { repetitions, tooMany } from './counts.ts';

/** A call as it was written, and where it stands: `deploy`, `steps[2]`, `verify`, or the document itself. */
export interface Call {
  readonly written: unknown;
  readonly path: Path;
}

/** The calls of a deploy. */
export function callsOf(deploy: unknown, path: Path): Call[] {
  return [
    { written: field(deploy, 'deploy'), path: [...path, 'deploy'] },
    ...items(field(deploy, 'steps')).map((written, index) => ({ written, path: [...path, 'steps', index] })),
    { written: field(deploy, 'verify'), path: [...path, 'verify'] },
  ];
}

/** What calls say about parameters and targets, and imports about being used by one of them. */
export function callRules(calls: readonly Call[], document: unknown, path: Path): Problem[] {
  const declared = fields(field(document, 'imports')).map(([name]) => name);
  const problems: Problem[] = [];
  if (declared.length > LIMITS.importsPerDeploy) {
    problems.push(tooMany([...path, 'imports'], 'imports', declared.length, LIMITS.importsPerDeploy));
  }
  const [known, used] = [new Set(declared), new Set<unknown>()];
  for (const call of calls) {
    problems.push(...twice(call));
    for (const reference of referencesOf(call)) {
      const wanted = field(reference.written, 'import');
      used.add(wanted);
      if (typeof wanted !== 'string' || known.has(wanted)) continue;
      // Looking for near names takes time, and a hostile file may have very many references.
      const near = problems.length < LIMITS.problemsTold ? suggestion(wanted, declared) : undefined;
      problems.push({
        code: 'unknown-import',
        path: formatPath([...reference.path, 'import']),
        message: `${shown(wanted)} is not in imports`,
        hint: near ?? 'declare it in imports',
      });
    }
  }
  for (const name of declared) {
    if (used.has(name)) continue;
    problems.push({
      code: 'unused-import',
      path: formatPath([...path, 'imports', name]),
      message: `nothing uses the import ${shown(name)}`,
      hint: 'use it in paramsFrom or targetsFrom, or remove it',
    });
  }
  return problems;
}

function referencesOf({ written, path }: Call): Call[] {
  return [
    ...fields(field(written, 'paramsFrom')).map(([name, reference]) => ({
      written: reference,
      path: [...path, 'paramsFrom', name],
    })),
    ...items(field(written, 'targetsFrom')).map((reference, index) => ({
      written: reference,
      path: [...path, 'targetsFrom', index],
    })),
  ];
}

/** A parameter has one source, and so have the targets: one of the two would silently win. */
function twice({ written, path }: Call): Problem[] {
  const params = new Set(fields(field(written, 'params')).map(([name]) => name));
  const problems = fields(field(written, 'paramsFrom')).flatMap(([name]): Problem[] => {
    if (!params.has(name)) return [];
    const message = `the parameter ${shown(name)} is in params and in paramsFrom`;
    const place = formatPath([...path, 'paramsFrom', name]);
    return [{ code: 'parameter-twice', path: place, message, hint: 'remove one of them' }];
  });
  const [targets, from] = [items(field(written, 'targets')), items(field(written, 'targetsFrom'))];
  if (field(written, 'targets') !== undefined && from.length > 0) {
    problems.push({
      code: 'targets-twice',
      path: formatPath([...path, 'targetsFrom']),
      message: 'targets and targetsFrom are both here, and targets have one source',
      hint: 'remove one of them',
    });
  }
  const whole = targets.map((target) => (typeof target === 'string' ? { host: target } : target));
  problems.push(...repetitions(whole, [...path, 'targets'], 'duplicate-target', 'a target'));
  problems.push(...repetitions(from, [...path, 'targetsFrom'], 'duplicate-target', 'an export'));
  return problems;
}
