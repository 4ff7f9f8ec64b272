/**
 * Merge keys (`<<: *base`), written out. Our own documents refuse them; in files of other tools they are everyday, and
 * those tools all merge them the same way: a field's own value wins, then that of the base named first.
 */
import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, visit, type YAMLMap } from 'yaml';
import { LIMITS } from '../documents/limits.ts';

/**
 * Changes the tree in place. What it can't merge (an alias to nothing or to no mapping, two merge keys that give one
 * field) is left as it stands, for the reader to refuse. False when merging would make the file grow without bound.
 */
export function mergeKeys(root: Node | null): boolean {
  const anchors = new Map<string, Node>();
  let copied = 0;
  // Children come before their parent: a base is merged itself before anything takes fields from it.
  const merge = (node: unknown): boolean => {
    if (isSeq(node)) {
      if (!node.items.every(merge)) return false;
    } else if (isMap(node)) {
      if (!node.items.every(({ value }) => merge(value))) return false;
      copied += written(node, anchors);
      if (copied > LIMITS.documentValues) return false;
    }
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined) anchors.set(node.anchor, node);
    return true;
  };
  return !hasMergeKey(root) || merge(root);
}

function hasMergeKey(root: Node | null): boolean {
  let found = false;
  visit(root, {
    Pair: (_, { key }) => {
      if (!isMergeKey(key)) return undefined;
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

/** Writes the bases of one mapping out; answers how many fields that took. */
function written(map: YAMLMap, anchors: ReadonlyMap<string, Node>): number {
  const merges = map.items.filter(({ key }) => isMergeKey(key));
  const rest = map.items.filter(({ key }) => !isMergeKey(key));
  const own = new Set(rest.map(nameOf));
  const added: Pair[] = [];
  for (const merge of merges) {
    const bases = basesOf(merge.value, anchors);
    if (bases === undefined) return 0;
    const before = new Set(added.map(nameOf));
    const names = new Set<unknown>();
    for (const pair of bases.flatMap(({ items }) => items)) {
      const name = nameOf(pair);
      if (own.has(name) || names.has(name)) continue;
      // Two merge keys in one mapping are no YAML, but usual; which of them would win is anybody's guess.
      if (before.has(name)) return 0;
      names.add(name);
      added.push(pair);
    }
  }
  map.items = [...added, ...rest];
  return added.length;
}

function basesOf(value: unknown, anchors: ReadonlyMap<string, Node>): YAMLMap[] | undefined {
  const wanted = isSeq(value) ? value.items : [value];
  const found = wanted.map((item) => (isAlias(item) ? anchors.get(item.source) : item));
  return found.every(isMap) ? found : undefined;
}

function nameOf({ key }: Pair): unknown {
  return isScalar(key) ? key.value : key;
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
}
