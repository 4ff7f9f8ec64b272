/**
 * What a document's fields must say about each other. Rules read the document as it was written, so that they report
 * together with wrong types elsewhere; a part that has the wrong shape has no rule, its shape is the problem.
 */

import type { Problem } from '../errors.ts';
import { patternProblem } from '../exports/pattern.ts';
import { field, fields, items } from './fields.ts';
import { LIMITS } from './limits.ts';
import { formatPath, type Path } from './path.ts';
import { shown } from './shown.ts';
import { suggestion } from './spelling.ts';

/** Rules of a deploy that hold wherever it stands: alone or in a release. */
export function deployRules(deploy: unknown, path: Path): Problem[] {
  return [...afterRules(deploy, path), ...importRules(deploy, path), ...exportRules(deploy, path)];
}

function afterRules(deploy: unknown, path: Path): Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<unknown>();
  const after = items(field(deploy, 'after'));
  if (after.length > LIMITS.externalAfter) {
    problems.push(tooMany([...path, 'after'], 'after', after.length, LIMITS.externalAfter));
  }
  for (const [index, id] of after.entries()) {
    const place = formatPath([...path, 'after', index]);
    if (typeof id !== 'string') continue;
    if (seen.has(id)) {
      problems.push({
        code: 'duplicate-dependency',
        path: place,
        message: `${shown(id)} stands twice in after`,
        hint: 'remove one',
      });
    }
    seen.add(id);
    if (id === field(deploy, 'id')) {
      problems.push({ code: 'self-dependency', path: place, message: `${shown(id)} can't wait for itself` });
    }
  }
  return problems;
}

function importRules(deploy: unknown, path: Path): Problem[] {
  const problems: Problem[] = [];
  const imports = fields(field(deploy, 'imports'));
  const declared = imports.map(([name]) => name);
  const carriedOut = field(deploy, 'deploy');
  const paramsFrom = fields(field(carriedOut, 'paramsFrom'));
  const used = new Set<unknown>();
  for (const reference of items(field(carriedOut, 'targetsFrom'))) used.add(field(reference, 'import'));
  if (declared.length > LIMITS.importsPerDeploy) {
    problems.push(tooMany([...path, 'imports'], 'imports', declared.length, LIMITS.importsPerDeploy));
  }
  const params = new Set(fields(field(carriedOut, 'params')).map(([name]) => name));
  for (const [name, reference] of paramsFrom) {
    const place: Path = [...path, 'deploy', 'paramsFrom', name];
    if (params.has(name)) {
      problems.push({
        code: 'parameter-twice',
        path: formatPath(place),
        message: `the parameter ${shown(name)} is in params and in paramsFrom`,
        hint: 'remove one of them',
      });
    }
    const wanted = field(reference, 'import');
    used.add(wanted);
    if (typeof wanted === 'string' && !declared.includes(wanted)) {
      problems.push({
        code: 'unknown-import',
        path: formatPath([...place, 'import']),
        message: `${shown(wanted)} is not in imports`,
        hint: suggestion(wanted, declared) ?? 'declare it in imports',
      });
    }
  }
  for (const name of declared) {
    if (used.has(name)) continue;
    problems.push({
      code: 'unused-import',
      path: formatPath([...path, 'imports', name]),
      message: `nothing uses the import ${shown(name)}`,
      hint: 'use it in deploy.paramsFrom, or remove it',
    });
  }
  return problems;
}

function exportRules(deploy: unknown, path: Path): Problem[] {
  const problems: Problem[] = [];
  const exports = fields(field(deploy, 'exports'));
  if (exports.length > LIMITS.exportsPerDeploy) {
    problems.push(tooMany([...path, 'exports'], 'exports', exports.length, LIMITS.exportsPerDeploy));
  }
  for (const [name, declaration] of exports) {
    const place: Path = [...path, 'exports', name];
    const from = field(declaration, 'from');
    const step = typeof from === 'string' && from.includes('.') ? from.slice(0, from.indexOf('.')) : undefined;
    if (step !== undefined && step !== '' && step !== 'deploy' && field(deploy, 'steps') === undefined) {
      problems.push({
        code: 'unknown-step',
        path: formatPath([...place, 'from']),
        message: `${shown(from)} names the step ${shown(step)}, and the only step is deploy`,
        hint: 'write deploy.<output>',
      });
    }
    const pattern = field(declaration, 'pattern');
    const wrong = typeof pattern === 'string' && pattern !== '' ? patternProblem(pattern) : undefined;
    if (wrong !== undefined) {
      problems.push({
        code: 'invalid-pattern',
        path: formatPath([...place, 'pattern']),
        message: `${shown(pattern)} is no pattern: ${wrong}`,
        hint: 'patterns have RE2 syntax and hold for the whole value',
      });
    }
  }
  return problems;
}

function tooMany(path: Path, what: string, count: number, limit: number): Problem {
  return { code: 'too-many', path: formatPath(path), message: `${count} ${what}; the limit is ${limit}` };
}
