/** Ids that an attempt of a release derives; the first attempt's are the plan's own. */
import { rollbackId } from '../plan/wiring.ts';

/** The deploy of a name in an attempt: the plan's id, and from the second attempt on `<id>.r<n>`. */
export function deployIdOf(planned: string, attempt: number): string {
  return attempt === 1 ? planned : `${planned}.r${attempt}`;
}

/** The rollback of a name in an attempt: `<release>.rollback.<name>`, and from the second attempt on `….r<n>`. */
export function rollbackIdOf(release: string, name: string, attempt: number): string {
  const base = rollbackId(release, name);
  return attempt === 1 ? base : `${base}.r${attempt}`;
}
