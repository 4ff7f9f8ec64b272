import type { ReleaseView } from '../api/contract.ts';
import { deploySummary } from './deploy-summary.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { followDeploy, followRelease } from './following.ts';
import type { WatchOptions } from './release-status.ts';
import { releaseSummary } from './release-summary.ts';
import { type Outcome, type Session, succeeded } from './session.ts';

/** A release, or the deploy of that id when there is no such release. */
export async function statusCommand(session: Session, id: string, { watch, timeout }: WatchOptions): Promise<Outcome> {
  const api = await session.api();
  const release = await found<ReleaseView>(api.call('release', { id }));
  if (release !== undefined) {
    if (watch === true) return followRelease(session, release, { wait: true, timeout });
    session.say(releaseSummary(session, release));
    return succeeded(release);
  }
  const deploy = await found(api.call('deploy', { id }));
  if (deploy === undefined) {
    throw new CommandFailure(EXIT.invalid, 'not-found', `there is no release and no deploy "${id}"`, {
      hint: 'renga release list shows the releases; a deploy of a release is called <release>.<name>',
    });
  }
  if (watch === true) return followDeploy(session, deploy, { wait: true, timeout });
  session.say(deploySummary(session, deploy));
  return succeeded(deploy);
}

async function found<View>(call: Promise<{ readonly answer: View }>): Promise<View | undefined> {
  try {
    return (await call).answer;
  } catch (error) {
    if (error instanceof CommandFailure && error.code === 'not-found') return undefined;
    throw error;
  }
}
