/**
 * What a job came to, and what follows: the next job, or the end. Each step may run twice and comes to the same (I10):
 * progress moves on by one conditional write, and of what a job gave only declared, checked exports are kept (I8).
 */
import type { Configuration } from '../core/deploy/configuration.ts';
import { nextStep } from '../core/deploy/course.ts';
import type { JobPlace, Progress } from '../core/deploy/progress.ts';
import type { Export } from '../core/documents/deploy.ts';
import { checkExports } from '../core/exports/check.ts';
import type { ExportValue } from '../core/exports/value.ts';
import type { Failure } from '../core/failure.ts';
import type { PluginResult } from '../plugins/contract.ts';
import type { NextJob } from '../statemachines/deploy-machine.ts';
import type { DeployRow, JobResult, KeptOutputs } from '../store/deploys.ts';
import { configurationOf } from './configure.ts';
import { tokenOf } from './job-ended.ts';
import { afterAll, jobToRun } from './next-job.ts';
import type { Ports } from './ports.ts';
import { isBeingCancelled, type Operation, progressOf } from './run-job.ts';

type Outputs = Readonly<Record<string, string>>;

export async function readResult(ports: Ports, id: string, operation: Operation): Promise<NextJob> {
  const row = await ports.store.deploys.read(id);
  if (row === undefined) throw new Error(`there is no deploy ${id}`);
  if (operation === 'rollback') return afterAll(row.rollbackResult ?? (await readRollback(ports, row)));
  if (row.result !== undefined) return afterAll(row.result);
  const configuration = await configurationOf(ports, row);
  const progress = progressOf(row, configuration);
  if (row.job?.token !== tokenOf(id, progress.place.key)) {
    if (isBeingCancelled(row)) return end(ports, row, { outcome: 'cancelled' });
    if (row.job === undefined) throw new Error(`${id} has no job to read`);
    // Its result was read by a call of this that was cut off, and the next job has not begun.
    return jobToRun(progress);
  }
  const answer = await ports.plugins.get(row.job.plugin)?.read(row.job.name);
  if (answer === undefined) throw new Error(`the job of ${id} still runs`);
  return judge(ports, row, configuration, progress, answer);
}

async function judge(
  ports: Ports,
  row: DeployRow,
  configuration: Configuration,
  progress: Progress,
  answer: PluginResult,
): Promise<NextJob> {
  const { identity } = row.deploy;
  const dryRun = identity.dryRun === true;
  if (answer.status === 'error' && isBeingCancelled(row)) return end(ports, row, { outcome: 'cancelled' });
  const kept = dryRun || answer.status === 'error' ? {} : keptOf(configuration, progress.place, answer.outputs);
  const wrong = flawOf(row, configuration, progress.place, kept);
  if (wrong !== undefined) return end(ports, row, { outcome: 'failed', failure: wrong });
  const next = nextStep(configuration, progress, answer, ports.now(), dryRun);
  if (next.kind === 'failed') return end(ports, row, { outcome: 'failed', failure: next.failure });
  if (next.kind === 'done') {
    const values = dryRun ? {} : await exportsOf(ports, row, configuration, progress.place, kept);
    if ('failure' in values) return end(ports, row, { outcome: 'failed', failure: values.failure as Failure });
    if (Object.keys(values).length > 0) {
      await ports.store.deploys.putExports(identity.id, values as Record<string, ExportValue>);
    }
    return end(ports, row, { outcome: 'success' });
  }
  // What was asked to stop goes no further, even if this job was faster than the stop.
  if (isBeingCancelled(row)) return end(ports, row, { outcome: 'cancelled' });
  await ports.store.deploys.putJob(identity.id, {
    number: progress.number,
    place: progress.place,
    plugin: row.job?.plugin ?? '',
    job: row.job?.name ?? '',
    since: progress.since,
    endedAt: ports.now(),
    status: answer.status,
    ...(answer.message !== undefined && progress.place.kind !== 'deploy' && { message: answer.message.slice(0, 500) }),
  });
  if (Object.keys(kept).length > 0) {
    await ports.store.deploys.putOutputs(identity.id, { number: progress.number, step: stepOf(progress.place), kept });
  }
  await ports.store.deploys.moveOn(identity.id, progress, next.progress);
  await forget(ports, row);
  return jobToRun(next.progress);
}

/** Notes how the jobs of a deploy came out; whatever was kept for its exports is not needed any more. */
async function end(ports: Ports, row: DeployRow, result: JobResult): Promise<NextJob> {
  const { id } = row.deploy.identity;
  await ports.store.deploys.attach(id, { result });
  if (row.progress !== undefined) await ports.store.deploys.forgetOutputs(id);
  await forget(ports, row);
  return afterAll(result);
}

async function forget(ports: Ports, { job }: DeployRow): Promise<void> {
  if (job !== undefined) await ports.plugins.get(job.plugin)?.forget?.(job.name);
}

