import * as z from 'zod';
import { DeployDocument } from './deploy.ts';
import { IncludedRelease, ReleaseFile } from './release.ts';

/**
 * JSON Schemas (draft 2020-12) of what a person may write, by file name: for editors, which complete and check while
 * one types. They know the shape; what fields must say about each other, only the checks of renga know.
 */
export function editorSchemas(): Record<string, unknown> {
  const schema = (title: string, value: z.ZodType) => ({
    ...z.toJSONSchema(value, { io: 'input', target: 'draft-2020-12' }),
    title,
  });
  return {
    'deploy.schema.json': schema('A deploy of renga', DeployDocument),
    'release.schema.json': schema('A release of renga, as a file', ReleaseFile),
    'include.schema.json': schema('A release of renga that another one includes', IncludedRelease),
    'renga.schema.json': schema('A document of renga', z.union([ReleaseFile, DeployDocument])),
  };
}
