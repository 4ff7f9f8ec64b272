/** When a deploy runs: at once, at a time, again and again, or when its release says so. */
import type { Problem } from '../../errors.ts';
import { field, items } from '../fields.ts';
import { formatPath, type Path } from '../path.ts';
import { shown } from '../shown.ts';
import type { Refusal } from '../unsupported.ts';

export function timingRules(deploy: unknown, path: Path): Problem[] {
  const problems: Problem[] = [];
  const refuse = (code: string, place: Path, message: string, hint: string) =>
    problems.push({ code, path: formatPath([...path, ...place]), message, hint });
  const waits = items(field(deploy, 'after')).length > 0;
  const schedule = field(deploy, 'schedule');
  if (field(deploy, 'dryRun') === true) {
    const once = 'a dry run is run at once';
    if (waits) refuse('dry-run-with-after', ['dryRun'], `${once}, and after would make it wait`, 'remove one of them');
    if (schedule !== undefined) {
      refuse('dry-run-with-schedule', ['dryRun'], `${once}, and schedule would make it wait`, 'remove one of them');
    }
  }
  if (waits && field(schedule, 'cron') !== undefined) {
    const message = 'a deploy that runs again and again would wait for the same deploys each time';
    refuse(
      'cron-with-after',
      ['schedule', 'cron'],
      message,
      'remove after; import what is `current` where you need it',
    );
  }
  return problems;
}

/** Fields that a deploy of a release can't have, in place of everything else that is wrong with them. */
export function notInRelease(deploy: unknown, path: Path): Refusal[] {
  const given = [
    ...(field(deploy, 'schedule') === undefined ? [] : ['schedule']),
    ...(field(deploy, 'dryRun') === true ? ['dryRun'] : []),
  ];
  return given.map((name) => {
    const problem = {
      code: 'not-in-release',
      path: formatPath([...path, name]),
      message: `a deploy of a release can't have ${shown(name)}: the release says when its deploys run`,
      hint: 'remove it, or submit the deploy by itself',
    };
    return { problem, covers: [problem.path] };
  });
}
