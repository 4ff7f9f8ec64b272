import { everyPage } from './pages.ts';
import { type Outcome, type Session, succeeded } from './session.ts';
import { table } from './text.ts';
import { instant } from './time.ts';

export interface InventoryOptions {
  readonly application?: string | undefined;
  readonly environment?: string | undefined;
}

export async function inventoryCommand(
  session: Session,
  { application, environment }: InventoryOptions,
): Promise<Outcome> {
  const api = await session.api();
  const items = await everyPage((cursor) =>
    api.call('inventory', { query: { application, environment, limit: '200', cursor } }),
  );
  if (items.length === 0) session.say('nothing is current here yet');
  else {
    const tenants = items.some(({ tenant }) => tenant !== undefined);
    const rows = items.map(({ tenant, artifact, deploy, revision, at, ...where }) => [
      where.environment,
      ...(tenants ? [tenant ?? ''] : []),
      where.application,
      artifact.type,
      artifact.name,
      artifact.version,
      String(revision),
      instant(at),
      deploy,
    ]);
    const head = [
      'environment',
      ...(tenants ? ['tenant'] : []),
      'application',
      'type',
      'artifact',
      'version',
      'rev',
      'since',
      'deploy',
    ];
    const [first = '', ...lines] = table([head, ...rows]);
    session.say([session.style.paint('dim', first), ...lines].join('\n'));
  }
  return succeeded({ items });
}
