import { describe, expect, test } from 'vitest';
import { type EndedJob, shortMessage, withEnded } from '../../../core/deploy/ended-job.ts';
import { jobOfKey, jobOfToken, tokenOf } from '../../../core/deploy/job-key.ts';

describe('a token', () => {
  test.each(['deploy', 'deploy-2', 'step-smoke', 'step-deploy-2', 'verify-2-17', 'rollback'])(
    'of the job %s names its deploy and its job again',
    (key) => {
      expect(jobOfToken(tokenOf('r.rollback.api', key))).toEqual({ deploy: 'r.rollback.api', key });
      expect(jobOfKey(key)).toMatchObject({ key });
    },
  );

  test.each(['', '/deploy', 'd', 'd/', 'd/other', 'd/verify-1', 'd/verify-x-1', 'd/deploy-', 'd/step-'])(
    '«%s» is none of ours',
    (token) => expect(jobOfToken(token)).toBeUndefined(),
  );
});

describe('the jobs that have ended', () => {
  const ended = (key: string, at: number): EndedJob => ({
    key,
    plugin: 'p',
    name: key,
    startedAt: at,
    endedAt: at + 1,
    outcome: 'success',
  });
  const keys = (...all: string[]) =>
    all.reduce<readonly EndedJob[]>((jobs, key, at) => withEnded(jobs, ended(key, at)), []);

  test('have the last probe of each wave for all of them, since the first', () => {
    const jobs = keys('deploy', 'verify-1-1', 'verify-1-2', 'verify-1-3', 'deploy-2', 'verify-2-1');
    expect(jobs.map(({ key }) => key)).toEqual(['deploy', 'verify-1-3', 'deploy-2', 'verify-2-1']);
    expect(jobs[1]).toMatchObject({ startedAt: 1, endedAt: 4 });
  });

  test('are the last fifty, their messages short and in one line', () => {
    const jobs = keys(...Array.from({ length: 60 }, (_, at) => `step-s${at}`));
    expect(jobs).toHaveLength(50);
    expect(jobs.at(-1)?.key).toBe('step-s59');
    expect(shortMessage(`two\nlines${'x'.repeat(300)}`)).toMatch(/^two; lines.{189}…$/);
  });
});
