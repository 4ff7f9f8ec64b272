import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planRelease } from '../../core/plan/plan.ts';
import { renderSvg } from '../../graph/svg.ts';
import { acyclic, releaseOf } from '../core/plan/drawn.ts';

const count = (text: string, part: string) => text.split(part).length - 1;

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

function boxes(svg: string): Rect[] {
  const pattern = /<rect x="([\d.-]+)" y="([\d.-]+)" width="([\d.]+)" height="([\d.]+)"/g;
  return [...svg.matchAll(pattern)].map(([, x, y, width, height]) => ({
    x: Number(x),
    y: Number(y),
    width: Number(width),
    height: Number(height),
  }));
}

describe('a graph as SVG', () => {
  it('says what it is to who cannot see it', () => {
    const svg = renderSvg(planRelease(releaseOf('db <- api')), new Map([['db', 'ROLLING_BACK']]));
    expect(svg).toContain('role="img" aria-labelledby="renga-title"');
    expect(svg).toContain('<title id="renga-title">shop: 2 deploys in 2 layers</title>');
    expect(svg).toContain('<title>db: rolling back</title>');
  });

  it('shows a state by colour and by its word', () => {
    const svg = renderSvg(planRelease(releaseOf('db')), new Map([['db', 'ERROR']]));
    expect(svg).toContain('<g class="deploy bad" data-name="db">');
    expect(svg).toMatch(/<text class="state"[^>]*>error<\/text>/);
  });

  it('brings colours for a light and a dark page and asks for nothing from outside', () => {
    const svg = renderSvg(planRelease(releaseOf('db')));
    expect(svg).toContain('prefers-color-scheme:dark');
    expect(svg.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(/https?:|url\(|<script|@import/);
  });

  it('escapes what would be markup', () => {
    const plan = { ...planRelease(releaseOf('db')), release: '<b>&"\'' };
    const svg = renderSvg(plan, new Map([['db', '<I>&']]));
    expect(svg).toContain('&lt;b&gt;&amp;&quot;&#39;: 1 deploy');
    expect(svg).toContain('>&lt;i&gt;&amp;</text>');
    expect(svg).not.toMatch(/<b>|<i>/);
  });

  it('names what is waited for outside the release', () => {
    const release = releaseOf('db <- api', { descriptors: { api: { after: ['infra-42', 'other', 'third'] } } });
    expect(renderSvg(planRelease(release))).toContain('>waits for infra-42 and 2 more</text>');
  });

  it('draws a sequence with dotted arrows where nothing depends', () => {
    const svg = renderSvg(planRelease(releaseOf('a, b, b <- c', { release: { mode: 'sequential' } })));
    expect(count(svg, 'class="arrow order"')).toBe(1);
    expect(count(svg, 'class="head"')).toBe(2);
  });

  it('has one point for each dependency, and no two boxes over each other or outside the page', () => {
    fc.assert(
      fc.property(acyclic, (graph) => {
        const plan = planRelease(releaseOf(graph, { release: { mode: 'dag' } }));
        const svg = renderSvg(plan);
        expect(count(svg, 'class="head"')).toBe([...plan.inner.values()].flat().length);
        const [, width, height] = (/viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []).map(Number);
        const all = boxes(svg);
        expect(all).toHaveLength(graph.length);
        for (const [at, a] of all.entries()) {
          expect(a.x >= 0 && a.y >= 0 && a.x + a.width <= (width ?? 0) && a.y + a.height <= (height ?? 0)).toBe(true);
          for (const b of all.slice(at + 1)) {
            const apart =
              a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
            expect(apart).toBe(true);
          }
        }
      }),
    );
  });
});
