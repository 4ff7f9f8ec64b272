import validateAsl from 'asl-validator';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type OnFailure, ReleaseDocument, type Start } from '../../core/documents/release.ts';
import { planRelease } from '../../core/plan/plan.ts';
import { LOCAL_FUNCTIONS } from '../../local/engine.ts';
import { parseMachine } from '../../local/stepfunctions/index.ts';
import { render } from '../../statemachines/asl.ts';
import { compile } from '../../statemachines/compile.ts';
import { deployMachine } from '../../statemachines/deploy-machine.ts';
import { releaseMachine } from '../../statemachines/release-machine.ts';
import { ruleBreaches } from './rules.ts';

interface Shape {
  readonly after: readonly (readonly number[])[];
  readonly start: Start;
  readonly onFailure: OnFailure;
}

function release({ after, start, onFailure }: Shape) {
  return ReleaseDocument.parse({
    apiVersion: 'renga/v1',
    kind: 'Release',
    id: 'shop-2026-10',
    mode: 'dag',
    start,
    onFailure,
    deploys: after.map((before, index) => ({
      name: `d${index}`,
      after: before.map((other) => `d${other}`),
      descriptor: {
        apiVersion: 'renga/v1',
        application: `d${index}`,
        environment: 'prod',
        artifact: { type: 'application', name: `d${index}`, version: '1' },
        deploy: { plugin: 'command' },
      },
    })),
  });
}

const shapes: fc.Arbitrary<Shape> = fc.integer({ min: 1, max: 25 }).chain((size) =>
  fc.record({
    after: fc.tuple(
      ...Array.from({ length: size }, (_, index) => fc.subarray(Array.from({ length: index }, (_, other) => other))),
    ),
    start: fc.constantFrom<Start>('layers', 'eager'),
    onFailure: fc.constantFrom<OnFailure>('stop', 'continue', 'rollback'),
  }),
);

/** Faults that our engine's own parser and our rules find. */
function faultsOf(definition: string): unknown {
  const machine = parseMachine(definition);
  return { engine: 'problems' in machine ? machine.problems : [], rules: ruleBreaches(JSON.parse(definition)) };
}
const NO_FAULTS = { engine: [], rules: [] };

/** What `asl-validator` says; it compiles its schemas anew at every call, so it sees fewer cases. */
function aslFaults(definition: string): string {
  // It writes into what it is given: every use gets its own copy.
  const { errorsText, isValid } = validateAsl(JSON.parse(definition));
  return isValid ? '' : errorsText();
}

describe('the machine of a release', () => {
  test('is valid for any plan, start and policy, and the same byte for byte whenever it is compiled', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        const plan = planRelease(release(shape));
        const { definition } = compile(plan, shape.onFailure, LOCAL_FUNCTIONS);
        expect(faultsOf(definition)).toEqual(NO_FAULTS);
        expect(compile(planRelease(release(shape)), shape.onFailure, LOCAL_FUNCTIONS).definition).toBe(definition);
      }),
      { numRuns: 100 },
    );
  });

  test('is valid Amazon States Language', () => {
    fc.assert(
      fc.property(shapes, (shape) => {
        expect(aslFaults(compile(planRelease(release(shape)), shape.onFailure, LOCAL_FUNCTIONS).definition)).toBe('');
      }),
      { numRuns: 12 },
    );
  });

  test('holds no id of its release: releases with the same plan share it', () => {
    const plan = planRelease(release({ after: [[], [0]], start: 'layers', onFailure: 'rollback' }));
    expect(compile(plan, 'rollback', LOCAL_FUNCTIONS).definition).not.toContain('shop-2026-10');
  });

  test('counts its bytes and never more history than it may have', () => {
    const plan = planRelease(release({ after: [[], [0], [0], [1, 2]], start: 'layers', onFailure: 'rollback' }));
    const compiled = compile(plan, 'rollback', LOCAL_FUNCTIONS);
    expect(compiled.bytes).toBe(Buffer.byteLength(compiled.definition));
    expect(compiled.historyEvents.most).toBeGreaterThan(compiled.historyEvents.success);
  });

  test.each<OnFailure>(['stop', 'continue', 'rollback'])(
    'with onFailure %s reaches rollbacks only when it should',
    (onFailure) => {
      const { States } = releaseMachine(
        planRelease(release({ after: [[], [0]], start: 'layers', onFailure })),
        onFailure,
        LOCAL_FUNCTIONS,
      );
      expect('Roll back' in States).toBe(onFailure === 'rollback');
    },
  );
});

describe('the machine of a deploy', () => {
  test('is valid', () => {
    const definition = render(deployMachine(LOCAL_FUNCTIONS));
    expect(faultsOf(definition)).toEqual(NO_FAULTS);
    expect(aslFaults(definition)).toBe('');
  });
});
