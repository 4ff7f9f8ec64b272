/** Names of other tools as names of ours: the same for the same set of names, whatever their order, and one to one. */
import { createHash } from 'node:crypto';
import { LIMITS } from '../documents/limits.ts';
import { Name } from '../documents/names.ts';

const HASH = 6;

/** A name to each of the given ones, which are distinct. One that is valid stays. */
export function validNames(originals: readonly string[]): Map<string, string> {
  const shapes = new Map(originals.map((original) => [original, shapeOf(original)]));
  const wanted = new Map<string, number>();
  for (const shape of shapes.values()) wanted.set(shape, (wanted.get(shape) ?? 0) + 1);
  const taken = new Set(originals.filter((original) => shapes.get(original) === original));
  const names = new Map<string, string>();
  for (const [original, shape] of [...shapes].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const alone = wanted.get(shape) === 1 && isWhole(original);
    const name = original === shape || alone ? shape : hashed(original, shape, taken);
    taken.add(name);
    names.set(original, name);
  }
  return names;
}

/** A text as a name: lower case, everything else a dash; the same text when it is a name already. */
export function shapeOf(text: string): string {
  // `<release>.rollback.<name>` is the id of a rollback.
  if (Name.safeParse(text).success && !text.startsWith('rollback.')) return text;
  const shape = text
    .toLowerCase()
    .replace(/^rollback\./, 'rollback-')
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+|-+$/g, '')
    .slice(0, LIMITS.nameLength);
  return shape === '' ? 'unnamed' : shape;
}

/** Whether the shape of a text says all that its letters say, so that no hash is needed to tell it from others. */
function isWhole(text: string): boolean {
  return text.length <= LIMITS.nameLength && /[a-z0-9]/i.test(text);
}

function hashed(original: string, shape: string, taken: ReadonlySet<string>): string {
  const digest = createHash('sha256').update(original).digest('hex');
  for (let length = HASH; ; length += 1) {
    const end = digest.slice(0, length);
    const name = `${shape.slice(0, LIMITS.nameLength - length - 1)}-${end}`;
    if (!taken.has(name)) return name;
  }
}
