/** What the environments of a release ask of it, as lines of its plan. */
import type { PlannedEnvironment, PlanView } from '../api/contract.ts';
import type { Session } from './session.ts';
import { oneLine, padded, wrapped } from './text.ts';
import { instant } from './time.ts';

/** `unasked`: why the server was not asked. */
export function environmentLines(
  { columns }: Session,
  { environments = [] }: PlanView,
  unasked: string | undefined,
): string[] {
  if (unasked !== undefined) {
    return [wrapped(`approvals, freezes and queues are not known: ${oneLine(unasked)}`, columns, '  ')];
  }
  const told = environments.map((each) => ({ name: each.name, words: wordsOf(each) }));
  if (told.every(({ words }) => words.length === 0)) return ['  no approvals, freezes or queues'];
  const widest = Math.max(...told.map(({ name }) => name.length));
  const indent = ' '.repeat(2 + widest + 2);
  return told.flatMap(({ name, words }) =>
    (words.length === 0 ? ['nothing'] : words).map((line, at) => {
      const text = wrapped(line, columns, indent).slice(indent.length);
      return `  ${padded(at === 0 ? name : '', widest)}  ${text}`;
    }),
  );
}

function wordsOf({ deploys, approval, queue, freeze, nextFreeze, overriding = [] }: PlannedEnvironment): string[] {
  const words: string[] = [];
  if (approval !== undefined) {
    const { required, expiresAfter, selfApproval } = approval;
    const count = required === 1 ? '1 approval' : `${required} approvals`;
    const each = deploys === 1 ? 'before its deploy' : `before each of its ${deploys} deploys`;
    const self = selfApproval ? '' : ', not by who submits';
    words.push(`${count} ${each}, within ${expiresAfter}${self}`);
  }
  if (queue !== undefined) {
    const { slots, held, waiting } = queue;
    const line = waiting === 0 ? 'nobody waits' : waiting === 1 ? '1 waits' : `${waiting} wait`;
    words.push(`${slots} at once: ${held} of the slots taken, ${line}`);
  }
  const except = overriding.length === 0 ? '' : `, except of ${overriding.join(', ')}`;
  if (freeze !== undefined) {
    words.push(`frozen until ${instant(freeze.until)} (${oneLine(freeze.reason)}): refused until then${except}`);
  }
  if (nextFreeze !== undefined) {
    const { from, until, reason } = nextFreeze;
    words.push(`next freeze ${instant(from)} to ${instant(until)} (${oneLine(reason)})`);
  }
  return words;
}
