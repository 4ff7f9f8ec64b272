import type { Problem } from '../../errors.ts';
import { writtenDependency } from '../dependency.ts';
import { EXPECTED } from '../deploy.ts';
import { field, items } from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { formatPath, type Path } from '../path.ts';
import { shown } from '../shown.ts';
import { tooMany } from './counts.ts';

/** As an id, `expect:<pipeline>@<version>`: no other could ever begin. */
const EXPECTATION = /^expect:.+@[A-Za-z0-9._+/-]{1,100}$/;

/** What `after` must be: at most 20, expectations counted; none twice, and not the deploy itself. */
export function afterRules(deploy: unknown, path: Path): Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const after = items(field(deploy, 'after'));
  if (after.length > LIMITS.externalAfter) {
    problems.push(tooMany([...path, 'after'], 'after', after.length, LIMITS.externalAfter));
  }
  for (const [index, dependency] of after.entries()) {
    const place = formatPath([...path, 'after', index]);
    const id = writtenDependency(dependency);
    if (id === undefined) continue;
    if (id.startsWith(EXPECTED) && !EXPECTATION.test(id)) {
      problems.push({
        code: 'invalid-expectation',
        path: place,
        message: `${shown(id)} expects something, and does not say which pipeline and version`,
        hint: 'write {expect: {pipeline: …, version: …}}',
      });
    }
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
