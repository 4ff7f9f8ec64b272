/** Releases of the shapes that the benchmarks run, in deploys that do nothing or take a stated time. */
import { DeployDocument } from '../core/documents/deploy.ts';
import type { OnFailure, ReleaseDocument, Start } from '../core/documents/release.ts';

export interface Node {
  readonly name: string;
  readonly after: readonly string[];
  /** Duration in seconds; absent: it ends at once. */
  readonly seconds?: number;
}

/** Each deploy waits for the one before. */
export function chain(deploys: number): Node[] {
  return Array.from({ length: deploys }, (_, at) => ({
    name: nameOf(at),
    after: at === 0 ? [] : [nameOf(at - 1)],
  }));
}

/** No deploy waits for another: one layer. */
export function wide(deploys: number): Node[] {
  return Array.from({ length: deploys }, (_, at) => ({ name: nameOf(at), after: [] }));
}

/** Layers of `width`, each deploy after two of the layer before. */
export function layered(deploys: number, width: number): Node[] {
  return Array.from({ length: deploys }, (_, at) => {
    const start = Math.floor(at / width) * width;
    const before = start - width;
    const after = start === 0 ? [] : [nameOf(before + (at % width)), nameOf(before + ((at + 1) % width))];
    return { name: nameOf(at), after: [...new Set(after)] };
  });
}

/** Every deploy waits for up to three earlier ones, near ones more often, and takes 1 to 600 s; the seed decides. */
export function random(deploys: number, seed: number): Node[] {
  const draw = randomNumbers(seed);
  return Array.from({ length: deploys }, (_, at) => {
    const count = Math.min(at, Math.floor(draw() * 4));
    const near = () => nameOf(at - 1 - Math.floor(draw() ** 2 * Math.min(at, 30)));
    const after = [...new Set(Array.from({ length: count }, near))];
    // Durations of deploys are skewed: most take a minute, a few take ten.
    return { name: nameOf(at), after, seconds: 1 + Math.floor(599 * draw() ** 4) };
  });
}

/** Numbers from 0 to below 1, the same for the same seed (a 32-bit xorshift). */
function randomNumbers(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export interface ReleaseOptions {
  readonly id: string;
  readonly start?: Start;
  readonly onFailure?: OnFailure;
}

export function releaseOf(
  nodes: readonly Node[],
  { id, start = 'layers', onFailure = 'stop' }: ReleaseOptions,
): ReleaseDocument {
  return {
    apiVersion: 'renga/v1',
    kind: 'Release',
    id,
    mode: 'dag',
    start,
    onFailure,
    deploys: nodes.map(({ name, after, seconds }) => ({
      name,
      after: [...after],
      tags: [],
      descriptor: DeployDocument.parse({
        apiVersion: 'renga/v1',
        application: name,
        environment: 'bench',
        artifact: { type: 'application', name, version: id },
        deploy: { plugin: 'simulated', params: seconds === undefined ? {} : { SECONDS: seconds } },
      }),
    })),
  };
}

function nameOf(at: number): string {
  return `service-${String(at).padStart(5, '0')}`;
}
