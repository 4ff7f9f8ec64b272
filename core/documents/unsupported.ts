/** Fields of the format whose behaviour is not built yet. They are refused by name: nothing written is ignored. */
import type { Problem } from '../errors.ts';
import { field, fields, items } from './fields.ts';
import { formatPath, type Path } from './path.ts';
import { shown } from './shown.ts';

export const KINDS = ['Deploy', 'Release'] as const;
export const LATER_KINDS: readonly string[] = ['Environment', 'EnvironmentConfig', 'Access'];

const LATER_FIELDS = ['schedule', 'freezeOverride', 'steps', 'verify'];
const LATER_DEPLOY_FIELDS = ['waves', 'targets', 'targetsFrom'];
const LATER_IMPORT_FIELDS = ['current'];
const LATER_EXPORT_FIELDS = ['public'];

/** A refusal that stands for everything else that could be said about `covers`. */
export interface Refusal {
  readonly problem: Problem;
  readonly covers: readonly string[];
}

/** Fields of a deploy that are not supported, yet or in a release; `place` is where the deploy stands. */
export function unsupported(deploy: unknown, place: Path, inRelease: boolean): Refusal[] {
  const refusals: Refusal[] = [];
  const refuse = (path: Path, what: string, covers = path) =>
    refusals.push({
      problem: notYet(formatPath([...place, ...path]), what),
      covers: [formatPath([...place, ...covers])],
    });
  const refuseFields = (at: Path, value: unknown, names: readonly string[], covers?: Path) => {
    for (const [name] of fields(value)) if (names.includes(name)) refuse([...at, name], name, covers);
  };

  refuseFields([], deploy, inRelease ? LATER_FIELDS.filter((name) => name !== 'schedule') : LATER_FIELDS);
  const dry = field(deploy, 'dryRun') === true;
  if (inRelease) {
    if (field(deploy, 'schedule') !== undefined) refusals.push(notInRelease([...place, 'schedule'], 'schedule'));
    if (dry) refusals.push(notInRelease([...place, 'dryRun'], 'dryRun'));
  } else if (dry) {
    refuse(['dryRun'], 'dryRun: true');
  }
  for (const [index, dependency] of items(field(deploy, 'after')).entries()) {
    if (field(dependency, 'expect') !== undefined) refuse(['after', index, 'expect'], 'expect', ['after', index]);
  }
  for (const [name, value] of fields(field(deploy, 'imports'))) {
    refuseFields(['imports', name], value, LATER_IMPORT_FIELDS, ['imports', name]);
  }
  for (const [name, value] of fields(field(deploy, 'exports'))) {
    refuseFields(['exports', name], value, LATER_EXPORT_FIELDS);
    if (field(value, 'format') === 'targets') {
      refuse(['exports', name, 'format'], 'format: targets', ['exports', name]);
    }
  }
  const carriedOut = field(deploy, 'deploy');
  refuseFields(['deploy'], carriedOut, LATER_DEPLOY_FIELDS);
  for (const [name, value] of fields(field(carriedOut, 'params'))) {
    if (field(value, 'secret') !== undefined) refuse(['deploy', 'params', name], '{secret: …}');
  }
  return refusals;
}

/** Names that may be meant by a misspelt field, beside the `known` ones, though they are not supported yet. */
export function laterFields(known: readonly string[]): readonly string[] {
  if (known.includes('paramsFrom')) return LATER_DEPLOY_FIELDS;
  return known.includes('artifact') ? LATER_FIELDS : [];
}

export function notYet(path: string, what: string): Problem {
  return {
    code: 'not-supported-yet',
    path,
    message: `${what} is not supported yet`,
    hint: 'this version of renga refuses it rather than ignore it; remove it',
  };
}

function notInRelease(path: Path, what: string): Refusal {
  const problem = {
    code: 'not-in-release',
    path: formatPath(path),
    message: `a deploy of a release can't have ${shown(what)}: the release says when its deploys run`,
    hint: 'remove it, or submit the deploy by itself',
  };
  return { problem, covers: [problem.path] };
}
