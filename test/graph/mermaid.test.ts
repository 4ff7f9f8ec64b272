import { describe, expect, it } from 'vitest';
import { planRelease } from '../../core/plan/plan.ts';
import { renderMermaid } from '../../graph/mermaid.ts';
import { releaseOf } from '../core/plan/drawn.ts';

describe('a graph in Mermaid', () => {
  it('has an arrow for each dependency, a dotted one from outside, and the state as word and class', () => {
    const plan = planRelease(releaseOf('db <- api', { descriptors: { api: { after: ['infra@1'] } } }));
    expect(renderMermaid(plan, new Map([['db', 'ERROR']]))).toBe(
      [
        'flowchart TD',
        '  d0["db<br/>error"]',
        '  d1["api"]',
        '  x0(["infra@1"])',
        '  d0 --> d1',
        '  x0 -.-> d1',
        '  classDef bad fill:#fee2e2,stroke:#b91c1c,color:#1f2937',
        '  class d0 bad',
        '',
      ].join('\n'),
    );
  });

  it('says that a sequence is an order and no dependency', () => {
    const lines = renderMermaid(planRelease(releaseOf('a, b, b <- c', { release: { mode: 'sequential' } }))).split(
      '\n',
    );
    expect(lines).toContain('  d0 -. then .-> d1');
    expect(lines).toContain('  d1 --> d2');
    expect(lines).not.toContain('  d1 -. then .-> d2');
  });

  it('lets no state break out of its label', () => {
    const plan = planRelease(releaseOf('end'));
    expect(renderMermaid(plan, new Map([['end', 'A"]#;']]))).toContain('d0["end<br/>a#34;#93;#35;#59;"]');
  });
});
