import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FUNCTION_NAMES } from '../../statemachines/functions.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/** Every file that a file's code needs, itself among them, from the project's root; types need nothing. */
function needed(entry: string): Set<string> {
  const seen = new Set<string>();
  const queue = [resolve(ROOT, entry)];
  for (const file of queue) {
    if (seen.has(file)) continue;
    seen.add(file);
    const text = readFileSync(file, 'utf8');
    for (const [, from = ''] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']+\.ts)';/gms)) {
      queue.push(resolve(dirname(file), from));
    }
  }
  return new Set([...seen].map((file) => relative(ROOT, file)));
}

describe('clients of CodeBuild and CodePipeline', () => {
  it('are in the function that sweeps and in no other', () => {
    const having = FUNCTION_NAMES.filter((name) => needed(`functions/${name}.ts`).has('machines/code-runs.ts'));
    expect(having).toEqual(['sweep']);
  });

  it.each(['cli/main.ts', 'local/engine.ts'])('are not in %s', (entry) => {
    expect(needed(entry).size).toBeGreaterThan(20);
    expect(needed(entry)).not.toContain('machines/code-runs.ts');
  });
});
