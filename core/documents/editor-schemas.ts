import * as z from 'zod';
import { AccessDocument } from './access.ts';
import { DeployDocument } from './deploy.ts';
import { EnvironmentConfigDocument, EnvironmentDocument } from './environment.ts';
import { PipelineDocument } from './pipeline.ts';
import { IncludedRelease, ReleaseFile } from './release.ts';

const ALL = [
  ReleaseFile,
  DeployDocument,
  EnvironmentDocument,
  EnvironmentConfigDocument,
  AccessDocument,
  PipelineDocument,
];

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
    'renga.schema.json': schema('A document of renga', z.union(ALL)),
    'environment.schema.json': schema('An environment of renga', EnvironmentDocument),
    'environment-config.schema.json': schema('An application in an environment of renga', EnvironmentConfigDocument),
    'access.schema.json': schema('Who may do what with renga', AccessDocument),
    'pipeline.schema.json': schema('Another pipeline whose runs renga knows', PipelineDocument),
  };
}
