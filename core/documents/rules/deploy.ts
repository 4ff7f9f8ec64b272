/**
 * What a document's fields must say about each other. Rules read the document as it was written, so that they report
 * together with wrong types elsewhere; a part that has the wrong shape has no rule, its shape is the problem.
 */

import type { Problem } from '../../errors.ts';
import type { Path } from '../path.ts';
import { afterRules } from './after.ts';
import { exportRules } from './exports.ts';
import { callRules, callsOf } from './plugin-call.ts';
import { selfImportRules } from './self-import.ts';
import { probeRules, stepRules } from './steps.ts';
import { timingRules } from './timing.ts';

/** Rules of a deploy that hold wherever it stands: alone or in a release. */
export function deployRules(deploy: unknown, path: Path): Problem[] {
  return [
    ...timingRules(deploy, path),
    ...afterRules(deploy, path),
    ...callRules(callsOf(deploy, path), deploy, path),
    ...selfImportRules(deploy, path),
    ...stepRules(deploy, path),
    ...probeRules(deploy, path),
    ...exportRules(deploy, path),
  ];
}
