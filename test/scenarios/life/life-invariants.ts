/**
 * What must hold however a world went, read from what was recorded: writes to the table, jobs, audit. Numbers are those
 * of the invariants in docs/architecture.md. Answers sentences; none when all is well.
 */
import type { DeployIdentity } from '../../../core/deploy/deploy.ts';
import { changedAudit, wrongFromAudit } from '../audit-invariants.ts';
import type { Scenario } from '../harness.ts';
import {
  beside,
  changedInTheEnd,
  FINAL,
  startedEarly,
  startedInPause,
  startedTwice,
  wrongAudit,
  wrongInventory,
  wrongOutcome,
  wrongRollbacks,
} from '../invariants.ts';
import { EnvironmentHistory } from './environment-history.ts';
import { stagesOf } from './model-units.ts';
import { servedOutOfTurn, tooManyHolders } from './slot-invariants.ts';
import { wrongStarts } from './start-invariants.ts';
import type { World } from './world.ts';

export async function lifeViolations(scenario: Scenario, world: World): Promise<string[]> {
  const { history } = scenario;
  const heads = history.filter((entry) => entry.kind === 'head');
  const deploys = new Map<string, DeployIdentity>();
  for (const { of, id } of heads) {
    if (of === 'deploy' && !deploys.has(id)) deploys.set(id, (await scenario.deployed(id)).identity);
  }
  const environments = new EnvironmentHistory(scenario);
  const releases = world.submissions.flatMap((each) =>
    each.kind === 'release' && scenario.heads.has(`release/${each.id}`) ? [each] : [],
  );
  const found = [
    ...startedTwice(history),
    ...startedEarly(history, deploys),
    ...changedInTheEnd(heads),
    ...beside(heads, deploys),
    ...startedInPause(history, deploys),
    ...wrongStarts(history, deploys, environments),
    ...tooManyHolders(scenario, environments),
    ...servedOutOfTurn(scenario, environments),
    ...changedAudit(scenario.records),
    ...releases.flatMap((each) => wrongRollbacks(history, deploys, { order: stagesOf(each).flat(), release: each.id })),
  ];
  for (const { id } of releases) found.push(...(await wrongOutcome(scenario, id)));
  for (const { id, of, state } of scenario.heads.values()) {
    // What another pipeline never concludes stays open.
    if (deploys.get(id)?.kind === 'external' && !FINAL.has(state)) continue;
    if (!FINAL.has(state)) found.push(`I10: ${of} ${id} has not ended: it is ${state}`);
    else found.push(...(await wrongAudit(scenario, of, id)), ...(await wrongFromAudit(scenario, of, id)));
  }
  for (const id of await scenario.unfinished()) {
    if (deploys.get(id)?.kind !== 'external') found.push(`I10: the sweep still has to look at ${id}`);
  }
  found.push(...(await wrongInventory(scenario, deploys)), ...(await leftInLine(scenario, deploys, world)));
  return found;
}

/** I10: when all has ended nobody holds a slot or a turn, and nobody is in line for one. */
async function leftInLine(
  scenario: Scenario,
  deploys: ReadonlyMap<string, DeployIdentity>,
  world: World,
): Promise<string[]> {
  const found: string[] = [];
  const { slots, turns } = scenario.store;
  for (const { name } of world.environments) {
    const [holders, line] = [await slots.holders(name), await slots.line(name)];
    if (holders.length > 0) found.push(`I10: ${holders.map(({ deploy }) => deploy)} still hold slots of ${name}`);
    if (line.length > 0) found.push(`I10: ${line.map(({ deploy }) => deploy)} still stand in line for ${name}`);
  }
  const places = new Set(
    [...deploys.values()].map(({ tenant = '', application, environment }) => `${tenant}#${application}#${environment}`),
  );
  for (const place of places) {
    const { holder, waiting } = await turns.read(place);
    if (holder !== undefined) found.push(`I10: ${holder} still holds the turn of ${place}`);
    if (waiting.length > 0) found.push(`I10: ${waiting} still wait for their turn in ${place}`);
  }
  return found;
}
