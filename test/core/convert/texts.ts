/** Converts texts that are no files: names are looked up among them as they are written. */
import { convertCompose } from '../../../core/convert/compose.ts';
import type { Converted } from '../../../core/convert/converted.ts';
import { noteText } from '../../../core/convert/findings.ts';
import { convertHelmfile } from '../../../core/convert/helmfile.ts';
import { HELMFILE } from '../../../core/convert/helmfile-release.ts';
import { readSource } from '../../../core/convert/source.ts';
import { convertTazuna, TAZUNA } from '../../../core/convert/tazuna.ts';
import type { ConvertOptions } from '../../../core/convert/unit.ts';
import { checkDocument } from '../../../core/documents/check.ts';
import type { ReleaseDocument } from '../../../core/documents/release.ts';
import { planRelease } from '../../../core/plan/plan.ts';
import { graphProblems } from '../../../core/plan/problems.ts';

const TOOLS = {
  tazuna: { convert: convertTazuna, format: TAZUNA },
  helmfile: { convert: convertHelmfile, format: HELMFILE },
  compose: { convert: convertCompose, format: {} },
} as const;
export type Tool = keyof typeof TOOLS;

const OPTIONS: ConvertOptions = { id: 'shop', environment: 'prod', plugin: 'command' };

export function converted(
  tool: Tool,
  text: string,
  { files = {}, options = {} }: { files?: Record<string, string>; options?: Partial<ConvertOptions> } = {},
): Converted {
  const { convert, format } = TOOLS[tool];
  const { documents, problems } = readSource(text, `${tool}.yaml`, format);
  const [first, ...rest] = documents;
  if (first === undefined || problems.length > 0) return { notes: [], problems, remarks: new Map() };
  const others = new Map(
    Object.entries(files).map(([name, other]) => [name, readSource(other, name, format).documents]),
  );
  return convert({ top: [first, ...rest], named: (place) => others.get(place.text ?? '') }, { ...OPTIONS, ...options });
}

/** The release as the rest of renga has it; throws what is wrong with it. */
export function releaseOf({ release, problems }: Pick<Converted, 'release' | 'problems'>): ReleaseDocument {
  if (release === undefined) throw new Error(told({ problems }).join('\n'));
  const checked = checkDocument(release, 'body');
  const wrong = checked.problems ?? graphProblems(checked.value as ReleaseDocument);
  if (wrong.length > 0) throw new Error(JSON.stringify(wrong));
  return checked.value as ReleaseDocument;
}

export function layersOf(result: Converted): string[][] {
  return planRelease(releaseOf(result)).layers.map((layer) => layer.map(({ name }) => name));
}

/** `code line:column message`. */
export function told({ problems }: Pick<Converted, 'problems'>): string[] {
  return problems.map(({ code, position, message }) => `${code} ${position?.line}:${position?.column} ${message}`);
}

/** `code deploy line: text` of the notes that are not about every import. */
export function noted({ notes }: Converted): string[] {
  return notes
    .filter(({ code }) => code !== 'no-command' && code !== 'no-version')
    .map((note) => `${note.code} ${note.deploy ?? '-'} ${note.position?.line}: ${noteText(note)}`);
}
