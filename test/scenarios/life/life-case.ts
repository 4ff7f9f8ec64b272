/** One drawn world: let it happen, and say what is wrong with how it went. */
import { isFinal } from '../../../core/deploy/deploy.ts';
import type { Death } from '../drawn.ts';
import { Scenario } from '../harness.ts';
import { liveThrough, type Mischief, prepare } from '../mischief.ts';
import { Inputs, prepareWorld } from './inputs.ts';
import { lifeViolations } from './life-invariants.ts';
import { type Prediction, predict } from './life-model.ts';
import { isOver, type ModelState } from './model-units.ts';
import type { World } from './world.ts';

export interface LifeCase {
  readonly world: World;
  readonly mischief: Pick<Mischief, 'deliveries' | 'calls'> & { readonly deaths: readonly Death[] };
  /** What is compared beside the invariants: all of it, the ends alone, or nothing. */
  readonly compared: 'all' | 'ends' | 'nothing';
}

/** Sentences about what went wrong, the history last; empty when all is well. */
export async function judge({ world, mischief, compared }: LifeCase, told: (what: Verdict) => void): Promise<string[]> {
  const scenario = await Scenario.open();
  const wrong: string[] = [];
  try {
    await prepareWorld(scenario, world);
    prepare(scenario, { ...mischief, actions: [] });
    const deaths = [...mischief.deaths];
    scenario.prepare = (life) => liveThrough(life, deaths.shift(), []);
    scenario.prepare(scenario.life);
    const inputs = new Inputs(scenario, world);
    await inputs.carryOut(() => hasSettled(scenario, world));
    // Nothing more may come of it, however long one waits.
    await scenario.to(scenario.now() + 20_000);
    wrong.push(...inputs.surprises.map((surprise) => `somebody was told ${surprise}`));
    const prediction = predict(world, lineOf(scenario));
    told(prediction.ambiguous ?? (prediction.hangsOnInstants && compared === 'ends' ? 'hangs on instants' : 'exact'));
    if (compared === 'all') wrong.push(...otherwise(scenario, prediction));
    if (compared === 'ends') wrong.push(...otherEnds(scenario, prediction));
    wrong.push(...(await lifeViolations(scenario, world)));
  } catch (error) {
    wrong.push(String(error instanceof Error ? error.stack : error));
  }
  const story = wrong.length === 0 ? [] : [scenario.story(), ...scenario.reported.slice(0, 20)];
  scenario.kill();
  return [...wrong, ...story];
}

export type Verdict = string;

async function hasSettled(scenario: Scenario, { submissions, pipelines }: World): Promise<boolean> {
  const outside = new Set(pipelines.map(({ id }) => id));
  for (const { of, id, state } of scenario.heads.values()) {
    if (of === 'release' ? state === 'PENDING' : !isFinal(state as 'SUCCESS') && !outside.has(id)) return false;
  }
  if ((await scenario.unfinished()).some((id) => !outside.has(id))) return false;
  for (const each of submissions) {
    if (each.kind !== 'release' || !scenario.heads.has(`release/${each.id}`)) continue;
    if ((await scenario.releaseExecution(each.id)) === 'RUNNING') return false;
  }
  return true;
}

/** Who came first of two that come in one instant: as it was seen, since the rules leave it open. */
function lineOf({ history }: Scenario): (one: string, other: string) => number {
  const order = history.flatMap((entry) => (entry.kind === 'job-started' ? [entry.token.replace(/\/\w+$/, '')] : []));
  const place = (id: string) => {
    const at = order.indexOf(id);
    return at < 0 ? order.length : at;
  };
  return (one, other) => place(one) - place(other);
}

const SHOWN: Partial<Record<ModelState, string>> = {
  WAITING: 'WAITING_DEPENDENCY',
  ASKED: 'AWAITING_APPROVAL',
  READY: 'ENQUEUED',
};

/** What differs from the prediction, which is exact where the rules are. */
function otherwise(scenario: Scenario, { ambiguous, deploys, releases }: Prediction): string[] {
  if (ambiguous !== undefined) return [];
  const wrong: string[] = [];
  const startedAt = new Map(
    scenario.history.flatMap((entry) =>
      entry.kind === 'job-started' ? [[entry.token.replace(/\/\w+$/, ''), entry.at] as const] : [],
    ),
  );
  const seen = headsOf(scenario, 'deploy');
  for (const id of new Set([...deploys.keys(), ...seen.keys()])) {
    const expected = deploys.get(id);
    const state = expected && (SHOWN[expected.state] ?? expected.state);
    if (seen.get(id) !== state) wrong.push(`${id} ended ${seen.get(id)}, not ${state} (${expected?.code})`);
    const [start, wanted] = [startedAt.get(id), expected?.startedAt];
    if (start === undefined && wanted === undefined) continue;
    if (start === undefined || wanted === undefined || start < wanted || start > wanted + (expected?.slack ?? 0)) {
      wrong.push(`${id} started at ${start}, not ${wanted}`);
    }
  }
  const ended = headsOf(scenario, 'release');
  for (const id of new Set([...releases.keys(), ...ended.keys()])) {
    if (ended.get(id) !== releases.get(id)) wrong.push(`release ${id} ended ${ended.get(id)}, not ${releases.get(id)}`);
  }
  return wrong;
}

/** Where no end hangs on an instant, ends are the same whatever happens to engines and events. */
function otherEnds(scenario: Scenario, { ambiguous, hangsOnInstants, deploys, releases }: Prediction): string[] {
  if (ambiguous !== undefined || hangsOnInstants) return [];
  const wrong: string[] = [];
  const seen = headsOf(scenario, 'deploy');
  for (const [id, { state, code }] of deploys) {
    if (isOver(state) && seen.get(id) !== state) wrong.push(`${id} ended ${seen.get(id)}, not ${state} (${code})`);
  }
  const ended = headsOf(scenario, 'release');
  for (const [id, state] of releases) {
    if (ended.get(id) !== state) wrong.push(`release ${id} ended ${ended.get(id)}, not ${state}`);
  }
  return wrong;
}

/** States by id, of what is run here. */
function headsOf(scenario: Scenario, of: 'deploy' | 'release'): Map<string, string> {
  return new Map(
    [...scenario.heads.values()]
      .filter((head) => head.of === of && !head.id.startsWith('ci:'))
      .map(({ id, state }) => [id, state]),
  );
}
