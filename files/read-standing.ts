import type { Kind, StandingDocument } from '../core/documents/check.ts';
import { parseDocuments } from '../core/documents/parse.ts';
import type { Problem } from '../core/errors.ts';
import type { Locate } from './one-document.ts';
import { readText } from './text-file.ts';

export interface Standing {
  readonly document: StandingDocument;
  readonly file: string;
  readonly locate: Locate;
}

/**
 * The documents of a file that hold once they are applied: one or several, of these kinds. Any other document in it is a
 * problem, and then none of them counts.
 */
export async function readStanding(
  file: string,
  kinds: readonly StandingDocument['kind'][],
): Promise<{ documents: Standing[]; problems?: undefined } | { problems: readonly Problem[]; documents?: undefined }> {
  const read = await readText(file, { path: '' });
  if (read.problem !== undefined) return { problems: [read.problem] };
  const { documents, problems } = parseDocuments(read.text, file, 'file');
  if (problems.length > 0) return { problems };
  const wanted: readonly Kind[] = kinds;
  const others = documents.filter(({ kind }) => !wanted.includes(kind));
  if (others.length > 0) {
    const message = (kind: string) => `kind: ${kind} is not applied here; ${kinds.join(', ')} are`;
    return {
      problems: others.map(({ kind, locate }) => ({
        code: 'wrong-kind',
        path: 'kind',
        message: message(kind),
        position: locate('kind'),
      })),
    };
  }
  return { documents: documents.map(({ value, locate }) => ({ document: value as StandingDocument, file, locate })) };
}
