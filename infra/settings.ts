/** What a person may set: context keys of the CDK app (`-c key=value`, or `context` in cdk.json). */
import * as z from 'zod';

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

const Context = z.object({
  stage: Stage.default('prod'),
  retain: Flag.default(true),
  jwtIssuer: Issuer.optional(),
  jwtAudience: Audience.optional(),
});

export interface Settings {
  readonly stage: string;
  /** Whether the table outlives the stack, and neither can be deleted by mistake. */
  readonly retain: boolean;
  readonly jwtIssuer: string;
  readonly jwtAudience: readonly string[];
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
  const { stage, retain, jwtIssuer = NO_ISSUER, jwtAudience = [NO_AUDIENCE] } = read.data;
  return { stage, retain: retain === true || retain === 'true', jwtIssuer, jwtAudience };
}
