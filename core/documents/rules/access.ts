import type { Problem } from '../../errors.ts';
import { field, fields, items } from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { formatPath } from '../path.ts';
import { shown } from '../shown.ts';
import { suggestion } from '../spelling.ts';
import { repetitions } from './counts.ts';

/** A binding names a role of its own document, so that nobody gets rights by what another document comes to say. */
export function accessRules(document: unknown): Problem[] {
  const roles = fields(field(document, 'roles'));
  const names = roles.map(([name]) => name);
  const bindings = items(field(document, 'bindings'));
  return [
    ...roles.flatMap(([name, permissions]) =>
      repetitions(items(permissions), ['roles', name], 'duplicate-permission', 'a permission'),
    ),
    ...bindings.slice(0, LIMITS.bindingsPerAccess).flatMap((binding, index) => bindingRules(binding, index, names)),
    ...repetitions(bindings, ['bindings'], 'duplicate-binding', 'a binding'),
  ];
}

function bindingRules(binding: unknown, index: number, names: readonly string[]): Problem[] {
  const problems = repetitions(
    items(field(binding, 'subjects')),
    ['bindings', index, 'subjects'],
    'duplicate-subject',
    'a subject',
  );
  const role = field(binding, 'role');
  if (typeof role !== 'string' || names.includes(role)) return problems;
  const hint = suggestion(role, names) ?? 'declare it in roles';
  const message = `there is no role ${shown(role)} in roles`;
  return [{ code: 'unknown-role', path: formatPath(['bindings', index, 'role']), message, hint }, ...problems];
}
