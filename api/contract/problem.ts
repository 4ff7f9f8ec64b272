/** What the API answers when it refuses or fails: RFC 9457 problem details, `application/problem+json`. */
import * as z from 'zod';

export const PROBLEM_JSON = 'application/problem+json';

export const ProblemItem = z
  .strictObject({
    code: z.string().describe('Stable, kebab-case: unknown-field, cycle, unknown-dependency …'),
    path: z.string().describe('Where it stands, as deploys[2].after[0]; empty for the document itself.'),
    message: z.string(),
    hint: z.string().optional().describe('How to mend it.'),
    position: z
      .strictObject({
        file: z.string(),
        line: z.int().describe('Counted from 1.'),
        column: z.int().describe('Counted from 1.'),
        source: z.string().describe('The offending line.'),
      })
      .optional(),
  })
  .meta({ id: 'ProblemItem', description: 'One thing that is wrong with what was sent.' });
export type ProblemItem = z.infer<typeof ProblemItem>;

export const ProblemDetails = z
  .strictObject({
    type: z.string().describe('urn:renga:error:<code>'),
    title: z.string().describe('The same for every problem of this code.'),
    status: z.int(),
    code: z.string().describe('Stable: invalid-document, id-taken, not-found …'),
    detail: z.string().describe('What is wrong this time.'),
    hint: z.string().optional().describe('What to do about it.'),
    problems: z.array(ProblemItem).optional().describe('Everything that is wrong, all at once.'),
    differences: z
      .array(z.string())
      .optional()
      .describe(
        'id-taken: what differs from the one of that id, as deploys[api].descriptor.artifact.version: "1" → "2".',
      ),
    instance: z.string().optional().describe('internal: names this failure in the log, as urn:uuid:….'),
  })
  .meta({ id: 'ProblemDetails', description: 'Why a request was refused or failed.' });
export type ProblemDetails = z.infer<typeof ProblemDetails>;
