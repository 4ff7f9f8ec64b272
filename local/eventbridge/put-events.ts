import { AwsError } from '../aws-service.ts';
import { type DeliveredEvent, eventTime } from './rule.ts';
import { isObject } from './value-test.ts';

/** Limits of one PutEvents call. */
const MOST_ENTRIES = 10;
const LARGEST_REQUEST = 256 * 1024;

/** An entry that is in order, and the bus it goes to. */
export interface AcceptedEntry {
  readonly bus: string;
  readonly event: DeliveredEvent;
}

export interface RefusedEntry {
  readonly ErrorCode: string;
  readonly ErrorMessage: string;
}

export interface Origin {
  readonly account: string;
  readonly region: string;
  readonly now: number;
  readonly newId: () => string;
  readonly hasBus: (name: string) => boolean;
}

/**
 * Reads each entry of a call by itself: one that is wrong is refused while the others go on.
 * @throws AwsError ValidationException when the call as a whole is refused
 */
export function readEntries(input: unknown, origin: Origin): (AcceptedEntry | RefusedEntry)[] {
  const entries = isObject(input) && Array.isArray(input.Entries) ? (input.Entries as unknown[]) : [];
  if (entries.length < 1 || entries.length > MOST_ENTRIES) {
    const bound = entries.length < 1 ? 'greater than or equal to 1' : `less than or equal to ${MOST_ENTRIES}`;
    throw new AwsError(
      'ValidationException',
      `1 validation error detected: Value at 'entries' failed to satisfy constraint: Member must have length ${bound}`,
    );
  }
  const size = entries.reduce((sum: number, entry) => sum + entrySize(entry), 0);
  if (size > LARGEST_REQUEST) {
    throw new AwsError(
      'ValidationException',
      `Total size of the entries in the request is over the limit: ${size} bytes.`,
    );
  }
  return entries.map((entry) => readEntry(isObject(entry) ? entry : {}, origin));
}

function readEntry(entry: Record<string, unknown>, origin: Origin): AcceptedEntry | RefusedEntry {
  for (const name of ['Source', 'DetailType', 'Detail']) {
    if (typeof entry[name] !== 'string' || entry[name] === '') {
      return refused('InvalidArgument', `Parameter ${name} is not valid. Reason: ${name} is a required argument.`);
    }
  }
  let detail: unknown;
  try {
    detail = JSON.parse(String(entry.Detail));
  } catch {
    detail = undefined;
  }
  if (!isObject(detail)) return refused('MalformedDetail', 'Detail is malformed.');
  const source = String(entry.Source);
  if (source.startsWith('aws.')) {
    return refused('NotAuthorizedForSourceException', 'Not authorized for the source.');
  }
  const bus = busName(entry.EventBusName);
  if (!origin.hasBus(bus)) return refused('EventBusDoesNotExist', `Event bus ${bus} does not exist.`);
  const event: DeliveredEvent = {
    version: '0',
    id: origin.newId(),
    'detail-type': String(entry.DetailType),
    source,
    account: origin.account,
    time: eventTime(typeof entry.Time === 'number' ? entry.Time * 1000 : origin.now),
    region: origin.region,
    resources: Array.isArray(entry.Resources) ? entry.Resources.map(String) : [],
    detail,
  };
  return { bus, event };
}

/** The name in a bus's name or ARN; none means the default bus. */
export function busName(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value.replace(/^arn:[^/]*:event-bus\//, '') : 'default';
}

function refused(ErrorCode: string, ErrorMessage: string): RefusedEntry {
  return { ErrorCode, ErrorMessage };
}

/** Bytes of an entry as EventBridge counts them: 14 for a time, and its texts in UTF-8. */
function entrySize(entry: unknown): number {
  if (!isObject(entry)) return 0;
  const resources = Array.isArray(entry.Resources) ? entry.Resources : [];
  const texts = [entry.Source, entry.DetailType, entry.Detail, ...resources];
  const bytes = texts.reduce((sum: number, text) => sum + Buffer.byteLength(typeof text === 'string' ? text : ''), 0);
  return bytes + (entry.Time === undefined ? 0 : 14);
}
