import type { ReleaseDocument } from '../core/documents/release.ts';
import type { Problem } from '../core/errors.ts';
import { shortestCycle } from '../core/plan/cycle.ts';
import { layersOf, topologicalOrder } from '../core/plan/graph.ts';
import { planRelease } from '../core/plan/plan.ts';
import { graphProblems } from '../core/plan/problems.ts';
import { select } from '../core/plan/selection.ts';
import { generatedNodes } from './generated-graphs.ts';
import { GraphCase, Naming, RealGraph, releaseOf } from './graph-case.ts';
import { layersOfPlan, type Part, part, partsOf, sortedLayers } from './graph-parts.ts';
import type { CaseResult } from './result.ts';

interface Cases {
  readonly cases: readonly unknown[];
}

/** Which of our problems is what another system calls by this name. */
const KINDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['cycle', ['cycle', 'self-dependency']],
  ['unknown-node', ['unknown-dependency']],
  ['reference-not-ancestor', ['import-not-in-after']],
]);

/** What is wrong with the imports of one deploy of a release, which stands at `path`. */
export type CheckImports = (entry: ReleaseDocument['deploys'][number], path: string) => Problem[];

/** Every case of graphs.json on the functions of core/plan; references to outputs are compared with `checkImports`. */
export function graphs(file: Cases, checkImports?: CheckImports): CaseResult[] {
  return file.cases.map((raw) => {
    const test = GraphCase.parse(raw);
    const refused = unsupported(test);
    if (refused !== undefined) return { id: test.id, verdict: 'unsupported', reason: refused };
    return test.generator === undefined ? listed(test, checkImports) : generated(test);
  });
}

/** Why a case has no counterpart in renga; undefined when it has one. */
function unsupported(test: GraphCase): string | undefined {
  const { error, message = '' } = test.expected;
  if (error === 'invalid') {
    return `what is refused is no graph but Argo's template language, which renga does not have: ${message}`;
  }
  const known = new Set([...test.nodes, ...test.externalNodes, ...test.disabledNodes]);
  const stray = test.edges.find(([, to]) => !known.has(to));
  if (stray !== undefined) {
    return `the edge ${stray.join(' -> ')} ends at a node that is not declared; in renga an edge is written at the deploy that waits, so there is no place to write it`;
  }
  return undefined;
}

function listed(test: GraphCase, checkImports: CheckImports | undefined): CaseResult {
  const naming = new Naming([...test.nodes, ...test.edges.flat()]);
  const release = releaseOf(test, naming);
  const problems = graphProblems(release);
  if (test.expected.error === 'unselected-dependency' || test.expected.error === 'disabled-node') {
    return verdict(test, selectionParts(test, naming));
  }
  if (test.expected.error === 'unknown-target') {
    return verdict(test, [part('error', 'unknown-tag', select(release, [test.target ?? '']).problems?.[0]?.code)]);
  }
  if (test.outputRefs.length > 0) {
    if (checkImports === undefined) {
      return { id: test.id, verdict: 'unsupported', reason: 'references to outputs: no check of imports was given' };
    }
    problems.push(...release.deploys.flatMap((entry, at) => checkImports(entry, `deploys[${at}]`)));
  }
  if (!test.expected.ok) return verdict(test, errorParts(test, problems, naming));
  if (problems.length > 0) return verdict(test, [part('accepted', true, problems)]);
  const parts = partsOf(test, release, naming);
  return verdict(test, test.target === undefined ? parts : [...parts, ...targetParts(release)]);
}

function verdict(test: GraphCase, parts: readonly Part[]): CaseResult {
  const wrong = parts.filter(({ same }) => !same);
  if (wrong.length > 0) {
    const side = (pick: (part: Part) => unknown) => Object.fromEntries(wrong.map((one) => [one.what, pick(one)]));
    return {
      id: test.id,
      verdict: 'disagree',
      expected: side((one) => one.expected),
      actual: side((one) => one.actual),
    };
  }
  const reason =
    test.destroyFailure.length > 0
      ? 'not compared: a destroy that goes on after a failure; a rollback stops at the first that does not succeed (I5)'
      : undefined;
  return { id: test.id, verdict: 'agree', ...(reason === undefined ? {} : { reason }) };
}

function errorParts(test: GraphCase, problems: readonly Problem[], naming: Naming): Part[] {
  const { error = '', cycle, cycles } = test.expected;
  const codes = problems.map(({ code }) => code);
  const kinds = KINDS.get(error) ?? [];
  const parts = [
    part(
      `refused as ${error}`,
      true,
      codes.some((code) => kinds.includes(code)),
    ),
  ];
  const nodes = test.nodes.map((id) => ({
    name: naming.name(id),
    after: test.edges.filter(([from, to]) => to === id && test.nodes.includes(from)).map(([from]) => naming.name(from)),
  }));
  const found = naming.ids(error === 'cycle' ? (shortestCycle(nodes) ?? []) : []);
  // Any cycle is a right one for a system that does not look for the shortest: ours must be as short, and be one.
  if (cycle !== undefined) parts.push(part('cycle', true, found.length <= cycle.length && isCycle(test, found)));
  if (cycles !== undefined) {
    const own = [...new Set(found)].sort().join();
    parts.push(
      part(
        'one of the cycles',
        true,
        cycles.some((one) => [...one].sort().join() === own),
      ),
    );
  }
  return parts;
}

