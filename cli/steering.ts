/** What people say to a deploy: approve it, reject it, take it back, take it on. */
import type { DeployView } from '../api/contract.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { type FollowOptions, followDeploy } from './following.ts';
import { everyPage } from './pages.ts';
import { type Outcome, type Session, succeeded } from './session.ts';
import { table } from './text.ts';
import { instant } from './time.ts';

export async function approveCommand(session: Session, id: string, { reason }: { reason?: string }): Promise<Outcome> {
  const { answer } = await (await session.api()).call('approveDeploy', { id, body: { reason } });
  session.say(
    answer.state === 'AWAITING_APPROVAL' ? `${id} waits for more approvals` : `${id} goes on: ${answer.state}`,
  );
  return succeeded(answer);
}

export async function rejectCommand(session: Session, id: string, { reason }: { reason: string }): Promise<Outcome> {
  const { answer } = await (await session.api()).call('rejectDeploy', { id, body: { reason } });
  session.say(`${id} is ${answer.state}`);
  return succeeded(answer);
}

interface Going extends FollowOptions {
  readonly id?: string | undefined;
  readonly freezeOverride?: string | undefined;
}

export interface RollbackOptions extends Going {
  readonly environment?: string | undefined;
  readonly tenant?: string | undefined;
  readonly artifact?: string | undefined;
  readonly to?: string | undefined;
}

/** `what`: the id of a deploy, or with `--environment` the application whose current deploy is meant. */
export async function rollbackCommand(session: Session, what: string, options: RollbackOptions): Promise<Outcome> {
  const { environment, tenant, artifact, to, id, freezeOverride, ...follow } = options;
  const current = environment === undefined ? what : await currentOf(session, what, { environment, tenant, artifact });
  const body = { to, id, freezeOverride };
  const { status, answer } = await (await session.api()).call('rollbackDeploy', { id: current, body });
  return followed(session, status, answer, follow);
}

export interface PromoteOptions extends Going {
  readonly to: string;
}

export async function promoteCommand(session: Session, deploy: string, options: PromoteOptions): Promise<Outcome> {
  const { to, id, freezeOverride, ...follow } = options;
  const body = { environment: to, id, freezeOverride };
  const { status, answer } = await (await session.api()).call('promoteDeploy', { id: deploy, body });
  return followed(session, status, answer, follow);
}

function followed(session: Session, status: number, answer: DeployView, follow: FollowOptions): Promise<Outcome> {
  if (status === 200) session.note(`the deploy ${answer.id} was submitted before: this is it`);
  else session.note(`submitted as ${answer.id}`);
  return followDeploy(session, answer, follow);
}

async function currentOf(
  session: Session,
  application: string,
  { environment, tenant, artifact }: { environment: string; tenant: string | undefined; artifact: string | undefined },
): Promise<string> {
  const api = await session.api();
  const all = await everyPage((cursor) => api.call('inventory', { query: { application, environment, cursor } }));
  const found = all.filter(
    (item) => item.tenant === tenant && (artifact === undefined || item.artifact.name === artifact),
  );
  const [one, second] = found;
  if (one === undefined) {
    const whose = tenant === undefined ? '' : ` of ${tenant}`;
    throw new CommandFailure(
      EXIT.invalid,
      'not-found',
      `nothing of ${application}${whose} is current in ${environment}`,
    );
  }
  if (second === undefined) return one.deploy;
  const names = found.map((item) => item.artifact.name).join(', ');
  throw new CommandFailure(EXIT.invalid, 'ambiguous-artifact', `several artifacts are current there: ${names}`, {
    hint: 'name one with --artifact',
  });
}

export interface HistoryOptions {
  readonly environment: string;
  readonly tenant?: string | undefined;
  readonly artifact?: string | undefined;
  readonly limit: number;
}

export async function historyCommand(
  session: Session,
  application: string,
  { environment, tenant, artifact, limit }: HistoryOptions,
): Promise<Outcome> {
  const api = await session.api();
  const items = await everyPage(
    (cursor) =>
      api.call('revisions', {
        query: { application, environment, tenant, artifact, limit: String(Math.min(limit, 200)), before: cursor },
      }),
    limit,
  );
  if (items.length === 0) session.say(`nothing of ${application} has been deployed to ${environment}`);
  else {
    const rows = items.map(({ revision, artifact: { name, version }, deploy, at, current }) => [
      current ? '*' : ' ',
      String(revision),
      name,
      version,
      instant(at),
      deploy,
    ]);
    const [first = '', ...lines] = table([[' ', 'rev', 'artifact', 'version', 'since', 'deploy'], ...rows]);
    session.say([session.style.paint('dim', first), ...lines].join('\n'));
  }
  return succeeded({ items });
}
