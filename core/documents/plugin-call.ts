/** What a document says about calling a plugin: shared by the deploy step, custom steps, probes and environments. */
import * as z from 'zod';
import { LIMITS } from './limits.ts';
import { Name } from './names.ts';

/** A plugin's parameter. */
export const Param = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
export type Param = z.infer<typeof Param>;
export const ParamName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'a parameter must match [A-Za-z_][A-Za-z0-9_]*');

export const Params = z.record(ParamName, Param);

export const ExportReference = z.strictObject({
  import: Name.describe('A name in `imports`.'),
  export: Name.describe('An export of the deploy that is imported.'),
});
export type ExportReference = z.infer<typeof ExportReference>;

export const ParamsFrom = z
  .record(ParamName, ExportReference)
  .describe('Parameters that take the value of an imported export.');
export const TargetsFrom = z
  .array(ExportReference)
  .max(LIMITS.importsPerDeploy)
  .describe('Imported exports of format targets that add their targets.');

/** What is current somewhere: its exports are read when the deploy starts. */
export const CurrentImport = z.strictObject({
  current: z
    .strictObject({
      application: Name.describe('The application whose current deploy exports.'),
      environment: Name.optional().describe("Where; the deploy's own environment when absent."),
      artifact: Name.optional().describe('Which artifact, where several are current.'),
      tenant: Name.optional().describe("Whose; the deploy's own tenant when absent, if that has the application."),
    })
    .describe('What is current somewhere when the deploy starts.'),
});
export type CurrentImport = z.infer<typeof CurrentImport>;
