/** Steps from a document's root to a value in it: field names and list indexes. */
export type Path = readonly (string | number)[];

/** A path as problems show it: `deploys[2].after[0]`, `imports["shop.db"].deployment`; empty for the root. */
export function formatPath(path: Path): string {
  return path.reduce<string>(extendPath, '');
}

/** A path, as {@link formatPath} writes it, with one step more. */
export function extendPath(text: string, step: string | number): string {
  if (typeof step === 'number') return `${text}[${step}]`;
  if (!/^[A-Za-z_][\w-]*$/.test(step)) return `${text}[${JSON.stringify(step)}]`;
  return text === '' ? step : `${text}.${step}`;
}

/** Whether `path` is `base` or lies inside it; both as {@link formatPath} writes them. */
export function isWithin(path: string, base: string): boolean {
  return base === '' || path === base || path.startsWith(`${base}.`) || path.startsWith(`${base}[`);
}
