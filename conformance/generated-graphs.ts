import type { Node } from '../core/plan/graph.ts';
import type { GraphCase } from './graph-case.ts';

/**
 * The graphs that a case describes by numbers instead of listing them. `chain`: n nodes, each after the one before.
 * `tekton-big`: branches of `tasks` + 1 tasks, each after every earlier one of its branch; circular when each also
 * waits for the last of the branch. Undefined for a description that gives another number of edges than recorded.
 */
export function generatedNodes({ generator, generated = {} }: GraphCase): Node[] | undefined {
  if (generator === 'chain' && typeof generated.n === 'number') return chain(generated.n);
  const { branches, tasks, cyclic, edgeCount } = generated;
  if (generator !== 'tekton-big' || typeof branches !== 'number' || typeof tasks !== 'number') return undefined;
  const nodes = numbers(branches).flatMap((branch) => branchOf(branch, tasks + 1, cyclic === true));
  const edges = nodes.reduce((sum, node) => sum + node.after.length, 0);
  return edges === edgeCount ? nodes : undefined;
}

function chain(length: number): Node[] {
  return numbers(length).map((at) => ({ name: `n${at}`, after: at === 0 ? [] : [`n${at - 1}`] }));
}

function branchOf(branch: number, length: number, circular: boolean): Node[] {
  const name = (at: number) => `b${branch}-t${at}`;
  return numbers(length).map((at) => ({
    name: name(at),
    // The closing link comes on top of the redundant ones, so each task has one link more.
    after: [...numbers(at).map(name), ...(circular ? [name(length - 1)] : [])],
  }));
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}
