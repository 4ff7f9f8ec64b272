/** Text of another tool's file to plain values with places, refused where our own files are: doubled keys, bombs, tags. */
import { isNode } from 'yaml';
import { LIMITS } from '../documents/limits.ts';
import { locator, syntaxProblems } from '../documents/parse.ts';
import { byteLength, notText, type Position, SourceText, sizeProblem } from '../documents/source-text.ts';
import { readYaml } from '../documents/yaml-stream.ts';
import { readValue } from '../documents/yaml-values.ts';
import type { Problem } from '../errors.ts';
import { mergeKeys } from './merge-keys.ts';
import type { SourceDocument } from './place.ts';
import { controlAction, hasTemplate } from './template.ts';

export interface SourceFormat {
  /** Whether its text is a Go template, and how to get rid of it. */
  readonly render?: string | undefined;
}

export interface SourceRead {
  readonly documents: readonly SourceDocument[];
  readonly problems: readonly Problem[];
}

export function readSource(text: string, file: string, { render }: SourceFormat): SourceRead {
  const refused = (...problems: Problem[]): SourceRead => ({ documents: [], problems });
  const large = sizeProblem(byteLength(text), file);
  if (large !== undefined) return refused(large);
  const plain = text.replace(/^\uFEFF/, '');
  // Tabs can only be indentation in JSON; to YAML they would be none.
  const source = new SourceText(file.endsWith('.json') ? plain.replaceAll('\t', ' ') : plain, file);
  const binary = notText(source);
  if (binary !== undefined) return refused(binary);
  const control = render === undefined ? undefined : controlAction(source.text);
  if (control !== undefined) return refused(templated(source, control, render));

  const { documents, problems } = valuesOf(source);
  if (problems.length > 0 && render !== undefined && hasTemplate(source.text)) {
    // An action outside of quotes is no YAML, or YAML for something else.
    const [first] = problems.filter(({ position }) => position !== undefined && hasTemplate(position.source));
    const problem = templated(source, source.text.indexOf('{{'), render);
    return first?.position === undefined
      ? refused(problem, ...problems)
      : refused({ ...problem, position: atAction(first.position) });
  }
  return { documents, problems: problems.slice(0, LIMITS.problemsTold) };
}

function valuesOf(source: SourceText): { documents: SourceDocument[]; problems: Problem[] } {
  const read = readYaml(source);
  if ('problem' in read) return { documents: [], problems: [read.problem] };
  const syntax = syntaxProblems(source, read.documents);
  if (syntax.length > 0) return { documents: [], problems: syntax };
  const documents: SourceDocument[] = [];
  const problems: Problem[] = [];
  for (const { contents } of read.documents) {
    const node = isNode(contents) ? contents : null;
    if (node === null || ('value' in node && node.value === null)) continue;
    if (!mergeKeys(node)) {
      problems.push({ code: 'too-large', path: '', message: 'its merge keys << make the file grow without bound' });
      continue;
    }
    const { value, places, problems: unread } = readValue(node, source);
    // These tools keep `1.10` as it is written where they want text, and so does the reader.
    problems.push(...unread.filter(({ code }) => code !== 'must-be-quoted'));
    if (value !== undefined) documents.push({ file: source.file, value, locate: locator(source, places) });
  }
  if (documents.length === 0 && problems.length === 0) {
    const message = `${source.file} is empty or has only comments`;
    problems.push({ code: 'no-document', path: '', message, position: source.position(0) });
  }
  return { documents, problems };
}

/** The place of the first action on a line; of the line as it is, where only a part of it is shown. */
function atAction(position: Position): Position {
  if (position.source.startsWith('…')) return position;
  return { ...position, column: [...position.source.slice(0, position.source.indexOf('{{'))].length + 1 };
}

function templated(source: SourceText, offset: number, render: string | undefined): Problem {
  const message = 'the file is a template here, and what it says is only known once it is rendered';
  return { code: 'template', path: '', message, hint: render, position: source.position(offset) };
}
