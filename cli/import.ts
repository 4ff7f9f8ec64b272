/** Turns what people have into a release file, and says what of it has no counterpart. */
import path from 'node:path';
import { composeProject, composeReferences, convertCompose } from '../core/convert/compose.ts';
import { COMPOSE } from '../core/convert/compose-service.ts';
import type { Converted } from '../core/convert/converted.ts';
import { type Note, noteText } from '../core/convert/findings.ts';
import { convertHelmfile, helmfileReferences } from '../core/convert/helmfile.ts';
import { HELMFILE } from '../core/convert/helmfile-release.ts';
import { shapeOf } from '../core/convert/names.ts';
import { Place } from '../core/convert/place.ts';
import { releaseText } from '../core/convert/release-text.ts';
import type { Sources } from '../core/convert/sources.ts';
import { convertTazuna, TAZUNA, tazunaReferences } from '../core/convert/tazuna.ts';
import type { ConvertOptions } from '../core/convert/unit.ts';
import { readSources, type SourceKind } from '../files/read-sources.ts';
import { CommandFailure, EXIT, invalid } from './failure.ts';
import { type Outcome, type Session, succeeded } from './session.ts';
import { oneLine } from './text.ts';

interface Tool extends SourceKind {
  readonly convert: (sources: Sources, options: ConvertOptions) => Converted;
  readonly project?: (top: Place) => string | undefined;
}

export const TOOLS = ['tazuna', 'helmfile', 'compose'] as const;
export type ToolName = (typeof TOOLS)[number];

const CONVERTERS: Readonly<Record<ToolName, Tool>> = {
  tazuna: { ...TAZUNA, references: tazunaReferences, convert: convertTazuna },
  helmfile: { ...HELMFILE, whole: HELMFILE.render, references: helmfileReferences, convert: convertHelmfile },
  compose: {
    whole: COMPOSE.render,
    references: composeReferences,
    convert: convertCompose,
    project: composeProject,
  },
};

export interface ImportOptions {
  readonly id?: string | undefined;
  readonly environment?: string | undefined;
  readonly tenant?: string | undefined;
  readonly plugin: string;
  readonly artifactVersion?: string | undefined;
  readonly output?: string | undefined;
  readonly force?: boolean | undefined;
}

export async function importCommand(
  session: Session,
  name: ToolName,
  file: string,
  options: ImportOptions,
): Promise<Outcome> {
  const tool = CONVERTERS[name];
  const read = await readSources(file, tool);
  if (read.problems !== undefined) throw invalid(read.problems);
  const { sources } = read;
  const converted = tool.convert(sources, {
    id: options.id ?? shapeOf(tool.project?.(Place.root(sources.top[0])) ?? projectOf(name, file)),
    environment: options.environment,
    tenant: options.tenant,
    plugin: options.plugin,
    version: options.artifactVersion,
  });
  const { release, notes } = converted;
  if (release === undefined) throw invalid(converted.problems);
  const text = releaseText(release, converted, { file, tool: name });
  if (options.output === undefined) session.say(text);
  else await write(session, options.output, text, options.force === true);
  if (!session.json) tell(session, notes, options.output);
  return succeeded({ release, notes, ...(options.output !== undefined && { file: options.output }) });
}

/** A file called as the tool would look for it says nothing; the directory around it is the project. */
function projectOf(tool: ToolName, file: string): string {
  const base = path.basename(file).replace(/(\.gotmpl|\.ya?ml|\.json)+$/i, '');
  const usual = base === tool || base === `docker-${tool}`;
  return (usual ? path.basename(path.dirname(path.resolve(file))) : base) || tool;
}

async function write(session: Session, output: string, text: string, force: boolean): Promise<void> {
  if (!force && (await exists(session, output))) {
    const hint = 'add --force to write over it, or name another file';
    throw new CommandFailure(EXIT.refused, 'file-exists', `${output} is there already`, { hint });
  }
  try {
    await session.surroundings.writeFile(output, text);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new CommandFailure(EXIT.invalid, 'invalid-request', `${output} can not be written: ${message}`);
  }
}

/** What can't be read for another reason is there as well. */
async function exists({ surroundings }: Session, file: string): Promise<boolean> {
  try {
    await surroundings.readFile(file);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}

function tell(session: Session, notes: readonly Note[], output: string | undefined): void {
  for (const note of notes) {
    const { position, deploy } = note;
    const place = position === undefined ? '' : `${position.file}:${position.line}: `;
    session.note(oneLine(`${place}${deploy === undefined ? '' : `${deploy}: `}${noteText(note)}`));
  }
  if (output !== undefined) session.note(`wrote ${output}`);
}
