/**
 * Events that come in: reports about deploys of other pipelines, and requests to submit. What can't be understood or is
 * refused is kept with its reason, and an event says so; it is never tried again.
 */
import { type Envelope, REPORTS, REQUESTS } from '../bus/incoming.ts';
import type { Actor } from '../core/access/actor.ts';
import { withAdministrators } from '../core/access/administrators.ts';
import { eventActor } from '../core/access/event-actor.ts';
import { formatPath } from '../core/documents/path.ts';
import { type Problem, RengaError } from '../core/errors.ts';
import type { Reported, Reporter } from './external.ts';
import type { Ports } from './ports.ts';

export interface Handled {
  readonly outcome: Reported;
  /** Id of the deploy, release or schedule. */
  readonly about: string;
}

/**
 * Takes one event, however often it comes; `handle` answers undefined for what is none of ours. Surprises are thrown, for
 * the event to be delivered again.
 */
export async function receive(
  ports: Ports,
  event: Envelope,
  handle: (ports: Ports, event: Envelope) => Promise<Handled | undefined>,
): Promise<void> {
  try {
    if (await ports.store.inbox.has(event.id)) return;
    const handled = event['replay-name'] === undefined ? await handle(ports, event) : replayed(event);
    if (handled !== undefined) await note(ports, event, handled);
  } catch (error) {
    if (!(error instanceof RengaError) || error.code === 'unavailable' || error.code === 'internal') throw error;
    await refuse(ports, event, error);
  }
}

/** A replay from an archive says again what was said long ago: nothing follows from it. */
function replayed({ 'detail-type': type }: Envelope): Handled | undefined {
  const ours: readonly string[] = [...REPORTS, ...REQUESTS];
  return ours.includes(type) ? { outcome: 'ignored', about: 'a replay' } : undefined;
}

export function reporterOf(ports: Ports, { account, source }: Envelope): Reporter {
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
  /** Names of fields that nobody knows. */
  readonly keys?: readonly string[];
}

export function readDetail<T>(schema: Schema<T>, event: Envelope): T {
  const parsed = schema.safeParse(event.detail);
  if (parsed.success) return parsed.data;
  // Messages of the schema alone: ours would show what is written there.
  const problems = parsed.error.issues.flatMap(({ path, message, keys }): Problem[] => {
    const at = path.map((step) => (typeof step === 'number' ? step : String(step)));
    if (keys === undefined) return [{ code: 'invalid-value', path: formatPath(at), message }];
    return keys.map((key) => ({
      code: 'unknown-field',
      path: formatPath([...at, key]),
      message: 'there is no such field',
    }));
  });
  throw new RengaError('invalid-request', `the detail of ${event['detail-type']} is not what it should be`, {
    problems,
  });
}

async function note(ports: Ports, event: Envelope, { outcome, about }: Handled): Promise<void> {
  const { id, source, account, 'detail-type': type } = event;
  await ports.store.inbox.note({ id, type, source, account, at: ports.now(), about, outcome });
}

/** An event ends at 256 KB, and others may put anything into one. */
const MOST_PROBLEMS = 20;
const LONGEST_PATH = 200;
const LONGEST_REASON = 2_000;

/** The id that an event speaks of, as far as it can be read: what was refused may have any shape. */
function namedIn(detail: unknown): string | undefined {
  const { id, document } = Object(detail) as { readonly id?: unknown; readonly document?: unknown };
  const named = id ?? (Object(document) as { readonly id?: unknown }).id;
  return typeof named === 'string' && named !== '' && named.length <= 256 ? named : undefined;
}

async function refuse(ports: Ports, event: Envelope, { code, message, details }: RengaError): Promise<void> {
  const { id, source, account, 'detail-type': type } = event;
  const at = ports.now();
  const problems = (details.problems ?? []).slice(0, MOST_PROBLEMS);
  const told = problems.map((problem) => `${problem.path === '' ? '' : `${problem.path}: `}${problem.message}`);
  const reason = [message, ...told].join('; ').slice(0, LONGEST_REASON);
  ports.report(`an event was refused: ${type} ${id} from ${account}/${source}: ${reason}`, undefined);
  const about = namedIn(event.detail);
  // Told first: one that is noted is not looked at again when whoever took it was cut off.
  await ports.bus.publish([
    {
      type: 'Event Refused',
      detail: {
        event: { id, type, source, account },
        at: new Date(at).toISOString(),
        reason: { code, message: message.slice(0, LONGEST_REASON) },
        // Where and what kind: the sentences about it may show what was written there, and whoever listens may not see that.
        ...(problems.length > 0 && {
          problems: problems.map(({ code, path }) => ({ code, path: path.slice(0, LONGEST_PATH) })),
        }),
      },
    },
  ]);
  await ports.store.inbox.note({
    id,
    type,
    source,
    account,
    at,
    ...(about !== undefined && { about }),
    outcome: 'refused',
    reason: `${code}: ${reason}`,
  });
}
