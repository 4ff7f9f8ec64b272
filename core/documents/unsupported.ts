/** What the format has and renga does not carry out yet. It is refused by name: nothing written is ignored. */
import type { Problem } from '../errors.ts';
import { field, fields } from './fields.ts';
import { formatPath, type Path } from './path.ts';
import { type Call, callsOf } from './rules/plugin-call.ts';

/** A refusal that stands for everything else that could be said about `covers`. */
export interface Refusal {
  readonly problem: Problem;
  readonly covers: readonly string[];
}

/** Parameters of a deploy that name a secret's place; `path` is where the deploy stands. */
export function unsupportedInDeploy(deploy: unknown, path: Path): Refusal[] {
  return callsOf(deploy, path).flatMap(secretParams);
}

export function unsupportedInConfig(config: unknown): Refusal[] {
  const reconcile = field(config, 'reconcile');
  const off = reconcile !== 'detect' && reconcile !== 'correct';
  return [
    ...secretParams({ written: config, path: [] }),
    ...(off ? [] : [refusal(['reconcile'], `reconcile: ${reconcile}`)]),
  ];
}

function secretParams({ written, path }: Call): Refusal[] {
  return fields(field(written, 'params')).flatMap(([name, value]) =>
    field(value, 'secret') === undefined ? [] : [refusal([...path, 'params', name], '{secret: …}')],
  );
}

function refusal(path: Path, what: string): Refusal {
  const place = formatPath(path);
  return {
    problem: {
      code: 'not-supported-yet',
      path: place,
      message: `${what} is not supported yet`,
      hint: 'this version of renga refuses it rather than ignore it; remove it',
    },
    covers: [place],
  };
}
