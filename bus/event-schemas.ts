import * as z from 'zod';
import { DeployStateChanged, ReleaseStateChanged } from './events.ts';

/** JSON Schemas (draft 2020-12) of the `detail` of each event that renga puts on its bus, by file name. */
export function eventSchemas(): Record<string, unknown> {
  // Whoever reads events must bear fields that come later.
  const schema = (title: string, value: z.ZodType) => ({
    ...z.toJSONSchema(value, { io: 'input', target: 'draft-2020-12' }),
    title,
  });
  return {
    'deploy-state-changed.schema.json': schema('Deploy State Changed', DeployStateChanged),
    'release-state-changed.schema.json': schema('Release State Changed', ReleaseStateChanged),
  };
}
