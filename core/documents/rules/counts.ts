import type { Problem } from '../../errors.ts';
import { canonicalJson } from '../content.ts';
import { formatPath, type Path } from '../path.ts';

export function tooMany(path: Path, what: string, count: number, limit: number): Problem {
  return { code: 'too-many', path: formatPath(path), message: `${count} ${what}; the limit is ${limit}` };
}

/** Items of a list that stood in it before, by what they say. */
export function repetitions(list: readonly unknown[], path: Path, code: string, what: string): Problem[] {
  const seen = new Set<string>();
  return list.flatMap((item, index): Problem[] => {
    const content = canonicalJson(item ?? null);
    if (!seen.has(content)) {
      seen.add(content);
      return [];
    }
    return [{ code, path: formatPath([...path, index]), message: `${what} stands twice here`, hint: 'remove one' }];
  });
}
