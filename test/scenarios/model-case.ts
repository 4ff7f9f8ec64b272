/** One drawn case: run it, and say what is wrong with how it went. */
import { bringBefore, documentOf } from './drawn.ts';
import { type Happened, Scenario } from './harness.ts';
import { violations } from './invariants.ts';
import { actsOf, liveThrough, type Mischief, NO_MISCHIEF, prepare } from './mischief.ts';
import { type ModelRelease, type Prediction, predict, stages } from './model.ts';

export interface Case {
  readonly model: ModelRelease;
  readonly mischief: Mischief;
  /** Tried again when it has ended without success. */
  readonly retried: boolean;
}

/** Sentences about what went wrong, the history last; empty when all is well. */
export async function judge({ model, mischief, retried }: Case): Promise<string[]> {
  const scenario = await Scenario.open();
  const document = documentOf(model);
  const wrong: string[] = [];
  try {
    await bringBefore(scenario.store, model);
    const from = scenario.now();
    const since = scenario.history.length;
    const submit = () => scenario.submit(document);
    const surprised = (error: unknown) => wrong.push(`somebody was told ${String(error)}`);
    prepare(scenario, mischief);
    const acts = actsOf(scenario, mischief.actions, submit, surprised);
    const deaths = [...mischief.deaths];
    scenario.prepare = (life) => liveThrough(life, deaths.shift(), acts);
    scenario.prepare(scenario.life);
    const accepted = () => scenario.heads.has('release/r');
    for (let tries = 0; !accepted() && tries < 10; tries++) {
      // A client whose call was cut off calls again.
      await Promise.race([submit().catch(surprised), scenario.life.died]);
      while (!scenario.isUp) await scenario.start();
    }
    await scenario.until(() => hasSettled(scenario));
    if (retried && (await scenario.release('r')).status.state !== 'SUCCESS') {
      await Promise.race([scenario.retry('r').catch(refusedOr(surprised)), scenario.life.died]);
      await scenario.until(() => hasSettled(scenario));
    }
    // Nothing more may come of it, however long one waits.
    await scenario.to(scenario.now() + 20_000);
    const { actions, deaths: died, deliveries, calls } = mischief;
    const quiet = [actions, died, deliveries, calls].every((list) => list.length === 0);
    const prediction = predict(model, lineOf(scenario.history));
    if (!retried && quiet) wrong.push(...otherwise(await outcomeOf(scenario, since, from), prediction));
    else if (!retried && actions.length === 0 && calls.length === 0) {
      wrong.push(...otherStates(await outcomeOf(scenario, since, from), prediction, model));
    }
    const expected = {
      order: stages(model).flat(),
      release: 'r',
      undisturbed: actions.length === 0 && calls.length === 0,
      hanging: new Set(model.deploys.filter(({ outcome }) => outcome === 'hangs').map(({ name }) => name)),
    };
    wrong.push(...(await violations(scenario, expected)));
  } catch (error) {
    wrong.push(String(error instanceof Error ? error.stack : error));
  }
  const story = wrong.length === 0 ? [] : [scenario.story(), ...scenario.reported.slice(0, 20)];
  scenario.kill();
  return [...wrong, ...story];
}

function refusedOr(surprised: (error: unknown) => void) {
  return (error: unknown) => {
    if ((error as { code?: string }).code !== 'conflict') surprised(error);
  };
}

async function hasSettled(scenario: Scenario): Promise<boolean> {
  if (!scenario.isOver('r') || (await scenario.unfinished()).length > 0) return false;
  return (await scenario.releaseExecution('r')) !== 'RUNNING';
}

/** Who came first to a place: as it was seen, since the rules leave it open. */
function lineOf(history: readonly Happened[]): (one: string, other: string) => number {
  const order = history.flatMap((entry) => (entry.kind === 'job-started' ? [entry.token] : []));
  const place = (name: string) => {
    const at = order.indexOf(`r.${name}/deploy`);
    return at < 0 ? order.length : at;
  };
  return (one, other) => place(one) - place(other);
}

interface Outcome {
  readonly release: string;
  readonly states: Readonly<Record<string, string>>;
  readonly codes: Readonly<Record<string, string>>;
  readonly rolledBack: Readonly<Record<string, boolean>>;
  readonly started: Readonly<Record<string, number>>;
  readonly rollbacks: readonly { readonly name: string; readonly state: string; readonly code?: string }[];
}

async function outcomeOf(scenario: Scenario, since: number, from: number): Promise<Outcome> {
  const outcome = {
    release: (await scenario.release('r')).status.state as string,
    states: {} as Record<string, string>,
    codes: {} as Record<string, string>,
    rolledBack: {} as Record<string, boolean>,
    started: {} as Record<string, number>,
    rollbacks: [] as { name: string; state: string; code?: string }[],
  };
  for (const head of scenario.heads.values()) {
    if (head.of !== 'deploy' || !head.id.startsWith('r.')) continue;
    const { identity, status } = await scenario.deployed(head.id);
    const name = identity.release?.name ?? '';
    if (identity.kind === 'rollback') {
      const code = 'failure' in status ? { code: status.failure.code } : {};
      outcome.rollbacks.push({ name, state: status.state, ...code });
    } else {
      outcome.states[name] = status.state;
      if (status.state === 'ERROR') outcome.codes[name] = status.failure.code;
      if (status.state === 'ERROR' && status.rolledBack !== undefined) outcome.rolledBack[name] = status.rolledBack;
    }
  }
  for (const entry of scenario.history.slice(since)) {
    const name = /^r\.(d\d+)\/deploy$/.exec(entry.kind === 'job-started' ? entry.token : '')?.[1];
    if (name !== undefined) outcome.started[name] = Math.round(entry.at - from);
  }
  return outcome;
}

/** What differs from the prediction, which is exact when nothing disturbed the release. */
function otherwise(outcome: Outcome, { ambiguous, ...prediction }: Prediction): string[] {
  if (ambiguous) return [];
  return (Object.keys(prediction) as (keyof typeof prediction)[]).flatMap((part) => {
    const [was, expected] = [shown(outcome[part]), shown(prediction[part])];
    return was === expected ? [] : [`${part}: ${was}, not ${expected}`];
  });
}

/** Instants move when an engine dies: states are then certain only where they do not hang on what came first. */
function otherStates(outcome: Outcome, prediction: Prediction, { onFailure, deploys }: ModelRelease): string[] {
  if (onFailure !== 'continue' && deploys.some(({ outcome }) => outcome !== 'success')) return [];
  const { release, states } = prediction;
  const [was, expected] = [shown([outcome.release, outcome.states]), shown([release, states])];
  return was === expected ? [] : [`states: ${was}, not ${expected}`];
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

export const quietly = (model: ModelRelease): Case => ({ model, mischief: NO_MISCHIEF, retried: false });
