/** The page on the API lists the routes that there are. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ROUTES } from '../../api/contract.ts';

const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/http-api.md'), 'utf8');

/** `POST /v1/x/{id}/pause`, `…/resume`: the second in full is the first with its last part changed. */
const listed = page
  .split('\n')
  .map((line) => line.split('|')[1] ?? '')
  .flatMap((cell) => {
    const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.replace(/\?.*/, ''));
    const [first = ''] = names;
    return names.map((name) => name.replace(/^…/, first.replace(/\/[^/}]+$/, '')));
  })
  .filter((name) => /^(GET|POST) \/v1\//.test(name));

test('every route stands in the table once, and nothing else does', () => {
  const routes = Object.values(ROUTES).map(({ method, path: route }) => `${method.toUpperCase()} ${route}`);
  const named = listed.map((name) => name.replace('{token}', '{id}'));
  expect([...named].sort()).toEqual([...routes].sort());
});
