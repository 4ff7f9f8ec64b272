import { EXPECTED } from './deploy.ts';
import { field } from './fields.ts';

/** The id of what `after` has at one place, as `dependencyId` of a checked document; undefined when it is no dependency. */
export function writtenDependency(written: unknown): string | undefined {
  if (typeof written === 'string') return written;
  const expected = field(written, 'expect');
  const [pipeline, version] = [field(expected, 'pipeline'), field(expected, 'version')];
  return typeof pipeline === 'string' && typeof version === 'string' ? `${EXPECTED}${pipeline}@${version}` : undefined;
}
