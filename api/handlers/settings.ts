/** What is set for environments and access, who asks, and what was decided. */
import type { Actor } from '../../core/access/actor.ts';
import { EVERYWHERE, grantsTo } from '../../core/access/rights.ts';
import { RengaError } from '../../core/errors.ts';
import { applySetting, removeSetting, settingName } from '../../orchestration/apply-setting.ts';
import type { Ports } from '../../orchestration/ports.ts';
import { demand, rightsOf } from '../../orchestration/rights.ts';
import { keys } from '../../store/schema.ts';
import type { SettingsDocument } from '../../store/settings.ts';
import { listAudit } from '../../views/audit.ts';
import { environmentView, listEnvironments } from '../../views/environment.ts';
import { iso } from '../../views/instant.ts';
import type { AppliedView } from '../contract.ts';
import type { Handlers } from '../handlers.ts';
import { expectKind, readDocument } from '../request.ts';

type Routes =
  | 'applyEnvironment'
  | 'listEnvironments'
  | 'environment'
  | 'removeConfiguration'
  | 'listPipelines'
  | 'removePipeline'
  | 'applyAccess'
  | 'listAccess'
  | 'access'
  | 'removeAccess'
  | 'me'
  | 'audit';

export function settingsHandlers(ports: Ports): Pick<Handlers, Routes> {
  const applied = async (document: SettingsDocument, by: Actor, dry: boolean): Promise<AppliedView> => {
    const { result, differences } = await applySetting(ports, document, by, { dry });
    const name = settingName(document).slice(document.kind.length + 1);
    return { kind: document.kind, name, result, differences: [...differences] };
  };
  return {
    async applyEnvironment({ request, query, by }) {
      const document = expectKind(await readDocument(request), ['Environment', 'EnvironmentConfig', 'Pipeline']);
      return { status: 200, body: await applied(document.value, by, query.dryRun === 'true') };
    },
    listEnvironments: async ({ query, by }) => ({ status: 200, body: await listEnvironments(ports, query, by) }),
    environment: async ({ id, by }) => ({ status: 200, body: await environmentView(ports, id, by) }),
    async removeConfiguration({ id, query: { application, tenant }, by }) {
      const place = { application, environment: id, tenant };
      const name = `EnvironmentConfig ${application}/${id}${tenant === undefined ? '' : `/${tenant}`}`;
      await removeSetting(ports, keys.environmentConfig(place), name, by);
      return { status: 200, body: { removed: name } };
    },
    async listPipelines({ query: _, by }) {
      const rights = await rightsOf(ports, by);
      const all = await ports.store.settings.all('Pipeline');
      const items = all.flatMap(({ document, by, at }) =>
        document.kind === 'Pipeline' && rights.may('deployment.read', document) ? [{ document, by, at: iso(at) }] : [],
      );
      return { status: 200, body: { items } };
    },
    async removePipeline({ id, by }) {
      await removeSetting(ports, keys.pipeline(id), `Pipeline ${id}`, by);
      return { status: 200, body: { removed: `Pipeline ${id}` } };
    },
    async applyAccess({ request, query, by }) {
      const document = expectKind(await readDocument(request), ['Access']);
      return { status: 200, body: await applied(document.value, by, query.dryRun === 'true') };
    },
    async listAccess({ by }) {
      await demand(ports, by, 'access.write', EVERYWHERE);
      const all = await ports.store.settings.all('Access');
      const items = all.flatMap(({ document, by, at }) =>
        document.kind === 'Access' ? [{ document, by, at: iso(at) }] : [],
      );
      return { status: 200, body: { items } };
    },
    async access({ id, by }) {
      await demand(ports, by, 'access.write', EVERYWHERE);
      const found = await ports.store.settings.read(keys.access(id));
      if (found?.document.kind !== 'Access') throw new RengaError('not-found', `there is no Access ${id}`);
      return { status: 200, body: { document: found.document, by: found.by, at: iso(found.at) } };
    },
    async removeAccess({ id, by }) {
      await removeSetting(ports, keys.access(id), `Access ${id}`, by);
      return { status: 200, body: { removed: `Access ${id}` } };
    },
    async me({ by }) {
      const { subject, kind, groups, administrator = false } = by;
      const grants = grantsTo(await ports.store.settings.access(), by);
      return { status: 200, body: { subject, kind, groups: [...groups], administrator, grants } };
    },
    audit: async ({ query, by }) => ({ status: 200, body: await listAudit(ports, by, query) }),
  };
}
