/** What the environments of a release ask of it as they are now: approvals, freezes, queues. */
import type { PlannedEnvironment } from '../api/contract.ts';
import type { Actor } from '../core/access/actor.ts';
import type { ReleaseDocument } from '../core/documents/release.ts';
import { isReversible } from '../core/governance/reversal.ts';
import type { Ports } from '../orchestration/ports.ts';
import { rightsOf } from '../orchestration/rights.ts';
import { freezes, mayEnter } from './environment.ts';

/** In the order in which the release names them; only those that have a document, and that the actor may see. */
export async function plannedEnvironments(
  ports: Ports,
  { deploys }: ReleaseDocument,
  by: Actor,
): Promise<PlannedEnvironment[]> {
  const rights = await rightsOf(ports, by);
  const names = [...new Set(deploys.map(({ descriptor }) => descriptor.environment))];
  const documents = await ports.store.settings.environments(names);
  const shown = names.flatMap((name) => (mayEnter(rights, name) ? (documents.get(name) ?? []) : []));
  return Promise.all(
    shown.map(async (document): Promise<PlannedEnvironment> => {
      const here = deploys.filter(({ descriptor }) => descriptor.environment === document.name);
      const overriding = here
        .filter(({ descriptor }) => descriptor.freezeOverride !== undefined)
        .map(({ name }) => name);
      return {
        name: document.name,
        deploys: here.length,
        ...(document.approval !== undefined && { approval: document.approval }),
        ...(document.concurrency !== undefined && { queue: await queueOf(ports, document.name, document.concurrency) }),
        ...freezes(document, ports.now()),
        ...(overriding.length > 0 && { overriding }),
      };
    }),
  );
}

async function queueOf(ports: Ports, name: string, slots: number) {
  const { slots: queue } = ports.store;
  const [holders, line] = await Promise.all([queue.holders(name), queue.line(name)]);
  return { slots, held: holders.length, waiting: line.length };
}

/** Names of the deploys that can't be taken back, as the configurations of their places say it to whoever may read there. */
export async function irreversibleOf(ports: Ports, { deploys }: ReleaseDocument, by: Actor): Promise<string[]> {
  const rights = await rightsOf(ports, by);
  const configs = await ports.store.settings.configs(deploys.map(({ descriptor }) => descriptor));
  return deploys
    .filter(({ descriptor }) => {
      const config = rights.may('deployment.read', descriptor) ? configs.get(descriptor) : undefined;
      return !isReversible(descriptor.artifact.type, config);
    })
    .map(({ name }) => name);
}
