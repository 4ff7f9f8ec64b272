import { expect, test } from 'vitest';
import { Scenario } from './harness.ts';
import { release } from './sketch.ts';

test('a layer starts when the one before has ended', async () => {
  const scenario = await Scenario.open();
  const t = performance.now();
  await scenario.submit(release('r1', 'db; api <- db; web <- api', { deploys: { db: { seconds: 10 } } }));
  const { status } = await scenario.run('r1');
  console.log(scenario.story(), performance.now() - t, scenario.life.calls);
  expect(status.state).toBe('SUCCESS');
  expect(await scenario.unfinished()).toEqual([]);
});
