/** What other pipelines report: by events of their own, by those of AWS's services, and as answers to jobs. */
import { serviceReport, textAt } from '../bus/aws-events.ts';
import { CallbackAnswered, DeployConcluded, DeployStarted, type Envelope, Version } from '../bus/incoming.ts';
import { owner } from '../core/access/actor.ts';
import { answerCallback } from './answer-callback.ts';
import { concludeExternal, concludeReported, type Reporter, serviceOwner, startExternal } from './external.ts';
import type { Ports } from './ports.ts';
import { type Handled, readDetail, receive, reporterOf } from './receive-event.ts';

export function receiveReport(ports: Ports, event: Envelope): Promise<void> {
  return receive(ports, event, report);
}

async function report(ports: Ports, event: Envelope): Promise<Handled | undefined> {
  switch (event['detail-type']) {
    case 'Deploy Started': {
      const started = readDetail(DeployStarted, event);
      return { outcome: await startExternal(ports, started, reporterOf(ports, event)), about: started.id };
    }
    case 'Deploy Concluded': {
      const concluded = readDetail(DeployConcluded, event);
      // Whoever sent it hears nothing: what is wrong is for those who read what was refused.
      const outcome = await concludeReported(ports, concluded, reporterOf(ports, event), { answered: false });
      return { outcome, about: concluded.id };
    }
    case 'Callback Answered': {
      const { token, ...answer } = readDetail(CallbackAnswered, event);
      return { outcome: 'accepted', about: await answerCallback(ports, token, answer) };
    }
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
  const { id, pipeline, state } = report;
  // The document says who may report it: who wrote that had the right to.
  const reporter: Reporter = { actor: owner(`${event.account}/${event.source}`), owner: serviceOwner(event.account) };
  const version = Version.safeParse(document.version && textAt(event.detail, document.version)).data;
  const detail = { id, pipeline, application, environment, tenant, version };
  const begun = await startExternal(ports, readDetail(DeployStarted, { ...event, detail }), reporter, overdueAfter);
  if (state === 'RUNNING') return { outcome: begun, about: id };
  const outcome = await concludeExternal(ports, { id, state, message: `${pipeline} ended ${report.status}` }, reporter);
  return { outcome, about: id };
}
