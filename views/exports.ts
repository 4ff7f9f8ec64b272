import type { ExportsView } from '../api/contract.ts';
import type { ExportValue } from '../core/exports/value.ts';

/** Exports as people see them: text as it is, targets as a list. */
export function exportsView(values: Readonly<Record<string, ExportValue>>): ExportsView {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value.format === 'string' ? value.value : value.targets]),
  );
}
