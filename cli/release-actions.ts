import type { ReleaseView } from '../api/contract.ts';
import { type FollowOptions, followRelease } from './following.ts';
import { type Outcome, type Session, succeeded } from './session.ts';

export interface ActionOptions {
  readonly reason?: string | undefined;
}

const ACTIONS = {
  cancel: {
    route: 'cancelRelease',
    said: (view: ReleaseView) =>
      view.state === 'PENDING'
        ? `${view.id} is being cancelled: nothing new starts, ${view.deploys.some(({ rollbackState }) => rollbackState !== 'none') ? 'the rollback that runs ends by itself, and what is not taken back by then stays' : 'and what runs is stopped'}\n  renga release status ${view.id} --watch`
        : `${view.id} is ${view.state}`,
  },
  pause: {
    route: 'pauseRelease',
    said: ({ id }: ReleaseView) =>
      `${id} is paused: nothing new starts, what runs finishes\n  renga release resume ${id}`,
  },
  resume: {
    route: 'resumeRelease',
    said: ({ id }: ReleaseView) => `${id} goes on\n  renga release status ${id} --watch`,
  },
} as const;

export async function releaseActionCommand(
  session: Session,
  action: keyof typeof ACTIONS,
  id: string,
  { reason }: ActionOptions,
): Promise<Outcome> {
  const { route, said } = ACTIONS[action];
  const { answer } = await (await session.api()).call(route, { id, body: bodyOf(reason) });
  session.say(said(answer));
  return succeeded(answer);
}

export async function releaseRetryCommand(
  session: Session,
  id: string,
  { reason, ...options }: ActionOptions & FollowOptions,
): Promise<Outcome> {
  const { status, answer } = await (await session.api()).call('retryRelease', { id, body: bodyOf(reason) });
  if (status === 200) session.note(`attempt ${answer.attempt} of ${id} had begun already: this is it`);
  return followRelease(session, answer, options);
}

/** Without a reason there is nothing to say. */
export function bodyOf(reason: string | undefined): { reason: string } | undefined {
  return reason === undefined ? undefined : { reason };
}
