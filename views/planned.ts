/** What a plan shows, from the document alone: the same with and without a server. */
import type { PlanView } from '../api/contract.ts';
import type { ReleaseDocument } from '../core/documents/release.ts';
import { isReversible } from '../core/governance/reversal.ts';
import { planRelease, renderPlan } from '../core/plan/plan.ts';
import { waitsOf } from '../core/plan/schedule.ts';
import { AWS_LIMITS, type CompiledRelease, compile, DEPLOY_TRANSITIONS } from '../statemachines/compile.ts';
import type { FunctionArns } from '../statemachines/functions.ts';

/** Plans a release in which nothing is wrong. */
export function planned(
  release: ReleaseDocument,
  functions: FunctionArns,
): { readonly view: PlanView; readonly compiled: CompiledRelease } {
  const plan = planRelease(release);
  const compiled = compile(plan, release.onFailure, functions);
  const { bytes, historyEvents, transitions } = compiled;
  const deploys = plan.deploys.length * DEPLOY_TRANSITIONS;
  const view: PlanView = {
    ...renderPlan(plan),
    onFailure: release.onFailure,
    irreversible: release.deploys.flatMap(({ name, descriptor }) =>
      isReversible(descriptor.artifact.type, undefined) ? [] : [name],
    ),
    deployCount: plan.deploys.length,
    waits: waitsOf(plan).map((wait) => ({ ...wait, deploys: [...wait.deploys], external: [...wait.external] })),
    externalWaits: [...new Set(plan.deploys.flatMap(({ external }) => external))],
    machine: {
      bytes,
      bytesLimit: AWS_LIMITS.definitionBytes,
      historyEvents: { ...historyEvents, limit: AWS_LIMITS.historyEvents },
    },
    transitions: {
      release: transitions,
      deploys,
      success: transitions.success + deploys,
      // Every rollback is a deploy with a machine of its own.
      most: transitions.most + deploys + (release.onFailure === 'rollback' ? deploys : 0),
    },
  };
  return { view, compiled };
}
