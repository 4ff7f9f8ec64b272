import type { DocumentOf, Form } from '../core/documents/check.ts';
import { type Amend, type NamedFile, type ParsedDocument, parseDocuments } from '../core/documents/parse.ts';
import type { Position } from '../core/documents/source-text.ts';
import type { Problem } from '../core/errors.ts';
import { type Reference, type Root, readText } from './text-file.ts';

export type Locate = (path: string, named?: boolean) => Position | undefined;

export type OneDocument<Value> =
  | { readonly value: Value; readonly locate: Locate; readonly real: string; readonly problems?: undefined }
  | {
      readonly problems: readonly Problem[];
      /** Files that it names all the same, and what it really is, once its text was read. */
      readonly named: readonly NamedFile[];
      readonly real?: string | undefined;
      readonly value?: undefined;
    };

/** The one document of a kind that a file must hold: not several, of which the first would win, and not another kind. */
export async function readOne<F extends Form, K extends 'Deploy' | 'Release'>(
  file: string,
  reference: Reference,
  wanted: { readonly form: F; readonly kind: K; readonly root?: Root | undefined; readonly amend?: Amend | undefined },
): Promise<OneDocument<DocumentOf<F, K>>> {
  const read = await readText(file, reference, wanted.root);
  if (read.problem !== undefined) return { problems: [read.problem], named: [] };
  const { real } = read;
  const { documents, problems, named } = parseDocuments(read.text, file, wanted.form, wanted.amend);
  if (problems.length > 0) return { problems, named, real };
  const [document, second] = documents;
  if (second !== undefined) {
    const message = `${file} has ${documents.length} documents, where one ${wanted.kind} is expected`;
    const hint = 'put each in a file of its own';
    return {
      problems: [{ code: 'several-documents', path: '', message, hint, position: second.locate('') }],
      named,
      real,
    };
  }
  if (document === undefined || document.kind !== wanted.kind) {
    return { problems: [wrongKind(file, document, wanted.kind)], named: [], real };
  }
  return { value: document.value as DocumentOf<F, K>, locate: document.locate, real };
}

function wrongKind(file: string, document: ParsedDocument<Form> | undefined, kind: string): Problem {
  const found = document?.kind ?? 'nothing';
  const article = /^[AE]/.test(found) ? 'an' : 'a';
  const message = `no ${kind.toLowerCase()} found in ${file}: it has ${article} ${found}`;
  return { code: 'wrong-kind', path: 'kind', message, position: document?.locate('kind') };
}
