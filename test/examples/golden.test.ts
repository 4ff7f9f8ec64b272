import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import validateAsl from 'asl-validator';
import { expect, test } from 'vitest';
import { parseMachine } from '../../local/stepfunctions/index.ts';
import { GOLDEN, goldenMachines } from '../../scripts/golden.ts';
import { ruleBreaches } from '../statemachines/rules.ts';

const machines = await goldenMachines();

test('there is a golden machine for each release of the examples, and none besides', () => {
  expect(readdirSync(GOLDEN).sort()).toEqual([...machines.keys()].sort());
});

test.each([...machines])(
  '%s is what its example compiles to, byte for byte (npm run golden writes it)',
  (name, text) => {
    expect(text).toBe(readFileSync(path.join(GOLDEN, name), 'utf8'));
  },
);

test.each([...machines])('%s is valid, for the standard, for our rules and for the embedded engine', (_, text) => {
  // It writes into what it is given: a copy of its own.
  const { isValid, errorsText } = validateAsl(JSON.parse(text));
  expect(isValid ? '' : errorsText()).toBe('');
  expect(ruleBreaches(JSON.parse(text))).toEqual([]);
  expect(parseMachine(text)).not.toHaveProperty('problems');
});