/** Name of the step whose outputs exports may name; none for a probe. */
function stepOf(place: JobPlace): string {
  return place.kind === 'step' ? place.step : place.kind;
}

/** Of the outputs of a job those that exports are made of. */
function keptOf({ exports }: Configuration, place: JobPlace, outputs: Outputs): Outputs {
  const step = stepOf(place);
  const wanted = Object.values(exports).flatMap(({ from }) =>
    from.startsWith(`${step}.`) ? [from.slice(step.length + 1)] : [],
  );
  return Object.fromEntries(
    wanted.filter((key) => Object.hasOwn(outputs, key)).map((key) => [key, outputs[key] ?? '']),
  );
}

/**
 * What is wrong with the exports that a job has given, found before the next one begins. A rollback need not give them:
 * what it does not give is taken over from the version that it puts back.
 */
function flawOf(row: DeployRow, configuration: Configuration, place: JobPlace, kept: Outputs): Failure | undefined {
  if (place.kind === 'verify' || row.deploy.identity.dryRun === true) return undefined;
  const step = stepOf(place);
  const given = declaredFrom(configuration, (from) => from.startsWith(`${step}.`));
  const taken = row.deploy.identity.kind === 'rollback' ? existing(given, kept, step) : given;
  return invalid(checkExports(taken, { [step]: [kept] }), place);
}

function declaredFrom({ exports }: Configuration, wanted: (from: string) => boolean): Record<string, Export> {
  return Object.fromEntries(Object.entries(exports).filter(([, { from }]) => wanted(from)));
}

function existing(declared: Record<string, Export>, outputs: Outputs, step: string): Record<string, Export> {
  return Object.fromEntries(
    Object.entries(declared).filter(([, { from }]) => Object.hasOwn(outputs, from.slice(step.length + 1))),
  );
}

function invalid(checked: ReturnType<typeof checkExports>, place?: JobPlace): Failure | undefined {
  if (checked.problems === undefined) return undefined;
  const where = place?.kind === 'deploy' && place.wave > 0 ? ` in wave ${place.wave + 1}` : '';
  const why = checked.problems
    .map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`))
    .join('; ');
  return { code: 'exports-invalid', message: `exports of the deploy not valid${where}: ${why}` };
}

/** The exports of a deploy whose last job has just been read: united over its waves, taken from all of its steps. */
async function exportsOf(
  ports: Ports,
  row: DeployRow,
  configuration: Configuration,
  place: JobPlace,
  last: Outputs,
): Promise<Record<string, ExportValue> | { readonly failure: Failure }> {
  if (Object.keys(configuration.exports).length === 0) return {};
  const { id, kind, restores } = row.deploy.identity;
  const before: readonly KeptOutputs[] = row.progress === undefined ? [] : await ports.store.deploys.outputsOf(id);
  const runs: Record<string, Outputs[]> = {};
  for (const { step, kept } of [...before, { step: stepOf(place), kept: last }]) {
    const list = runs[step] ?? [];
    runs[step] = [...list, kept];
  }
  const given = (from: string) => {
    const [step, key] = [from.slice(0, from.indexOf('.')), from.slice(from.indexOf('.') + 1)];
    return (runs[step] ?? []).some((outputs) => Object.hasOwn(outputs, key));
  };
  const declared = kind === 'rollback' ? declaredFrom(configuration, given) : configuration.exports;
  const checked = checkExports(declared, runs);
  const failure = invalid(checked);
  if (failure !== undefined || checked.values === undefined) return { failure: failure as Failure };
  if (kind !== 'rollback' || restores === undefined) return { ...checked.values };
  const revision = await ports.store.inventory.revision(row.deploy.identity, restores.revision);
  const stood = revision === undefined ? {} : await ports.store.deploys.exportsOf(revision.deploy);
  const taken = Object.entries(stood).filter(([name]) => Object.hasOwn(configuration.exports, name));
  return { ...Object.fromEntries(taken), ...checked.values };
}

async function readRollback(ports: Ports, row: DeployRow): Promise<JobResult> {
  const { id } = row.deploy.identity;
  const result = await rollbackResult(ports, row);
  await ports.store.deploys.attach(id, { rollbackResult: result });
  await forget(ports, row);
  return result;
}

async function rollbackResult(ports: Ports, row: DeployRow): Promise<JobResult> {
  const { id } = row.deploy.identity;
  // Nothing had been begun that could be undone.
  if (row.job?.token !== tokenOf(id, 'rollback')) return { outcome: 'success' };
  const answer = await ports.plugins.get(row.job.plugin)?.read(row.job.name);
  if (answer === undefined) throw new Error(`the rollback of ${id} still runs`);
  if (answer.status === 'success') return { outcome: 'success' };
  const message = answer.message ?? 'the plugin reported an error without saying which';
  return { outcome: 'failed', failure: { code: 'plugin-failed', message } };
}
