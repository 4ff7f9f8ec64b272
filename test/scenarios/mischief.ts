/** Carries out drawn mischief on a scenario: deaths of the engine, lost and doubled events, functions that fail, people. */
import type { Action, Death } from './drawn.ts';
import type { Scenario } from './harness.ts';
import type { Life } from './observed-storage.ts';

export interface Mischief {
  readonly actions: readonly Action[];
  /** One life of an engine each. */
  readonly deaths: readonly Death[];
  /** Taken in turn, from the start again when they are used up. */
  readonly deliveries: readonly ('once' | 'never' | 'twice' | 'late')[];
  readonly calls: readonly ('well' | 'fails before' | 'fails after' | 'runs twice')[];
}

export const NO_MISCHIEF: Mischief = { actions: [], deaths: [], deliveries: [], calls: [] };

/** Milliseconds that a late event is late. */
const LATE = 7_300;
/** Milliseconds that a pause lasts. */
const PAUSE = 20_000;
/** What a function is told to throw. */
class Broken extends Error {
  override readonly name = 'Broken';
}

export function prepare(scenario: Scenario, { deliveries, calls }: Mischief): void {
  let delivered = 0;
  let called = 0;
  scenario.around = async (name, run) => {
    if (name === 'wake' || name === 'execution-ended') {
      const fate = deliveries[delivered++ % Math.max(1, deliveries.length)] ?? 'once';
      if (fate === 'never') return undefined;
      if (fate === 'late') {
        const { life } = scenario;
        scenario.at(scenario.now() + LATE, async () => {
          if (life.alive) await scenario.act(run);
        });
        return undefined;
      }
      if (fate === 'twice') await run();
      return run();
    }
    const fate = calls[called++ % Math.max(1, calls.length)] ?? 'well';
    if (fate === 'fails before') throw new Broken(`${name} was told to fail`);
    if (fate === 'runs twice') await run();
    const answer = await run();
    if (fate === 'fails after') throw new Broken(`${name} was told to fail after all`);
    return answer;
  };
}

/** Sets one life of an engine up: when it dies, and what people do in the middle of it. */
export function liveThrough(life: Life, death: Death | undefined, acts: readonly Act[]): void {
  life.calls = 0;
  life.atCall = (call) => {
    for (const act of acts) {
      if (!act.done && 'call' in act.action.when && call >= act.action.when.call) act.run();
    }
    return death !== undefined && call === death.calls ? `die ${death.when}` : 'go on';
  };
}

export interface Act {
  readonly action: Action;
  done: boolean;
  run(): void;
}

/** Actions as things that can be done once; what a person is refused is fine, anything else is told by `surprised`. */
export function actsOf(
  scenario: Scenario,
  actions: readonly Action[],
  submitAgain: () => Promise<unknown>,
  surprised: (error: unknown) => void,
): Act[] {
  return actions.map((action) => {
    const act: Act = {
      action,
      done: false,
      run() {
        if (!scenario.isUp) return;
        act.done = true;
        const { life } = scenario;
        void scenario.act(async () => {
          // Not within the call that set it off.
          await new Promise((resolve) => setImmediate(resolve));
          if (!life.alive) return;
          await perform(scenario, action, submitAgain).catch((error: unknown) => {
            const { name, code } = error as { name?: string; code?: string };
            const refused = name === 'RengaError' && (code === 'not-found' || code === 'conflict');
            const nothingYet = name === 'ExecutionDoesNotExist' || String(error).includes('there is no release');
            if (!refused && !nothingYet) surprised(error);
          });
        });
      },
    };
    if ('at' in action.when) scenario.at(scenario.now() + action.when.at, async () => act.run());
    return act;
  });
}

async function perform(scenario: Scenario, { what, deploy }: Action, submitAgain: () => Promise<unknown>) {
  switch (what) {
    case 'cancel':
      return scenario.cancel('r');
    case 'pause':
      scenario.at(scenario.now() + PAUSE, () => resumed(scenario));
      return scenario.pause('r');
    case 'cancel deploy':
      return scenario.cancelDeploy(`r.d${deploy}`);
    case 'stop deploy':
      return scenario.stopDeployExecution(`r.d${deploy}`);
    case 'stop release':
      return scenario.stopReleaseExecution('r');
    case 'submit again':
      return submitAgain();
  }
}

/** A pause must end, or the release never does: resumed again and again until it is. */
async function resumed(scenario: Scenario): Promise<void> {
  const head = scenario.heads.get('release/r');
  if (head === undefined || head.state !== 'PENDING') return;
  scenario.at(scenario.now() + PAUSE, () => resumed(scenario));
  if (scenario.life.alive) await scenario.resume('r').catch(() => undefined);
}
