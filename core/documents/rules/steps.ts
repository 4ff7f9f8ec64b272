import type { Problem } from '../../errors.ts';
import { OWN_STEPS } from '../deploy.ts';
import { seconds } from '../duration.ts';
import { field, items } from '../fields.ts';
import { LIMITS } from '../limits.ts';
import { formatPath, type Path } from '../path.ts';
import { shown } from '../shown.ts';
import { repetitions } from './counts.ts';

/** What steps of one's own must be: each with a name of its own, which no step of renga has. */
export function stepRules(deploy: unknown, path: Path): Problem[] {
  const seen = new Set<string>();
  return items(field(deploy, 'steps')).flatMap((step, index): Problem[] => {
    const place: Path = [...path, 'steps', index];
    const name = field(step, 'name');
    const outputs = items(field(step, 'outputs'));
    const problems = repetitions(outputs, [...place, 'outputs'], 'duplicate-output', 'an output');
    if (typeof name !== 'string') return problems;
    const refuse = (code: string, message: string) =>
      problems.push({ code, path: formatPath([...place, 'name']), message, hint: 'give it another name' });
    if (OWN_STEPS.includes(name)) refuse('reserved-name', `${shown(name)} is a step of renga itself`);
    if (seen.has(name)) refuse('duplicate-step', `the name ${shown(name)} stands twice in steps`);
    seen.add(name);
    return problems;
  });
}

/** Written durations; what is absent has its default, what is wrong is the schema's problem. */
const INTERVAL = '10s';
const TIMEOUT = '10m';

/** Probes go into the execution's history, which has an end, and must be enough for the successes asked. */
export function probeRules(deploy: unknown, path: Path): Problem[] {
  const verify = field(deploy, 'verify');
  const [interval, timeout] = [field(verify, 'interval') ?? INTERVAL, field(verify, 'timeout') ?? TIMEOUT];
  if (verify === undefined || typeof interval !== 'string' || typeof timeout !== 'string') return [];
  const [pause, whole] = [seconds(interval), seconds(timeout)];
  if (pause === undefined || whole === undefined) return [];
  const probes = Math.ceil(whole / pause);
  const waves = Math.max(1, items(field(field(deploy, 'deploy'), 'waves')).length);
  const problems: Problem[] = [];
  if (probes * waves > LIMITS.probesPerDeploy) {
    const times = waves === 1 ? '' : ` in each of ${waves} waves`;
    problems.push({
      code: 'too-many-probes',
      path: formatPath([...path, 'verify']),
      message: `every ${interval} for ${timeout} is ${probes} probes${times}, ${probes * waves} in all; the limit is ${LIMITS.probesPerDeploy}`,
      hint: 'make interval longer or timeout shorter',
    });
  }
  const successes = field(verify, 'successes');
  if (typeof successes === 'number' && successes > probes) {
    problems.push({
      code: 'never-succeeds',
      path: formatPath([...path, 'verify', 'successes']),
      message: `${successes} successes in a row need more time: every ${interval} for ${timeout} is ${probes} probes`,
      hint: 'make interval shorter or timeout longer',
    });
  }
  return problems;
}
