import type { Scenario } from '../harness.ts';
import type { World } from './world.ts';
export async function lifeViolations(_scenario: Scenario, _world: World): Promise<string[]> {
  return [];
}