/** Each step of the path is an edge, and it ends where it began. `a -> b` is the edge from b to a: a waits for b. */
function isCycle(test: GraphCase, path: readonly string[]): boolean {
  const steps = path.slice(1).map((to, at) => [path[at], to]);
  const closed = path.length > 1 && path[0] === path.at(-1);
  return closed && steps.every(([from, to]) => test.edges.some(([before, after]) => before === to && after === from));
}

/** A node that a selector or a profile leaves out is a deploy of the release that no tag picks. */
function selectionParts(test: GraphCase, naming: Naming): Part[] {
  const release = releaseOf({ nodes: [...test.nodes, ...test.disabledNodes], edges: test.edges }, naming);
  const picked = (test.select ?? test.nodes).map((id) => naming.name(id));
  const alone = select(release, picked);
  const parts = [part('error', 'unselected-dependency', alone.problems?.[0]?.code)];
  const layers = (selection: ReturnType<typeof select>) =>
    selection.release === undefined ? [] : sortedLayers(layersOfPlan(planRelease(selection.release), naming));
  if (test.withIncludeNeeds !== undefined) {
    const { layers: expected } = test.withIncludeNeeds;
    parts.push(part('with needs', sortedLayers(expected), layers(select(release, picked, { withDependencies: true }))));
  }
  if (test.withSkipNeeds !== undefined) {
    // Needs that are skipped are taken to be there, which is what renga calls current.
    const current = new Set(release.deploys.map(({ name }) => name).filter((name) => !picked.includes(name)));
    const { layers: expected } = test.withSkipNeeds;
    parts.push(part('skipping needs', sortedLayers(expected), layers(select(release, picked, { current }))));
  }
  return parts;
}

/** A target is a tag: each node, picked with what it needs, is a release without problems. */
function targetParts(release: ReleaseDocument): Part[] {
  return release.deploys.map(({ name }) => {
    const selection = select(release, [name], { withDependencies: true });
    return part(
      `target ${name}`,
      [],
      selection.release === undefined ? selection.problems : graphProblems(selection.release),
    );
  });
}

/** Graphs above our limits: the graph's own functions must cope, and the release is refused by its limit. */
function generated(test: GraphCase): CaseResult {
  const nodes = generatedNodes(test);
  if (nodes === undefined)
    return { id: test.id, verdict: 'unsupported', reason: `unknown generator ${test.generator}` };
  const naming = new Naming(nodes.map(({ name }) => name));
  const edges = nodes.flatMap(({ name, after }) => after.map((before) => [before, name] as const));
  const cyclic = shortestCycle(nodes) !== undefined;
  if (cyclic === test.expected.ok) {
    return { id: test.id, verdict: 'disagree', expected: { cyclic: !test.expected.ok }, actual: { cyclic } };
  }
  if (nodes.length > MOST_AS_RELEASE) {
    const depth = layersOf(nodes).length;
    const ordered = topologicalOrder(nodes).length === nodes.length;
    if (!ordered) return { id: test.id, verdict: 'disagree', expected: { ordered: true }, actual: { ordered } };
    const reason = `${nodes.length} deploys are above the limit of a release; the graph functions alone lay it in ${depth} layers`;
    return { id: test.id, verdict: 'unsupported', reason };
  }
  const problems = graphProblems(releaseOf({ nodes: nodes.map(({ name }) => name), edges }, naming));
  if (!test.expected.ok) return verdict(test, errorParts(test, problems, naming));
  if (problems.length === 0) return { id: test.id, verdict: 'agree' };
  const beyond = problems.filter(({ code }) => code === 'too-many-deploys' || code === 'too-many-edges');
  if (beyond.length < problems.length) return verdict(test, [part('accepted', true, problems)]);
  const reason = `${beyond.map(({ message }) => message).join('; ')}; the graph functions alone lay it in ${layersOf(nodes).length} layers`;
  return { id: test.id, verdict: 'unsupported', reason };
}

/** Larger graphs would cost minutes as documents and could never be a release. */
const MOST_AS_RELEASE = 20_000;

export type RunRelease = (release: ReleaseDocument) => Promise<string>;

/** Every case of real-graphs.json: its layers, and with `runRelease` that it runs to `SUCCESS` as a release of no-ops. */
export async function realGraphs(file: Cases, runRelease?: RunRelease): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const raw of file.cases) {
    const test = RealGraph.parse(raw);
    const naming = new Naming(test.nodes);
    const release = releaseOf(test, naming);
    const problems = graphProblems(release);
    if (problems.length > 0) {
      results.push({ id: test.id, verdict: 'disagree', expected: 'a release', actual: problems });
      continue;
    }
    const expected = sortedLayers(test.layers);
    const actual = sortedLayers(layersOfPlan(planRelease(release), naming));
    const state = runRelease === undefined ? undefined : await runRelease(withoutExternal(release));
    const same = JSON.stringify(actual) === JSON.stringify(expected) && (state === undefined || state === 'SUCCESS');
    if (same) results.push({ id: test.id, verdict: 'agree' });
    else
      results.push({
        id: test.id,
        verdict: 'disagree',
        expected: { layers: expected, state: 'SUCCESS' },
        actual: { layers: actual, state },
      });
  }
  return results;
}

/** Nobody runs the deploys outside the release, so what is run does not wait for them. */
function withoutExternal(release: ReleaseDocument): ReleaseDocument {
  const deploys = release.deploys.map((entry) => ({ ...entry, descriptor: { ...entry.descriptor, after: [] } }));
  return { ...release, deploys };
}
