import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planRelease } from '../../core/plan/plan.ts';
import { renderText } from '../../graph/text.ts';
import { acyclic, releaseOf } from '../core/plan/drawn.ts';
import { arrowsIn } from './traced.ts';

const drawn = (drawing: string, extra: Parameters<typeof releaseOf>[1] = {}) => planRelease(releaseOf(drawing, extra));
const text = (lines: string) => lines.replace(/^\n/, '').replace(/^ {4}\|/gm, '');

describe('a graph on a terminal', () => {
  it('is boxes below each other with arrows between them', () => {
    expect(renderText(drawn('a <- b, a <- c, b+c <- d'))).toBe(
      text(`
    |   ┌───┐
    |   │ a │
    |   └─┬─┘
    |  ┌──┴──┐
    |┌─▼─┐ ┌─▼─┐
    |│ b │ │ c │
    |└─┬─┘ └─┬─┘
    |  └─┐ ┌─┘
    |  ┌─▼─▼─┐
    |  │  d  │
    |  └─────┘
`),
    );
  });

  it('says the state of each deploy in a word', () => {
    const states = new Map([
      ['db', 'SUCCESS'],
      ['api', 'WAITING_DEPENDENCY'],
    ]);
    expect(renderText(drawn('db <- api'), states)).toBe(
      text(`
    |      ┌─────────┐
    |      │   db    │
    |      │ success │
    |      └────┬────┘
    |           │
    |┌──────────▼──────────┐
    |│         api         │
    |│ waiting dependency  │
    |└─────────────────────┘
`),
    );
  });

  it('shows exactly the arrows of the plan to whoever follows its lines', () => {
    let followed = 0;
    fc.assert(
      fc.property(acyclic, (graph) => {
        const plan = planRelease(releaseOf(graph, { release: { mode: 'dag' } }));
        const drawing = renderText(plan, new Map(), { width: 400 });
        if (!drawing.includes('┌')) return;
        followed++;
        const arrows = [...plan.inner].flatMap(([name, after]) => after.map((other) => `${other} -> ${name}`));
        expect(arrowsIn(drawing)).toEqual(arrows.sort());
      }),
      { numRuns: 500 },
    );
    expect(followed).toBeGreaterThan(250);
  });

  it('never takes more than the width it has', () => {
    fc.assert(
      fc.property(acyclic, (graph) => {
        const plan = planRelease(releaseOf(graph, { release: { mode: 'dag' } }));
        for (const line of renderText(plan).split('\n')) expect(line.length).toBeLessThanOrEqual(80);
      }),
    );
  });

  it('becomes a list where it is too wide', () => {
    const wide = Array.from({ length: 20 }, (_, at) => `root <- service-${at}`).join(', ');
    const lines = renderText(drawn(wide)).split('\n');
    expect(lines[0]).toBe('1  root');
    expect(lines[1]).toBe('2  service-0   ← root');
    expect(lines[20]).toBe('   service-19  ← root');
  });

  it('is a list when the deploys run one by one', () => {
    expect(renderText(drawn('cni, cni <- app', { release: { mode: 'sequential' } }))).toBe(
      'one by one, in this order:\n1  cni\n2  app  ← cni\n',
    );
  });

  it('names what is waited for outside the release', () => {
    const plan = drawn('db <- api', { descriptors: { api: { after: ['infra-42', 'build:7'] } } });
    expect(renderText(plan)).toContain('waits outside this release:\n  api ← infra-42, build:7\n');
  });
});
