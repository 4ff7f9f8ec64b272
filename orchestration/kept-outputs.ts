/** The checked exports of single runs are kept only until the deploy has ended, however it ends. */
import type { DeployRow } from '../store/deploys.ts';
import type { Ports } from './ports.ts';

export async function forgetOutputs(ports: Ports, { deploy, progress }: DeployRow): Promise<void> {
  // A deploy of one job never keeps any.
  if (progress === undefined) return;
  const { id } = deploy.identity;
  const kept = await ports.store.deploys.outputsOf(id);
  if (kept.size > 0) await ports.store.deploys.forgetOutputs(id, kept.keys());
}
