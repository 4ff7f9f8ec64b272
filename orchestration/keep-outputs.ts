/** The exports of a deploy, gathered from run to run: only what is declared and valid is ever written (I8). */
import { inWave } from '../core/deploy/course.ts';
import type { DeployIdentity } from '../core/deploy/deploy.ts';
import { checkRun, exportsFailure, exportsOfStep, type KeptRun, uniteRuns } from '../core/deploy/outputs.ts';
import type { JobPlace } from '../core/deploy/progress.ts';
import type { ExportValue } from '../core/exports/value.ts';
import type { Failure } from '../core/failure.ts';
import type { Standing } from './next-job.ts';
import type { Ports } from './ports.ts';

type Outputs = Readonly<Record<string, string>>;

/** Checks and keeps what the job at the deploy's place gave; the last one's success writes the exports of all. */
export async function keepOutputs(
  ports: Ports,
  standing: Standing,
  outputs: Outputs,
  last: boolean,
): Promise<Failure | undefined> {
  const { row, course, progress } = standing;
  const { place } = progress;
  const { identity } = row.deploy;
  const { configuration } = course;
  const declared = configuration.exports;
  if (course.dryRun || Object.keys(declared).length === 0) return undefined;
  const step = stepOf(place);
  const ofStep = step === undefined ? {} : exportsOfStep(declared, step);
  const gives = Object.keys(ofStep).length > 0;
  if (!gives && !last) return undefined;

  const runs = await earlierRuns(ports, standing);
  if (step !== undefined && gives) {
    const where = place.kind === 'step' ? '' : inWave(configuration, place.wave, 'in ');
    const checked = checkRun(ofStep, step, offered(standing, outputs), identity.kind === 'rollback');
    if (checked.problems !== undefined) return exportsFailure(checked.problems, where);
    runs.push({ step, values: checked.values });
  }
  const united = uniteRuns(last ? declared : ofStep, runs);
  if (united.problems !== undefined) return exportsFailure(united.problems);
  const own = runs.at(-1);
  if (last) await publish(ports, standing, united.values);
  else if (own !== undefined) await ports.store.deploys.putOutput(identity.id, place.key, own);
  return undefined;
}

/** Of a custom step only the outputs that it declares. */
function offered({ course, progress: { place } }: Standing, outputs: Outputs): Outputs {
  if (place.kind !== 'step') return outputs;
  const declared = course.configuration.steps.find(({ name }) => name === place.step)?.outputs ?? [];
  return Object.fromEntries(Object.entries(outputs).filter(([key]) => declared.includes(key)));
}

function stepOf(place: JobPlace): string | undefined {
  if (place.kind === 'verify') return undefined;
  return place.kind === 'step' ? place.step : 'deploy';
}

/** In the order in which they ran. This one's own may stand there from an attempt that was cut off. */
async function earlierRuns(ports: Ports, { row, progress }: Standing): Promise<KeptRun[]> {
  if (row.progress === undefined) return [];
  const kept = await ports.store.deploys.outputsOf(row.deploy.identity.id);
  kept.delete(progress.place.key);
  return [...kept].sort(([one], [other]) => waveOf(one) - waveOf(other)).map(([, run]) => run);
}

function waveOf(key: string): number {
  return Number(/^deploy-(\d+)$/.exec(key)?.[1] ?? 1);
}

async function publish(
  ports: Ports,
  { row, course }: Standing,
  given: Readonly<Record<string, ExportValue>>,
): Promise<void> {
  const { identity } = row.deploy;
  const lacking = Object.keys(course.configuration.exports).filter((name) => !Object.hasOwn(given, name));
  const values = { ...(lacking.length > 0 ? await takenOver(ports, identity, lacking) : {}), ...given };
  if (Object.keys(values).length > 0) await ports.store.deploys.putExports(identity.id, values);
}

/** What a rollback's jobs do not give stays as it was exported when the version came that is put back. */
async function takenOver(
  ports: Ports,
  identity: DeployIdentity,
  names: readonly string[],
): Promise<Record<string, ExportValue>> {
  const { restores } = identity;
  const revision = restores && (await ports.store.inventory.revision(identity, restores.revision));
  if (revision === undefined) return {};
  const before = await ports.store.deploys.exportsOf(revision.deploy);
  return Object.fromEntries(Object.entries(before).filter(([name]) => names.includes(name)));
}
