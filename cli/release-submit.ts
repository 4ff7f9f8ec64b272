import type { InventoryItem, ReleaseView } from '../api/contract.ts';
import { placed } from '../core/documents/parse.ts';
import type { ReleaseDocument } from '../core/documents/release.ts';
import type { Api } from './api.ts';
import { type CiOptions, ciOf } from './ci.ts';
import { givenRelease, type Picked } from './documents.ts';
import { CommandFailure } from './failure.ts';
import { type FollowOptions, followRelease } from './following.ts';
import { everyPage } from './pages.ts';
import type { Outcome, Session } from './session.ts';

export interface SubmitOptions extends Picked, Omit<FollowOptions, 'ci'>, CiOptions {
  readonly file: string;
}

export async function submitReleaseCommand(
  session: Session,
  { file, wait, timeout, ci: format, ciFile, ...picked }: SubmitOptions,
): Promise<Outcome> {
  const api = await session.api();
  const { release, origin } = await givenRelease(file, picked, (whole) => currentNames(api, whole));
  const names = release.deploys.flatMap(({ name, descriptor }) =>
    Object.keys(descriptor.exports).map((key) => `${name}_${key}`),
  );
  const ci = ciOf(session, { ci: format, ciFile }, names);
  const { status, answer } = await submit(api, release, origin.locate);
  if (status === 200) session.note(`the release ${answer.id} was submitted before, with the same content: this is it`);
  return followRelease(session, answer, { wait, timeout, ci });
}

async function submit(
  api: Api,
  release: ReleaseDocument,
  locate: Parameters<typeof placed>[1],
): Promise<{ readonly status: number; readonly answer: ReleaseView }> {
  try {
    return await api.call('submitRelease', { body: release });
  } catch (error) {
    throw error instanceof CommandFailure ? withPlaces(error, locate) : error;
  }
}

/** A refusal whose problems stand in the files that the document was read from. */
export function withPlaces(failure: CommandFailure, locate: Parameters<typeof placed>[1]): CommandFailure {
  const { problems } = failure.details;
  if (problems === undefined || failure.code !== 'invalid-document') return failure;
  // What the server read was JSON of one line: its places say nothing to whoever wrote the files.
  const bare = problems.map(({ code, path, message, hint }) => ({ code, path, message, hint }));
  return new CommandFailure(failure.exit, failure.code, failure.message, {
    ...failure.details,
    problems: placed(bare, locate),
  });
}

/** Names of the deploys whose artifact is current already, in the version that the release declares. */
async function currentNames(api: Api, release: ReleaseDocument): Promise<ReadonlySet<string>> {
  const places = new Map(
    release.deploys.map(({ descriptor: { application, environment } }) => [
      `${environment}/${application}`,
      { application, environment },
    ]),
  );
  const current = new Set<string>();
  for (const place of places.values()) {
    const items = await everyPage((cursor) => api.call('inventory', { query: { ...place, cursor } }));
    for (const item of items) current.add(identity(item));
  }
  return new Set(release.deploys.flatMap(({ name, descriptor }) => (current.has(identity(descriptor)) ? [name] : [])));
}

type Placed = Pick<InventoryItem, 'application' | 'environment' | 'artifact'> & {
  readonly tenant?: string | undefined;
};

function identity({ application, environment, tenant = '', artifact: { type, name, version } }: Placed): string {
  return JSON.stringify([application, environment, tenant, type, name, version]);
}
