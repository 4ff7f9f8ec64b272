/** Releases and mischief, drawn at random. */
import fc from 'fast-check';
import type { ReleaseDocument } from '../../core/documents/release.ts';
import type { Store } from '../../store/store.ts';
import type { ModelDeploy, ModelRelease } from './model.ts';
import { type Behaviour, release } from './sketch.ts';

const TIMEOUT_SECONDS = 40;

const duration = fc.integer({ min: 1, max: 30_000 });
const mostly = <const T extends string | boolean>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.constantFrom(usual, ...others) });

/** Up to `most` deploys; some share an application, some have had a version before. */
export function drawnRelease(most: number): fc.Arbitrary<ModelRelease> {
  return fc.integer({ min: 1, max: most }).chain((count) =>
    fc
      .record({
        mode: fc.constantFrom('auto' as const, 'dag' as const, 'sequential' as const),
        start: fc.constantFrom('layers' as const, 'eager' as const),
        onFailure: fc.constantFrom('stop' as const, 'continue' as const, 'rollback' as const, 'rollback' as const),
        deploys: fc.array(drawnDeploy(count), { minLength: count, maxLength: count }),
        before: fc.array(
          fc.record({
            had: mostly<boolean>(true, false),
            milliseconds: duration,
            back: mostly<'success' | 'error'>('success', 'error'),
          }),
          { minLength: count, maxLength: count },
        ),
      })
      .map(({ deploys, before, ...head }): ModelRelease => {
        const named = deploys.map(
          ({ after, application, ...rest }, index): ModelDeploy => ({
            ...rest,
            name: `d${index}`,
            after: after.flatMap((waits, other) => (waits && other < index ? [`d${other}`] : [])),
            application: application < index ? `a${application}` : `a${index}`,
          }),
        );
        const applications = new Set(named.map(({ application }) => application));
        const alone = named.every(({ after }) => after.length === 0);
        const sequential = head.mode === 'sequential' || (head.mode === 'auto' && alone);
        return {
          ...head,
          ...(sequential && { start: 'layers' as const }),
          deploys: named,
          before: before.flatMap(({ had, ...version }, index) =>
            had && head.onFailure === 'rollback' && applications.has(`a${index}`)
              ? [{ ...version, application: `a${index}` }]
              : [],
          ),
          timeout: TIMEOUT_SECONDS * 1000,
        };
      }),
  );
}

function drawnDeploy(count: number) {
  return fc.record({
    after: fc.array(
      fc.integer({ min: 0, max: 9 }).map((number) => number < 4),
      { minLength: count, maxLength: count },
    ),
    // Beyond its own index: an application of its own.
    application: fc.oneof(
      { weight: 4, arbitrary: fc.constant(count) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: count }) },
    ),
    milliseconds: duration,
    outcome: mostly<'success' | 'error' | 'hangs'>('success', 'error', 'error', 'hangs'),
    back: mostly<'success' | 'error'>('success', 'error'),
    automatic: mostly<boolean>(false, true),
    reversible: mostly<boolean>(true, false),
  });
}

export function documentOf(model: ModelRelease): ReleaseDocument {
  const graph = model.deploys.map(({ name, after }) => (after.length > 0 ? `${name} <- ${after.join(' ')}` : name));
  const deploys = Object.fromEntries(
    model.deploys.map((deploy): [string, Behaviour] => [
      deploy.name,
      {
        application: deploy.application,
        seconds: deploy.outcome === 'hangs' ? 'never' : deploy.milliseconds / 1000,
        outcome: deploy.outcome === 'success' ? 'success' : 'error',
        rollbackOutcome: deploy.back,
        automatic: deploy.automatic,
        timeout: deploy.outcome === 'hangs' ? `${TIMEOUT_SECONDS}s` : '1h',
        artifact: { type: deploy.reversible ? 'application' : 'migration' },
      },
    ]),
  );
  const { mode, start, onFailure } = model;
  return release('r', graph.join('; '), { mode, start, onFailure, deploys });
}

/** Notes the versions that applications had before, as if releases had brought them. */
export async function bringBefore(store: Store, { before }: ModelRelease): Promise<void> {
  for (const { application, milliseconds, back } of before) {
    const artifact = { type: 'application', name: application, version: 'before' };
    const params = { NAME: application, SECONDS: String(milliseconds / 1000), ROLLBACK_OUTCOME: back };
    const [configuration = ''] = await store.bodies.put({ artifact, plugin: 'simulated', params, provenance: {} });
    const publication = { deploy: `before.${application}`, application, environment: 'prod', artifact };
    await store.inventory.publish({ ...publication, plugin: 'simulated', configuration }, 0);
  }
}

/** When something happens: at an instant, or in the middle of whatever the n-th call to storage belongs to. */
type When = { readonly at: number } | { readonly call: number };

const when: fc.Arbitrary<When> = fc.oneof(
  fc.integer({ min: 0, max: 90_000 }).map((at) => ({ at })),
  fc.integer({ min: 1, max: 350 }).map((call) => ({ call })),
);

export const drawnAction = fc.record({
  what: fc.constantFrom(
    'cancel' as const,
    'pause' as const,
    'cancel deploy' as const,
    'stop deploy' as const,
    'stop release' as const,
    'submit again' as const,
  ),
  deploy: fc.integer({ min: 0, max: 5 }),
  when,
});
export interface Action {
  readonly what: 'cancel' | 'pause' | 'cancel deploy' | 'stop deploy' | 'stop release' | 'submit again';
  readonly deploy: number;
  readonly when: When;
}

export const drawnDeath = fc.record({
  /** Calls to storage into the life of an engine. */
  calls: fc.integer({ min: 1, max: 300 }),
  when: fc.constantFrom('before' as const, 'after' as const),
});
export type Death = { readonly calls: number; readonly when: 'before' | 'after' };

/** What becomes of one delivery of an event, or of one call of a function. */
export const drawnDelivery = mostly<'once' | 'never' | 'twice' | 'late'>('once', 'never', 'twice', 'late', 'late');
export const drawnCall = mostly<'well' | 'fails before' | 'fails after' | 'runs twice'>(
  'well',
  'fails before',
  'fails after',
  'runs twice',
);
