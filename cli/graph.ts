import { renderMermaid } from '../graph/mermaid.ts';
import { renderSvg } from '../graph/svg.ts';
import { renderText } from '../graph/text.ts';
import { givenRelease, type Picked } from './documents.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { type Outcome, type Session, succeeded } from './session.ts';

export const GRAPH_FORMATS = ['text', 'mermaid', 'svg'] as const;
type Format = (typeof GRAPH_FORMATS)[number];

export interface GraphOptions extends Picked {
  readonly file: string;
  readonly format?: Format | undefined;
  readonly output?: string | undefined;
}

const ENDINGS: readonly (readonly [RegExp, Format])[] = [
  [/\.svg$/i, 'svg'],
  [/\.(mmd|mermaid)$/i, 'mermaid'],
];

export async function graphCommand(session: Session, { file, output, ...options }: GraphOptions): Promise<Outcome> {
  const { plan } = await givenRelease(file, options);
  const format = options.format ?? ENDINGS.find(([ending]) => ending.test(output ?? ''))?.[1] ?? 'text';
  const drawing =
    format === 'text'
      ? renderText(plan, new Map(), { width: session.columns })
      : format === 'svg'
        ? renderSvg(plan)
        : renderMermaid(plan);
  if (output === undefined) {
    session.say(drawing);
    return succeeded({ release: plan.release, format, graph: drawing });
  }
  try {
    await session.surroundings.writeFile(output, drawing);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new CommandFailure(EXIT.invalid, 'invalid-request', `${output} can not be written: ${message}`);
  }
  session.note(`wrote ${output}`);
  return succeeded({ release: plan.release, format, file: output });
}
