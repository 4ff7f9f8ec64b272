/** What a person may set: context keys of the CDK app (`-c key=value`, or `context` in cdk.json). */
import * as z from 'zod';
import { Administrators } from '../core/access/administrators.ts';
import { PinnedSources } from '../core/access/event-actor.ts';

/** Stands where no issuer is named. The top-level domain `invalid` never resolves, so no token is ever accepted. */
export const NO_ISSUER = 'https://issuer.invalid';
const NO_AUDIENCE = 'renga';

/** Names begin with `renga-<stage>-`: a stage with a dash could be taken for another's prefix. */
const Stage = z.string().regex(/^[a-z][a-z0-9]{0,15}$/, 'is not 1 to 16 small letters and digits, a letter first');
const Flag = z.enum(['true', 'false']).or(z.boolean());
const Issuer = z.url({ protocol: /^https$/, error: 'is not an https URL' });
const Audience = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .or(z.array(z.string()))
  .refine((audiences) => audiences.length > 0 && audiences.every((each) => each !== ''), 'names no audience');

const Claim = z.string().regex(/^[\x21-\x7e]{1,128}$/, 'is no name of a claim');

/**
 * An environment of Lambda has 4 KB in all, and the names in it take about one: each of these lists may have as much.
 */
const LONGEST_LIST = 1_000;
const fits = (texts: readonly string[]) => texts.join(',').length <= LONGEST_LIST;

const Context = z.object({
  stage: Stage.default('prod'),
  retain: Flag.default(true),
  jwtIssuer: Issuer.optional(),
  jwtAudience: Audience.optional(),
  jwtSubjectClaim: Claim.default('sub'),
  jwtGroupsClaim: Claim.optional(),
  administrators: Administrators.refine(fits, `are more than ${LONGEST_LIST} characters: name a group instead`).default(
    [],
  ),
  pinnedSources: PinnedSources.transform((pairs) => pairs.map(({ account, source }) => `${account}/${source}`))
    .refine(fits, `are more than ${LONGEST_LIST} characters`)
    .default([]),
});

export interface Settings {
  readonly stage: string;
  /** Whether the table outlives the stack, and neither can be deleted by mistake. */
  readonly retain: boolean;
  readonly jwtIssuer: string;
  readonly jwtAudience: readonly string[];
  /** Claims that say who it is, and which groups they are in; `groups` and `cognito:groups` when none is named. */
  readonly jwtSubjectClaim: string;
  readonly jwtGroupsClaim?: string | undefined;
  /** Subjects, as bindings write them, that may do everything. */
  readonly administrators: readonly string[];
  /** `<account>/<source>` where the bus's policy lets one pipeline alone use the source. */
  readonly pinnedSources: readonly string[];
}

/** Throws naming every context key that is wrong, with its value. */
export function readSettings(context: (key: string) => unknown): Settings {
  const values = Object.fromEntries(
    Object.keys(Context.shape).flatMap((key) => {
      const value = context(key);
      return value === undefined ? [] : [[key, value]];
    }),
  );
  const read = Context.safeParse(values);
  const wrong = read.success
    ? []
    : read.error.issues.map(({ path: [key], message }) => {
        const name = String(key);
        return `${name} (${JSON.stringify(values[name])}): ${message}`;
      });
  if (read.data?.jwtIssuer !== undefined && read.data.jwtAudience === undefined) {
    wrong.push('jwtAudience: is needed beside jwtIssuer; any token of that issuer would be taken for one of renga');
  }
  if (read.data === undefined || wrong.length > 0)
    throw new Error(`context of renga is not valid: ${wrong.join('; ')}`);
  const { retain, jwtIssuer = NO_ISSUER, jwtAudience = [NO_AUDIENCE], ...rest } = read.data;
  return { ...rest, retain: retain === true || retain === 'true', jwtIssuer, jwtAudience };
}
