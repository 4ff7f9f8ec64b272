/** The files that a command is given, read and checked; a problem ends the command before anything is sent. */
import type { DeployDocument } from '../core/documents/deploy.ts';
import { placed } from '../core/documents/parse.ts';
import type { Mode, ReleaseDocument } from '../core/documents/release.ts';
import type { Problem } from '../core/errors.ts';
import { type Plan, planRelease } from '../core/plan/plan.ts';
import { graphProblems } from '../core/plan/problems.ts';
import { select } from '../core/plan/selection.ts';
import type { Origin } from '../files/origin.ts';
import { readDeploy } from '../files/read-deploy.ts';
import { readRelease } from '../files/read-release.ts';
import { invalid } from './failure.ts';

export type Given =
  | { readonly kind: 'Release'; readonly document: ReleaseDocument; readonly origin: Origin }
  | { readonly kind: 'Deploy'; readonly document: DeployDocument; readonly origin: Origin };

export type Read =
  | { readonly given: Given; readonly problems?: undefined }
  | { readonly problems: readonly Problem[]; readonly given?: undefined };

/** A file with a release or a deploy, whichever it holds, with every problem that the document alone shows. */
export async function readDocument(file: string): Promise<Read> {
  const release = await readRelease(file);
  if (release.problems === undefined) {
    const { origin } = release;
    const problems = placed(graphProblems(release.release), origin.locate);
    return problems.length > 0 ? { problems } : { given: { kind: 'Release', document: release.release, origin } };
  }
  if (release.problems[0]?.code !== 'wrong-kind') return { problems: release.problems };
  const deploy = await readDeploy(file);
  if (deploy.problems !== undefined) return { problems: deploy.problems };
  return { given: { kind: 'Deploy', document: deploy.deploy, origin: deploy.origin } };
}

export interface Picked {
  readonly tags?: readonly string[] | undefined;
  readonly withDependencies?: boolean | undefined;
}

export interface GivenRelease {
  readonly release: ReleaseDocument;
  readonly origin: Origin;
  readonly plan: Plan;
  /** As the file has it: a part of a graph is planned as a graph, whatever is left of its edges. */
  readonly mode: Mode;
}

/** The release of a file, narrowed to `--tags`. `current`: names that nothing need wait for again. */
export async function givenRelease(
  file: string,
  { tags, withDependencies = false }: Picked,
  current?: (release: ReleaseDocument) => Promise<ReadonlySet<string>>,
): Promise<GivenRelease> {
  const read = await readRelease(file);
  if (read.problems !== undefined) throw invalid(read.problems);
  const { release: whole, origin } = read;
  const problems = placed(graphProblems(whole), origin.locate);
  if (problems.length > 0) throw invalid(problems);
  if (tags === undefined) return { release: whole, origin, plan: planRelease(whole), mode: whole.mode };
  const selection = select(whole, tags, { withDependencies, ...(current && { current: await current(whole) }) });
  if (selection.problems !== undefined) throw invalid(placed(selection.problems, origin.locate));
  const { release } = selection;
  // Paths of the narrowed release, such as `deploys[0]`, mean other entries of the file.
  const indexes = release.deploys.map(({ name }) => whole.deploys.findIndex((entry) => entry.name === name));
  const locate: Origin['locate'] = (path, named) =>
    origin.locate(
      path.replace(/^deploys\[(\d+)\]/, (_, index: string) => `deploys[${indexes[Number(index)] ?? index}]`),
      named,
    );
  return { release, origin: { files: origin.files, locate }, plan: planRelease(release), mode: whole.mode };
}
