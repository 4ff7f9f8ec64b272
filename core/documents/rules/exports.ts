import type { Problem } from '../../errors.ts';
import { patternProblem } from '../../exports/pattern.ts';
import { field, fields, items } from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { formatPath, type Path } from '../path.ts';
import { shown } from '../shown.ts';
import { suggestion } from '../spelling.ts';
import { tooMany } from './counts.ts';

/** What exports must be: taken from an output that somebody gives, and with a pattern that says what may come out. */
export function exportRules(deploy: unknown, path: Path): Problem[] {
  const exports = fields(field(deploy, 'exports'));
  const steps = new Map(items(field(deploy, 'steps')).map((step) => [field(step, 'name'), step]));
  // More than may be are not looked at one by one: it takes time, and a hostile file may have very many.
  const problems = exports.slice(0, LIMITS.exportsPerDeploy).flatMap(([name, declaration]) => {
    const place: Path = [...path, 'exports', name];
    return [...sourceRules(steps, declaration, place), ...patternRules(declaration, place)];
  });
  if (exports.length <= LIMITS.exportsPerDeploy) return problems;
  return [tooMany([...path, 'exports'], 'exports', exports.length, LIMITS.exportsPerDeploy), ...problems];
}

function sourceRules(steps: ReadonlyMap<unknown, unknown>, declaration: unknown, path: Path): Problem[] {
  const from = field(declaration, 'from');
  // What has no step and key at all is the schema's problem.
  const [, named, key] = typeof from === 'string' ? (/^([^.]+)\.(.+)$/s.exec(from) ?? []) : [];
  if (named === undefined || key === undefined || named === 'deploy') return [];
  const place = formatPath([...path, 'from']);
  const step = steps.get(named);
  if (step === undefined) {
    const names = ['deploy', ...texts([...steps.keys()])];
    const only = names.length === 1 ? 'the only step is deploy' : 'there is no such step';
    const message = `${shown(from)} names the step ${shown(named)}, and ${only}`;
    const hint = names.length === 1 ? 'write deploy.<output>' : suggestion(named, names);
    return [{ code: 'unknown-step', path: place, message, hint }];
  }
  const outputs = texts(items(field(step, 'outputs')));
  if (outputs.includes(key)) return [];
  const message = `the step ${shown(named)} declares no output ${shown(key)}`;
  const hint = suggestion(key, outputs) ?? `add ${shown(key)} to its outputs`;
  return [{ code: 'undeclared-output', path: place, message, hint }];
}

function texts(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string');
}

function patternRules(declaration: unknown, path: Path): Problem[] {
  const pattern = field(declaration, 'pattern');
  const format = field(declaration, 'format') ?? 'string';
  if (pattern === undefined && format === 'string' && fields(declaration).length > 0) {
    return [
      {
        code: 'pattern-missing',
        path: formatPath([...path, 'pattern']),
        message: 'an export of format string needs a pattern: it is what keeps secrets and surprises in',
        hint: "write what the whole value may be, such as '[a-z0-9.-]{1,253}'; or format: targets for a list of hosts",
      },
    ];
  }
  const wrong = typeof pattern === 'string' && pattern !== '' ? patternProblem(pattern) : undefined;
  if (wrong === undefined) return [];
  return [
    {
      code: 'invalid-pattern',
      path: formatPath([...path, 'pattern']),
      message: `${shown(pattern)} is no pattern: ${wrong}`,
      hint: 'patterns have RE2 syntax and hold for the whole value',
    },
  ];
}
