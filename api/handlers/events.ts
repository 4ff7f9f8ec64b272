/** What other pipelines say over HTTP, and the events that came in. */

import { DeployConcluded } from '../../bus/incoming.ts';
import type { Actor } from '../../core/access/actor.ts';
import { EVERYWHERE } from '../../core/access/rights.ts';
import { RengaError } from '../../core/errors.ts';
import { answerCallback, heartbeat } from '../../orchestration/answer-callback.ts';
import { concludeReported, startExternal } from '../../orchestration/external.ts';
import type { Ports } from '../../orchestration/ports.ts';
import { rightsOf } from '../../orchestration/rights.ts';
import { iso } from '../../views/instant.ts';
import { pageOf } from '../../views/pages.ts';
import { CallbackBody, ConcludeExternalBody, pathOf, SendEventBody, StartExternalBody } from '../contract.ts';
import type { Handlers } from '../handlers.ts';
import { checked, readBodyOf } from '../request.ts';

type Routes =
  | 'startExternal'
  | 'concludeExternal'
  | 'answerCallback'
  | 'callbackHeartbeat'
  | 'listEvents'
  | 'sendEvent';

export function eventHandlers(ports: Ports): Pick<Handlers, Routes> {
  const reporter = (actor: Actor) => ({ actor, owner: `${actor.kind}:${actor.subject}` });
  return {
    async startExternal({ request, by }) {
      const started = await readBodyOf(request, StartExternalBody);
      const outcome = await startExternal(ports, started, reporter(by));
      const status = outcome === 'accepted' ? (202 as const) : (200 as const);
      // Who may start it there may not be who may read what is there.
      return { status, body: { id: started.id, outcome }, location: pathOf('deploy', started.id) };
    },
    async concludeExternal({ request, id, by }) {
      const named = checked(DeployConcluded.pick({ id: true }), { id }, 'path');
      const concluded = await readBodyOf(request, ConcludeExternalBody);
      const outcome = await concludeReported(ports, { ...concluded, ...named }, reporter(by), { answered: true });
      return { status: 200, body: { id, outcome } };
    },
    async answerCallback({ request, id }) {
      const answer = await readBodyOf(request, CallbackBody);
      return { status: 200, body: { deploy: await answerCallback(ports, id, answer) } };
    },
    callbackHeartbeat: async ({ id }) => ({ status: 200, body: { deploy: await heartbeat(ports, id) } }),
    async listEvents({ query, by }) {
      // What others sent may name anything: only who could have read it all may.
      const rights = await rightsOf(ports, by);
      if (!rights.may('deployment.read', EVERYWHERE)) {
        throw new RengaError('forbidden', `${by.subject} has not deployment.read on everything`);
      }
      const body = await pageOf(
        `events ${query.refused ?? ''}`,
        query,
        async (limit, cursor) => {
          const page = await ports.store.lists.keys('event', limit, cursor);
          return (
            page && {
              ...(page.cursor !== undefined && { cursor: page.cursor }),
              rows: await ports.store.inbox.read(page.keys),
            }
          );
        },
        (event) => (query.refused === 'true' && event.outcome !== 'refused' ? [] : [{ ...event, at: iso(event.at) }]),
      );
      return { status: 200, body };
    },
    async sendEvent({ request, by }) {
      const event = await readBodyOf(request, SendEventBody);
      if (by.administrator !== true) {
        throw new RengaError(
          'forbidden',
          `${by.subject} is no administrator: an event may say anything in anybody's name`,
        );
      }
      const id = await ports.bus.send(event.source, event['detail-type'], event.detail, event.bus);
      return { status: 202, body: { id } };
    },
  };
}
