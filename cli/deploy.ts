import type { DeployView, ScheduleView } from '../api/contract.ts';
import type { Amend } from '../core/documents/parse.ts';
import { readDeploy } from '../files/read-deploy.ts';
import { type CiOptions, ciOf } from './ci.ts';
import { CommandFailure, invalid } from './failure.ts';
import { type FollowOptions, followDeploy } from './following.ts';
import { bodyOf } from './release-actions.ts';
import { withPlaces } from './release-submit.ts';
import { scheduleText } from './schedules.ts';
import { type Outcome, type Session, succeeded } from './session.ts';

export interface DeployOptions extends Omit<FollowOptions, 'ci'> {
  readonly file: string;
  readonly after: readonly string[];
  /** Name of an import, and the deploy that it reads. */
  readonly import: readonly (readonly [name: string, deploy: string])[];
  readonly ci?: CiOptions['ci'];
  readonly ciFile?: CiOptions['ciFile'];
}

export async function deployCommand(
  session: Session,
  { file, wait, timeout, ci: format, ciFile, ...bound }: DeployOptions,
): Promise<Outcome> {
  const read = await readDeploy(file, binding(bound));
  if (read.problems !== undefined) throw invalid(read.problems);
  const ci = ciOf(session, { ci: format, ciFile }, Object.keys(read.deploy.exports));
  const { status, answer } = await submit(session, read);
  if (answer.kind === 'schedule') {
    if (status === 200)
      session.note(`the schedule ${answer.id} was submitted before, with the same content: this is it`);
    session.say(scheduleText(session, answer));
    return succeeded(answer);
  }
  if (status === 200) session.note(`the deploy ${answer.id} was submitted before, with the same content: this is it`);
  return followDeploy(session, answer, { wait, timeout, ci });
}

async function submit(
  session: Session,
  { deploy, origin }: Extract<Awaited<ReturnType<typeof readDeploy>>, { problems?: undefined }>,
): Promise<{ status: number; answer: DeployView | ScheduleView }> {
  try {
    return await (await session.api()).call('submitDeploy', { body: deploy });
  } catch (error) {
    throw error instanceof CommandFailure ? withPlaces(error, origin.locate) : error;
  }
}

/** Binds imports, also ones that the file does not declare, and adds what they read and `--after` to the waits. */
function binding({ after, import: imports }: Pick<DeployOptions, 'after' | 'import'>): Amend {
  return (document) => {
    if (typeof document !== 'object' || document === null || Array.isArray(document)) return document;
    const before = { after: [] as unknown, imports: {} as unknown, ...document };
    // What has the wrong shape stays as it was written, for the check to name it.
    const wanted = [...after, ...imports.map(([, deploy]) => deploy)];
    const awaited = before.after;
    return {
      ...document,
      ...(wanted.length > 0 && Array.isArray(awaited) && { after: [...awaited, ...missing(wanted, awaited)] }),
      ...(imports.length > 0 &&
        typeof before.imports === 'object' && {
          imports: {
            ...before.imports,
            ...Object.fromEntries(imports.map(([name, deployment]) => [name, { deployment }])),
          },
        }),
    };
  };
}

function missing(wanted: readonly string[], present: readonly unknown[]): string[] {
  return [...new Set(wanted)].filter((id) => !present.includes(id));
}

export async function cancelDeployCommand(
  session: Session,
  id: string,
  { reason }: { reason?: string },
): Promise<Outcome> {
  const { answer } = await (await session.api()).call('cancelDeploy', { id, body: bodyOf(reason) });
  const ended = answer.endedAt !== undefined;
  session.say(ended ? `${id} is ${answer.state}` : `${id} is being cancelled\n  renga status ${id} --watch`);
  return succeeded(answer);
}
