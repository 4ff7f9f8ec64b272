import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { RengaError } from '../core/errors.ts';
import { type OutgoingEvent, SOURCE } from './events.ts';

/** PutEvents takes ten entries a call. */
const ENTRIES_AT_ONCE = 10;

/** Takes an event as a service of AWS puts it, and answers its id. Only a bus in this process can. */
export type Emit = (source: string, type: string, detail: Readonly<Record<string, unknown>>) => string;

export class Bus {
  constructor(
    private readonly client: EventBridgeClient,
    private readonly name: string,
    private readonly emit?: Emit,
  ) {}

  /** Puts events on the bus; throws when any of them was not taken, so that the caller's sweep puts them again. */
  async publish(events: readonly OutgoingEvent[]): Promise<void> {
    for (let start = 0; start < events.length; start += ENTRIES_AT_ONCE) {
      const answer = await this.client.send(
        new PutEventsCommand({
          Entries: events.slice(start, start + ENTRIES_AT_ONCE).map(({ type, detail }) => ({
            EventBusName: this.name,
            Source: SOURCE,
            DetailType: type,
            Detail: JSON.stringify(detail),
          })),
        }),
      );
      if ((answer.FailedEntryCount ?? 0) > 0) {
        const failed = answer.Entries?.find((entry) => entry.ErrorCode !== undefined);
        throw new Error(
          `the bus ${this.name} refused ${answer.FailedEntryCount} events: ${failed?.ErrorCode} ${failed?.ErrorMessage}`,
        );
      }
    }
  }

  /** Puts an event of somebody else on the bus, or on the account's default one; its id. Throws `conflict` with the bus's reason. */
  async send(
    source: string,
    type: string,
    detail: Readonly<Record<string, unknown>>,
    bus: 'renga' | 'default',
  ): Promise<string> {
    const ofAws = bus === 'default' && source.startsWith('aws.');
    if (ofAws && this.emit !== undefined) return this.emit(source, type, detail);
    const entry = { Source: source, DetailType: type, Detail: JSON.stringify(detail) };
    const EventBusName = bus === 'renga' ? this.name : 'default';
    const answer = await this.client
      .send(new PutEventsCommand({ Entries: [{ ...entry, EventBusName }] }))
      .catch(refusedBy);
    const [sent] = answer.Entries ?? [];
    if (sent?.EventId !== undefined) return sent.EventId;
    throw new RengaError('conflict', `the bus ${EventBusName} refused it: ${sent?.ErrorCode} ${sent?.ErrorMessage}`, {
      ...(source.startsWith('aws.') && {
        hint: 'sources that begin with aws. are for AWS itself; `renga start` takes them with --bus default',
      }),
    });
  }
}

/** On AWS renga may put events on its own bus alone. */
function refusedBy(error: unknown): never {
  if (error instanceof Error && error.name === 'AccessDeniedException') {
    throw new RengaError('forbidden', `renga may not put events there: ${error.message}`, {
      hint: 'put it with `aws events put-events`, under a role that may',
    });
  }
  throw error;
}
