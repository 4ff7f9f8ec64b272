/** Ids that a release derives from its own id and the names in it. */

/** The deploy of `name`: the id its document gives, else `<release>.<name>`; a later attempt adds `.r<n>`. */
export function deployIdOf(release: string, name: string, attempt: number, own: string | undefined): string {
  const base = own ?? `${release}.${name}`;
  return attempt === 1 ? base : `${base}.r${attempt}`;
}

/** The rollback of `name` in an attempt: `<release>.rollback.<name>`. */
export function rollbackIdOf(release: string, name: string, attempt: number): string {
  const base = `${release}.rollback.${name}`;
  return attempt === 1 ? base : `${base}.r${attempt}`;
}
