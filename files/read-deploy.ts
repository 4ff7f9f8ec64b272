import type { DeployDocument } from '../core/documents/deploy.ts';
import { standaloneImportProblems } from '../core/documents/imports.ts';
import { type Amend, placed } from '../core/documents/parse.ts';
import type { Problem } from '../core/errors.ts';
import { readOne } from './one-document.ts';
import type { Origin } from './origin.ts';

/**
 * Reads the file of a deploy that is submitted by itself, changed by `amend` before it is checked. Problems have
 * positions; surprises of the disk are thrown.
 */
export async function readDeploy(
  file: string,
  amend?: Amend,
): Promise<
  | { deploy: DeployDocument; origin: Origin; problems?: undefined }
  | { problems: readonly Problem[]; deploy?: undefined }
> {
  const read = await readOne(file, { path: '' }, { form: 'file', kind: 'Deploy', amend });
  if (read.problems !== undefined) return { problems: read.problems };
  const problems = standaloneImportProblems(read.value);
  if (problems.length > 0) return { problems: placed(problems, read.locate) };
  return { deploy: read.value, origin: { files: [file], locate: read.locate } };
}
