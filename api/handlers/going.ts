/** Approving, going back, going on to another environment, and what there is to go back to. */
import { randomBytes } from 'node:crypto';
import { approveDeploy, rejectDeploy } from '../../orchestration/approve.ts';
import { promoteDeploy, rollBackDeploy } from '../../orchestration/go-back.ts';
import type { Ports } from '../../orchestration/ports.ts';
import { demandRead, readDeploy } from '../../orchestration/rights.ts';
import type { DeploySubmission } from '../../orchestration/submit-deploy.ts';
import { deployView, submittedView } from '../../views/deploy.ts';
import type { Links } from '../../views/links.ts';
import { revisionList } from '../../views/revisions.ts';
import { ApproveBody, PromoteBody, pathOf, RejectBody, RollbackBody } from '../contract.ts';
import type { Call, Handlers } from '../handlers.ts';
import { readBodyOf } from '../request.ts';

type Routes = 'approveDeploy' | 'rejectDeploy' | 'rollbackDeploy' | 'promoteDeploy' | 'revisions';

export function goingHandlers(ports: Ports, links: Links | undefined): Pick<Handlers, Routes> {
  const view = async (id: string, by: Call<'deploy'>['by']) =>
    deployView(ports, await readDeploy(ports, id, by), { links, by });
  const submitted = async ({ row, accepted }: DeploySubmission, by: Call<'deploy'>['by']) => {
    const body = await submittedView(ports, row, { links, by });
    const status = accepted ? (202 as const) : (200 as const);
    return { status, body, location: pathOf('deploy', body.id) };
  };
  const newId = (id: string, what: string) => () =>
    `${id.slice(0, 40).replace(/[^a-z0-9]+$/, '')}-${what}-${randomBytes(4).toString('hex')}`;
  return {
    async approveDeploy({ request, id, by }) {
      const { reason } = await readBodyOf(request, ApproveBody);
      await approveDeploy(ports, id, by, reason);
      return { status: 200, body: await view(id, by) };
    },
    async rejectDeploy({ request, id, by }) {
      const { reason } = await readBodyOf(request, RejectBody);
      await rejectDeploy(ports, id, by, reason);
      return { status: 200, body: await view(id, by) };
    },
    async rollbackDeploy({ request, id, by }) {
      const { to, ...going } = await readBodyOf(request, RollbackBody);
      return submitted(await rollBackDeploy(ports, id, by, newId(id, 'rollback'), { to, ...going }), by);
    },
    async promoteDeploy({ request, id, by }) {
      const { environment, ...going } = await readBodyOf(request, PromoteBody);
      const generated = newId(id, environment.slice(0, 20));
      return submitted(await promoteDeploy(ports, id, environment, by, generated, going), by);
    },
    async revisions({ query, by }) {
      const { application, environment } = query;
      await demandRead(ports, by, { application, environment });
      return { status: 200, body: await revisionList(ports, query) };
    },
  };
}
