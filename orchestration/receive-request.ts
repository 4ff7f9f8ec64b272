/** What is asked for by events: releases and deploys, as the API takes them. */
import { type Envelope, Requested } from '../bus/incoming.ts';
import { parseJsonBody } from '../core/documents/parse.ts';
import { RengaError } from '../core/errors.ts';
import type { Ports } from './ports.ts';
import { type Handled, readDetail, receive, reporterOf } from './receive-event.ts';
import { recurs, submitSchedule } from './schedules.ts';
import { submitDeploy } from './submit-deploy.ts';
import { submitRelease } from './submit-release.ts';

export function receiveRequest(ports: Ports, event: Envelope): Promise<void> {
  return receive(ports, event, submit);
}

async function submit(ports: Ports, event: Envelope): Promise<Handled> {
  const { document } = readDetail(Requested, event);
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
