/**
 * Events that come in: reports about deploys of other pipelines, and requests to submit. What can't be understood or is
 * refused is kept with its reason, and an event says so; it is never tried again.
 */
import { serviceReport, textAt } from '../bus/aws-events.ts';
import { CallbackAnswered, DeployConcluded, DeployStarted, type Envelope, Requested } from '../bus/incoming.ts';
import { type Actor, owner } from '../core/access/actor.ts';
import { withAdministrators } from '../core/access/administrators.ts';
import { eventActor } from '../core/access/event-actor.ts';
import { parseJsonBody } from '../core/documents/parse.ts';
import { type Problem, RengaError } from '../core/errors.ts';
import { answerCallback } from './answer-callback.ts';
import { concludeExternal, type Reported, type Reporter, startExternal } from './external.ts';
import type { Ports } from './ports.ts';
import { recurs, submitSchedule } from './schedules.ts';
import { submitDeploy } from './submit-deploy.ts';
import { submitRelease } from './submit-release.ts';

interface Handled {
  readonly outcome: Reported;
  readonly about: string;
}

/** Takes one event, however often it comes. Surprises are thrown, for the event to be delivered again. */
export async function receiveEvent(ports: Ports, event: Envelope): Promise<void> {
  try {
    const handled = await handle(ports, event);
    if (handled !== undefined) await note(ports, event, handled);
  } catch (error) {
    if (!(error instanceof RengaError) || error.code === 'unavailable' || error.code === 'internal') throw error;
    await refuse(ports, event, error);
  }
}

/** Undefined for what is none of ours. */
async function handle(ports: Ports, event: Envelope): Promise<Handled | undefined> {
  if (event['replay-name'] !== undefined) return { outcome: 'ignored', about: 'a replay' };
  switch (event['detail-type']) {
    case 'Deploy Started': {
      const started = read(DeployStarted, event);
      return { outcome: await startExternal(ports, started, reporterOf(ports, event)), about: started.id };
    }
    case 'Deploy Concluded': {
      const concluded = read(DeployConcluded, event);
      return { outcome: await concludeExternal(ports, concluded, reporterOf(ports, event)), about: concluded.id };
    }
    case 'Callback Answered': {
      const { token, ...answer } = read(CallbackAnswered, event);
      return { outcome: 'accepted', about: await answerCallback(ports, token, answer) };
    }
    case 'Release Requested':
    case 'Deploy Requested':
      return submit(ports, event);
    default:
      return service(ports, event);
  }
}

/** A run of a pipeline of AWS's own, if a document says what it deploys. */
async function service(ports: Ports, event: Envelope): Promise<Handled | undefined> {
  const report = serviceReport(event);
  if (report === undefined) return undefined;
  const document = await ports.store.settings.pipeline(report.pipeline);
  if (document === undefined || event.account !== (document.account ?? ports.account)) return undefined;
  const { application, environment, tenant, overdueAfter } = document;
  // The document says who may report it: who wrote that had the right to.
  const reporter: Reporter = { actor: owner(`${event.account}/${event.source}`), owner: `aws:${event.account}` };
  const version = document.version === undefined ? undefined : textAt(event.detail, document.version);
  const started = { id: report.id, pipeline: report.pipeline, application, environment, tenant, version };
  const begun = await startExternal(ports, DeployStarted.parse(started), reporter, overdueAfter);
  if (report.state === 'RUNNING') return { outcome: begun, about: report.id };
  const message = `${report.pipeline} ended ${report.status}`;
  const outcome = await concludeExternal(ports, { id: report.id, state: report.state, message }, reporter);
  return { outcome, about: report.id };
}

async function submit(ports: Ports, event: Envelope): Promise<Handled> {
  const { document } = read(Requested, event);
  const parsed = parseJsonBody(JSON.stringify(document));
  if (parsed.problems !== undefined) {
    throw new RengaError('invalid-document', 'the document is not valid', { problems: parsed.problems });
  }
  const { kind, value } = parsed.document;
  const wanted = event['detail-type'] === 'Release Requested' ? 'Release' : 'Deploy';
  const by = reporterOf(ports, event).actor;
  if (kind === 'Release' && wanted === 'Release') {
    const { accepted, release } = await submitRelease(ports, value, by);
    return { outcome: accepted ? 'accepted' : 'ignored', about: release.identity.id };
  }
  if (kind === 'Deploy' && wanted === 'Deploy') {
    // The event's own id: delivered twice, it is one deploy.
    const newId = () =>
      `${value.application}-${event.id
        .toLowerCase()
        .replace(/[^a-z0-9]/g, '')
        .slice(0, 16)}`;
    if (recurs(value)) {
      const { schedule, accepted } = await submitSchedule(ports, value, by, newId);
      return { outcome: accepted ? 'accepted' : 'ignored', about: schedule.id };
    }
    const { row, accepted } = await submitDeploy(ports, value, by, newId);
    return { outcome: accepted ? 'accepted' : 'ignored', about: row.deploy.identity.id };
  }
  throw new RengaError('invalid-document', `${event['detail-type']} takes a ${wanted}, and this is a ${kind}`);
}

function reporterOf(ports: Ports, { account, source }: Envelope): Reporter {
  const actor: Actor = withAdministrators(ports.administrators, eventActor({ account, source }, ports.pinnedSources));
  return { actor, owner: `${account}/${source}` };
}

interface Schema<T> {
  safeParse(
    value: unknown,
  ):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } };
}
interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function read<T>(schema: Schema<T>, event: Envelope): T {
  const parsed = schema.safeParse(event.detail);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }): Problem => {
    return { code: 'invalid-value', path: path.map(String).join('.'), message };
  });
  throw new RengaError('invalid-request', `the detail of ${event['detail-type']} is not what it should be`, {
    problems,
  });
}

async function note(ports: Ports, event: Envelope, { outcome, about }: Handled): Promise<void> {
  const { id, source, account, 'detail-type': type } = event;
  await ports.store.inbox.note({ id, type, source, account, at: ports.now(), about, outcome });
}

const MOST_PROBLEMS = 20;

async function refuse(ports: Ports, event: Envelope, { code, message, details }: RengaError): Promise<void> {
  const { id, source, account, 'detail-type': type } = event;
  const at = ports.now();
  const problems = (details.problems ?? []).slice(0, MOST_PROBLEMS);
  const told = problems.map((problem) => `${problem.path === '' ? '' : `${problem.path}: `}${problem.message}`);
  const reason = [message, ...told].join('; ').slice(0, 4_000);
  ports.report(`an event was refused: ${type} ${id} from ${account}/${source}: ${reason}`, undefined);
  await ports.store.inbox.note({ id, type, source, account, at, outcome: 'refused', reason: `${code}: ${reason}` });
  await ports.bus.publish([
    {
      type: 'Event Refused',
      detail: {
        event: { id, type, source, account },
        at: new Date(at).toISOString(),
        reason: { code, message },
        ...(problems.length > 0 && {
          problems: problems.map((problem) => ({
            code: problem.code,
            path: problem.path,
            message: problem.message.slice(0, 500),
          })),
        }),
      },
    },
  ]);
}
