import * as z from 'zod';
import { LIMITS } from './limits.ts';

/** What a name or id may look like: lower case, digits, `.`, `_` and `-`, starting with a letter or a digit. */
const NAME = /^[a-z0-9][a-z0-9._-]*$/;
const EXTERNAL_ID = /^[A-Za-z0-9@._:/-]{1,256}$/;

function name(what: string, length: number) {
  return z
    .string()
    .max(length, `${what} is longer than ${length} characters`)
    .regex(NAME, `${what} must match [a-z0-9][a-z0-9._-]*`);
}

/** Name of a deploy inside its release, an application, an environment, a tenant, an import or an export. */
export const Name = name('a name', LIMITS.nameLength);
export const ReleaseId = name("a release's id", LIMITS.releaseIdLength);
export const DeployId = name("a deploy's id", LIMITS.deployIdLength);
/** Any id that a deploy may wait for: one of ours, or one that another pipeline reported. */
export const DependencyId = z.string().regex(EXTERNAL_ID, 'an id must match [A-Za-z0-9@._:/-]{1,256}');
