/** A converted release as the file that a person goes on with: notes and what is to be filled in stand beside it. */
import { Document, isMap, isScalar, isSeq, Pair, Scalar, visit, type YAMLMap } from 'yaml';
import { quoteMisread } from '../documents/yaml-text.ts';
import type { Converted, PlainRelease, Remark } from './converted.ts';
import { type Note, noteText } from './findings.ts';

const WIDTH = 80;

export function releaseText(
  release: PlainRelease,
  { notes, remarks }: Pick<Converted, 'notes' | 'remarks'>,
  from: { readonly file: string; readonly tool: string },
): string {
  const document = new Document(release);
  if (!isMap(document.contents)) throw new Error('a release is a mapping');
  const { contents } = document;
  const about = (deploy: string | undefined) => notes.filter((note) => note.deploy === deploy);
  document.commentBefore = comment(
    [`From ${from.file}, by renga import ${from.tool}.`, ...about(undefined).map((note) => line(note, from.file))],
    0,
  );
  const deploys = contents.get('deploys', true);
  if (!isSeq(deploys)) throw new Error('the deploys of a release are a list');
  for (const [index, entry] of deploys.items.entries()) {
    const { name } = release.deploys[index] ?? {};
    if (!isMap(entry) || name === undefined) continue;
    const remark = remarks.get(name);
    const lines = [
      ...(remark?.about === undefined ? [] : [remark.about]),
      ...about(name).map((note) => line(note, from.file)),
    ];
    if (lines.length > 0) entry.commentBefore = comment(lines, 4);
    entry.spaceBefore = index > 0;
    short(entry, remark);
  }
  quoted(document);
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** A note as a comment: the line in the file that was given, or in one that it names. */
function line(note: Note, top: string): string {
  const { position } = note;
  const place =
    position === undefined ? '' : `${position.file === top ? '' : `${position.file}, `}line ${position.line}: `;
  return `${place}${noteText(note)}`;
}

/** Lists and the artifact on one line each; the command that is missing where it belongs. */
function short(entry: YAMLMap, remark: Remark | undefined): void {
  for (const field of ['after', 'tags']) {
    const list = entry.get(field, true);
    if (isSeq(list)) list.flow = true;
  }
  const artifact = entry.getIn(['descriptor', 'artifact'], true);
  if (isMap(artifact)) artifact.flow = true;
  const params = entry.getIn(['descriptor', 'deploy', 'params'], true);
  if (remark?.command === undefined || !isMap(params)) return;
  const words = new Document(remark.command);
  if (isSeq(words.contents)) words.contents.flow = true;
  quoted(words);
  const text = words.toString({ lineWidth: 0, flowCollectionPadding: false }).trim();
  const [first] = params.items;
  if (first instanceof Pair && isScalar(first.key))
    first.key.commentBefore = `${comment(['To fill in, such as:'], 8)}\n COMMAND: ${text}`;
}

/** Quotes what some reader would take for something else than text, and versions always. */
function quoted(document: Document): void {
  quoteMisread(document);
  visit(document, {
    Pair: (_, { key, value }) => {
      if (isScalar(key) && key.value === 'version' && isScalar(value)) value.type = Scalar.QUOTE_DOUBLE;
    },
  });
}

/** Lines of a comment, without their `#`: each text wrapped, what follows its first line indented. */
function comment(texts: readonly string[], indent: number): string {
  const room = WIDTH - indent - 2;
  return texts
    .flatMap((text) => wrapped(text, room))
    .map((words) => ` ${words}`)
    .join('\n');
}

function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  let words = '';
  // Control characters would end the comment, or a terminal's patience.
  for (const word of text.split(/[\s\p{Cc}]+/u)) {
    if (words !== '' && words.length + 1 + word.length > columns) {
      lines.push(words);
      words = `  ${word}`;
    } else words = words === '' ? word : `${words} ${word}`;
  }
  return words === '' ? lines : [...lines, words];
}
