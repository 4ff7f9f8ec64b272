/**
 * Node trees to plain values, with the place of each. Refused here is whatever two YAML readers could take for two
 * different things: doubled keys, merge keys, tags, keys that are no text, unquoted text that is read as another value.
 */
import { isAlias, isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml';
import type { Problem } from '../errors.ts';
import { LIMITS } from './limits.ts';
import { extendPath } from './path.ts';
import { misreading } from './scalars.ts';
import { shown } from './shown.ts';
import type { SourceText } from './source-text.ts';
import { TOO_DEEP } from './yaml-stream.ts';

/** Offsets of a value and of the key that names it. */
interface Place {
  readonly value: number;
  readonly key?: number | undefined;
  /** Neither a mapping nor a list. */
  readonly plain: boolean;
}
export type Places = ReadonlyMap<string, Place>;

interface Anchored {
  readonly value: unknown;
  readonly values: number;
  readonly height: number;
}

/** Mappings have no prototype: a field called `constructor` is a field like any other. */
type Mapping = Record<string, unknown>;

/** Ends the reading of a file that grows without bound; every other problem is collected. */
class Overgrown extends Error {}

export function readValue(
  root: Node | null,
  source: SourceText,
): { value: unknown; places: Places; problems: Problem[] } {
  const reader = new ValueReader(source);
  try {
    return { value: reader.read(root, '', 0), places: reader.places, problems: reader.problems };
  } catch (error) {
    if (error instanceof Overgrown) return { value: undefined, places: reader.places, problems: reader.problems };
    throw error;
  }
}

class ValueReader {
  readonly places = new Map<string, Place>();
  readonly problems: Problem[] = [];
  readonly #anchors = new Map<string, Anchored>();
  #aliases = 0;
  #values = 0;
  /** Height of the value read last: 0 for a scalar. */
  #height = 0;

  constructor(readonly source: SourceText) {}

  read(node: Node | null, path: string, depth: number, keyOffset?: number): unknown {
    const offset = node?.range?.[0] ?? keyOffset ?? 0;
    this.places.set(path, { value: offset, key: keyOffset, plain: node === null || isScalar(node) });
    if (depth > LIMITS.documentDepth) this.#overgrown(path, offset, TOO_DEEP);
    this.#count(1, path, offset);
    this.#height = 0;
    if (node === null) return null;
    if (isAlias(node)) return this.#alias(node.source, path, depth, offset);
    if (node.tag !== undefined) {
      this.#problem(path, offset, {
        code: 'yaml-tag',
        message: `the tag ${shown(node.tag)} is refused: a value is what it looks like`,
        hint: 'remove the tag, and quote the value if it is text',
      });
    }
    const before = this.#values;
    const value = this.#plain(node, path, depth, offset);
    const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined) {
      this.#anchors.set(anchor, { value, values: this.#values - before + 1, height: this.#height });
    }
    return value;
  }

  #plain(node: Node, path: string, depth: number, offset: number): unknown {
    if (isScalar(node)) return this.#scalar(node, path, offset);
    if (isMap(node)) return this.#mapping(node.items as readonly Pair[], path, depth);
    if (!isSeq(node)) return null;
    let height = 0;
    const list = node.items.map((item, index) => {
      const value = this.read(item as Node | null, extendPath(path, index), depth + 1);
      height = Math.max(height, this.#height);
      return value;
    });
    this.#height = height + 1;
    return list;
  }

  #mapping(pairs: readonly Pair[], path: string, depth: number): Mapping {
    const mapping: Mapping = Object.create(null);
    const seen = new Map<string, number>();
    let height = 0;
    for (const pair of pairs) {
      const key = this.#key(pair.key, path);
      if (key === undefined) continue;
      const offset = pair.key?.range?.[0] ?? 0;
      const first = seen.get(key);
      if (first !== undefined) {
        const line = this.source.position(first).line;
        this.#problem(extendPath(path, key), offset, {
          code: 'duplicate-key',
          message: `the field ${shown(key)} stands here twice; the first is on line ${line}`,
          hint: 'keep one of them',
        });
        continue;
      }
      seen.set(key, offset);
      mapping[key] = this.read(pair.value, extendPath(path, key), depth + 1, offset);
      height = Math.max(height, this.#height);
    }
    this.#height = height + 1;
    return mapping;
  }

  /** The key's text, or undefined when it is refused. */
  #key(node: Node | null, path: string): string | undefined {
    const offset = node?.range?.[0] ?? 0;
    if (!isScalar(node) || typeof node.value !== 'string') {
      const what = isScalar(node) ? shown(node.source ?? node.value) : isAlias(node) ? 'an alias' : shown(null);
      this.#problem(path, offset, {
        code: 'key-not-text',
        message: `a field's name must be text, not ${isMap(node) || isSeq(node) ? 'a mapping or a list' : what}`,
        hint: 'quote it',
      });
      return undefined;
    }
    if (node.value === '<<') {
      this.#problem(extendPath(path, '<<'), offset, {
        code: 'merge-key',
        message: 'the merge key << is refused: some readers merge it and others take it for a field',
        hint: 'write the fields out',
      });
      return undefined;
    }
    if (node.value === '__proto__') {
      this.#problem(extendPath(path, '__proto__'), offset, {
        code: 'unknown-field',
        message: 'no field may be called "__proto__"',
        hint: 'choose another name',
      });
      return undefined;
    }
    if (node.tag !== undefined) {
      this.#problem(path, offset, { code: 'yaml-tag', message: `the tag ${shown(node.tag)} is refused` });
    }
    return String(this.#scalar(node, extendPath(path, node.value), offset));
  }

  #scalar(node: Scalar, path: string, offset: number): unknown {
    if (typeof node.value === 'string' && (node.value.includes('\0') || /\p{Surrogate}/u.test(node.value))) {
      this.#problem(path, offset, {
        code: 'not-text',
        message: 'the value has a character that no text has (U+0000, or half of a pair)',
      });
    }
    if (node.type !== 'PLAIN' || node.source === undefined) return node.value;
    const read = isInstant(path) ? undefined : misreading(node.source, node.value);
    if (read === undefined) return node.value;
    this.#problem(path, offset, {
      code: 'must-be-quoted',
      message: `${node.source} would be read as ${read}`,
      hint: `write "${node.source}" if it is text${typeof node.value === 'string' ? '' : `, ${String(node.value)} if not`}`,
    });
    return node.source;
  }

  #alias(name: string, path: string, depth: number, offset: number): unknown {
    const anchored = this.#anchors.get(name);
    if (anchored === undefined) {
      this.#problem(path, offset, {
        code: 'unknown-alias',
        message: `the alias *${name} refers to nothing that ends before it`,
      });
      return null;
    }
    this.#aliases += 1;
    if (this.#aliases > LIMITS.documentAliases) {
      this.#overgrown(path, offset, {
        code: 'too-many-aliases',
        message: `the file has more than ${LIMITS.documentAliases} aliases`,
        hint: 'write the values out',
      });
    }
    if (depth + anchored.height > LIMITS.documentDepth) this.#overgrown(path, offset, TOO_DEEP);
    this.#count(anchored.values, path, offset);
    this.#height = anchored.height;
    return anchored.value;
  }

  #count(values: number, path: string, offset: number): void {
    this.#values += values;
    if (this.#values <= LIMITS.documentValues) return;
    this.#overgrown(path, offset, {
      code: 'too-large',
      message: `the file has more than ${LIMITS.documentValues} values, its aliases written out`,
      hint: 'split it, with `includes` or several releases',
    });
  }

  #problem(path: string, offset: number, problem: Omit<Problem, 'path' | 'position'>): void {
    this.problems.push({ ...problem, path, position: this.source.position(offset) });
  }

  #overgrown(path: string, offset: number, problem: Omit<Problem, 'path' | 'position'>): never {
    this.#problem(path, offset, problem);
    throw new Overgrown();
  }
}

interface Pair {
  readonly key: Node | null;
  readonly value: Node | null;
}

/** Where an instant is expected, a timestamp is what it looks like. */
function isInstant(path: string): boolean {
  return /(^|\.)(schedule\.at|freezes\[\d+\]\.(from|to))$/.test(path);
}
