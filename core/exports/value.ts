import * as z from 'zod';
import type { ExportReference } from '../documents/plugin-call.ts';
import { shown } from '../documents/shown.ts';
import { Target } from '../documents/target.ts';
import type { Failure } from '../failure.ts';

/** One export as it is stored. `public` stands there only when other tenants may read it. */
export const ExportValue = z.discriminatedUnion('format', [
  z.object({ format: z.literal('string'), value: z.string(), public: z.literal(true).optional() }),
  z.object({ format: z.literal('targets'), targets: z.array(Target), public: z.literal(true).optional() }),
]);
export type ExportValue = z.infer<typeof ExportValue>;

/**
 * An export as the text of a parameter, and as pipelines get it: targets are a JSON list of mappings, all of which have
 * `host`, however their producer wrote them, so that a reader has one form to understand.
 */
export function importedParam(value: ExportValue): string {
  return value.format === 'string' ? value.value : JSON.stringify(value.targets);
}

export type ImportedTargets =
  | { readonly targets: readonly Target[]; readonly failure?: undefined }
  | { readonly failure: Failure; readonly targets?: undefined };

/** An export as hosts to act on: only one that was checked as such can be, text is never read as a list. */
export function importedTargets(value: ExportValue, reference: ExportReference): ImportedTargets {
  if (value.format === 'targets') return { targets: value.targets };
  const message = `the export ${shown(reference.export)} of the import ${shown(reference.import)} has the format string and is used as targets: use it in paramsFrom, or let its producer declare format: targets`;
  return { failure: { code: 'import-not-targets', message } };
}
