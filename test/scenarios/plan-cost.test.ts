/** What a plan says that a release costs is what it then costs: Standard workflows are billed by their transitions. */
import { expect, test } from 'vitest';
import { LOCAL_FUNCTIONS } from '../../local/engine.ts';
import { planned } from '../../views/planned.ts';
import { Scenario } from './harness.ts';
import { release } from './sketch.ts';

test.each([
  ['a chain', 'a; b <- a; c <- b', {}],
  ['one layer', 'a; b; c; d', { onFailure: 'continue' as const }],
  ['a diamond that goes back when it fails', 'a; b <- a; c <- a; d <- b c', { onFailure: 'rollback' as const }],
])('%s takes as many state transitions as its plan says', async (_, graph, sketch) => {
  const document = release('r', graph, sketch);
  const { view } = planned(document, LOCAL_FUNCTIONS);
  const scenario = await Scenario.open();
  const before = scenario.engine.stepFunctions.counters.transitions;
  await scenario.submit(document);
  await scenario.run('r');
  await scenario.engine.activity.idle();
  expect(scenario.engine.stepFunctions.counters.transitions - before).toBe(view.transitions.success);
});
