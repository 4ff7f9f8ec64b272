import { describe, expect, it } from 'vitest';
import { report } from '../../conformance/report.ts';
import type { CaseResult } from '../../conformance/result.ts';

const results: CaseResult[] = [
  { id: 'one', verdict: 'agree' },
  { id: 'two', verdict: 'disagree', expected: [1], actual: [2] },
  { id: 'three', verdict: 'unsupported', reason: 'has no counterpart' },
];

describe('a report', () => {
  it('counts, and names each disagreement with both values and each unsupported case with its reason', () => {
    expect(report('graphs.json', results)).toEqual({
      disagree: 1,
      text: [
        'graphs.json: 1 agree, 1 disagree, 1 unsupported',
        '  disagree two',
        '    expected [1]',
        '    actual   [2]',
        '  unsupported three: has no counterpart',
        '',
      ].join('\n'),
    });
  });

  it('sets aside only what disagrees, and says when that is no longer needed', () => {
    const { text, disagree } = report(
      'graphs.json',
      results,
      new Map([
        ['one', 'old'],
        ['two', 'ours is stricter'],
      ]),
    );
    expect(disagree).toBe(0);
    expect(text).toContain('0 disagree, 1 unsupported, 1 set aside');
    expect(text).toContain('set aside two: ours is stricter');
    expect(text).toContain('no longer needs to be set aside: one');
  });
});
