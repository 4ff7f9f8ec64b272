import { followRelease } from './following.ts';
import { everyPage } from './pages.ts';
import { releaseSummary } from './release-summary.ts';
import { type Outcome, type Session, succeeded } from './session.ts';
import { signOf } from './style.ts';
import { table } from './text.ts';
import { instant, lasted } from './time.ts';

export interface WatchOptions {
  readonly watch?: boolean | undefined;
  readonly timeout?: number | undefined;
}

export async function releaseStatusCommand(
  session: Session,
  id: string,
  { watch, timeout }: WatchOptions,
): Promise<Outcome> {
  const { answer } = await (await session.api()).call('release', { id });
  if (watch === true) return followRelease(session, answer, { wait: true, timeout });
  session.say(releaseSummary(session, answer));
  return succeeded(answer);
}

export interface ListOptions {
  readonly state?: string | undefined;
  readonly limit: number;
}

/** The API's longest page. */
const LONGEST_PAGE = 200;

export async function releaseListCommand(session: Session, { state, limit }: ListOptions): Promise<Outcome> {
  const api = await session.api();
  const page = String(Math.min(limit, LONGEST_PAGE));
  const items = await everyPage((cursor) => api.call('listReleases', { query: { state, limit: page, cursor } }), limit);
  if (items.length === 0)
    session.say(state === undefined ? 'no release has been submitted yet' : `no release is ${state}`);
  else {
    const rows = items.map((release) => {
      const end = release.endedAt === undefined ? session.surroundings.now() : Date.parse(release.endedAt);
      const deploys = release.deployCount === 1 ? '1 deploy' : `${release.deployCount} deploys`;
      const took = lasted(end - Date.parse(release.startedAt));
      return [
        `${signOf(release.state)} ${release.id}`,
        release.state,
        deploys,
        took,
        instant(release.createdAt),
        release.submittedBy,
      ];
    });
    const [head = '', ...lines] = table([['  release', 'state', '', 'took', 'submitted', 'by'], ...rows]);
    session.say(
      [
        session.style.paint('dim', head),
        ...lines.map((line, at) => session.style.inState(items[at]?.state ?? '', line)),
      ].join('\n'),
    );
  }
  return succeeded({ items });
}
