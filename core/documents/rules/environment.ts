import type { Problem } from '../../errors.ts';
import { field } from '../fields.ts';
import { shown } from '../shown.ts';
import { callRules } from './plugin-call.ts';
import { selfImportRules } from './self-import.ts';

export function environmentRules(document: unknown): Problem[] {
  const [name, from] = [field(document, 'name'), field(field(document, 'promotion'), 'from')];
  if (typeof name !== 'string' || name !== from) return [];
  const message = `${shown(name)} can't ask for what is current in itself: nothing would ever come in`;
  return [{ code: 'self-promotion', path: 'promotion.from', message, hint: 'name the environment before it' }];
}

/** The configuration calls the plugin as much as a deploy step does, and is read in place of one. */
export function environmentConfigRules(document: unknown): Problem[] {
  return [...callRules([{ written: document, path: [] }], document, []), ...selfImportRules(document, [])];
}
