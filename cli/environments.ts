/** What holds in environments, and who waits there. */
import type { EnvironmentView } from '../api/contract.ts';
import { yamlText } from '../core/documents/yaml-text.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { everyPage } from './pages.ts';
import { type Outcome, type Session, succeeded } from './session.ts';
import { table, wrapped } from './text.ts';
import { instant } from './time.ts';

export async function environmentListCommand(session: Session): Promise<Outcome> {
  const api = await session.api();
  const items = await everyPage((cursor) => api.call('listEnvironments', { query: { cursor } }));
  if (items.length === 0) session.say('no environment has a document yet; deploys may go to any all the same');
  else {
    const rows = items.map(({ name, document, freeze, by, at }) => [
      name,
      document.concurrency === undefined ? 'any number' : String(document.concurrency),
      document.approval === undefined ? 'none' : String(document.approval.required),
      freeze === undefined ? '' : `until ${instant(freeze.until)}`,
      `${instant(at)} by ${by}`,
    ]);
    const [first = '', ...lines] = table([['environment', 'at once', 'approvals', 'frozen', 'changed'], ...rows]);
    session.say([session.style.paint('dim', first), ...lines].join('\n'));
  }
  return succeeded({ items });
}

/** Prints the documents as YAML, as they could be applied again; `--json` has the rest. */
export async function environmentGetCommand(
  session: Session,
  name: string,
  { application }: { readonly application?: string },
): Promise<Outcome> {
  const { answer } = await (await session.api()).call('environment', { id: name });
  const configurations = answer.configurations
    .map(({ document }) => document)
    .filter((document) => application === undefined || document.application === application);
  if (application !== undefined && configurations.length === 0) {
    throw new CommandFailure(EXIT.invalid, 'not-found', `${application} has no configuration in ${name}`);
  }
  const documents = application === undefined && answer.document !== undefined ? [answer.document] : [];
  session.say([...documents, ...configurations].map((document) => yamlText(document)).join('---\n'));
  const state = stateOf(answer);
  if (state.length > 0 && !session.json) {
    for (const line of state) session.note(wrapped(line, session.columns, '  ').replace(/^ {2}/, '# '));
  }
  return succeeded(answer);
}

/** What goes on there, for a person beside the documents. */
function stateOf({ freeze, nextFreeze, queue }: EnvironmentView): string[] {
  const { slots, running, waiting } = queue;
  return [
    ...(freeze === undefined ? [] : [`frozen until ${instant(freeze.until)}: ${freeze.reason}`]),
    ...(nextFreeze === undefined ? [] : [`will be frozen from ${instant(nextFreeze.from)}: ${nextFreeze.reason}`]),
    ...(slots === undefined
      ? []
      : [`${running.length} of ${slots} slots taken: ${running.join(', ') || 'nobody runs'}`]),
    ...(waiting.length === 0 ? [] : [`in line for one: ${waiting.join(', ')}`]),
  ];
}

export async function environmentRemoveCommand(
  session: Session,
  name: string,
  { application, tenant }: { readonly application: string; readonly tenant?: string },
): Promise<Outcome> {
  const { answer } = await (await session.api()).call('removeConfiguration', {
    id: name,
    query: { application, tenant },
  });
  session.say(`${answer.removed} holds no longer`);
  return succeeded(answer);
}

export async function pipelineListCommand(session: Session): Promise<Outcome> {
  const { answer } = await (await session.api()).call('listPipelines');
  if (answer.items.length === 0) session.say('no other pipeline counts as deploying');
  for (const { document } of answer.items) {
    session.say(`${document.name}  ${document.application} in ${document.environment}`);
  }
  return succeeded(answer);
}

export async function pipelineRemoveCommand(session: Session, name: string): Promise<Outcome> {
  const { answer } = await (await session.api()).call('removePipeline', { id: name });
  session.say(`${answer.removed} counts as deploying no longer`);
  return succeeded(answer);
}
