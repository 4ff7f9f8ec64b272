/** What a release will do, printed before anything is done. */
import type { PlanView } from '../api/contract.ts';
import type { Mode, ReleaseDocument } from '../core/documents/release.ts';
import type { Plan } from '../core/plan/plan.ts';
import type { Wait } from '../core/plan/schedule.ts';
import { DEPLOY_TRANSITIONS, sizeProblems } from '../statemachines/compile.ts';
import { plannedOffline } from './compiled.ts';
import { givenRelease, type Picked } from './documents.ts';
import { CommandFailure, invalid } from './failure.ts';
import { environmentLines } from './plan-environments.ts';
import { type Outcome, type Session, succeeded } from './session.ts';
import { padded, table, widthOf, wrapped } from './text.ts';

/** The plan is of use without the server: who is not reachable at once is not waited for. */
const LONGEST_ASKED_MS = 5_000;

export interface PlanOptions extends Picked {
  readonly file: string;
  readonly offline?: boolean | undefined;
}

export async function planCommand(
  session: Session,
  { file, offline = false, ...picked }: PlanOptions,
): Promise<Outcome> {
  const { release, plan, mode } = await givenRelease(file, picked);
  const { view: alone, compiled } = plannedOffline(release);
  const problems = sizeProblems(compiled);
  if (problems.length > 0) throw invalid(problems);
  const asked = offline ? { view: alone, unasked: '--offline' } : await ask(session, release, alone);
  const { view, unasked } = asked;
  const why = whyOf(mode, plan, picked.tags);
  const { waits } = view;
  session.say(
    [
      headline(session, release, plan, why),
      '',
      ...layerLines(session, plan, waits),
      ...(waits.some(({ barrier }) => barrier > 0) ? ['', ...barrierLines(session)] : []),
      '',
      session.style.paint('bold', release.onFailure === 'rollback' ? 'Taken back, after a failure' : 'Reverse order'),
      wrapped(plan.rollbackOrder.join(' → '), session.columns, '  '),
      ...rollbackLines(session, release, view),
      '',
      session.style.paint('bold', 'Environments'),
      ...environmentLines(session, view, unasked),
      '',
      session.style.paint('bold', 'State machine'),
      ...sizeLines(session, view),
    ].join('\n'),
  );
  return succeeded(view);
}

/** The plan with what only the server knows; without a server that answers it is of use as well. */
async function ask(
  session: Session,
  release: ReleaseDocument,
  alone: PlanView,
): Promise<{ readonly view: PlanView; readonly unasked?: string }> {
  try {
    const call = { body: release, signal: AbortSignal.timeout(LONGEST_ASKED_MS) };
    const { environments, irreversible } = (await (await session.api()).call('plan', call)).answer;
    return { view: { ...alone, irreversible, ...(environments !== undefined && { environments }) } };
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return { view: alone, unasked: error.message };
  }
}

function rollbackLines({ columns }: Session, { onFailure }: ReleaseDocument, { irreversible }: PlanView): string[] {
  if (onFailure !== 'rollback') return [`  nothing is taken back by itself (onFailure: ${onFailure})`];
  return [
    wrapped('one at a time, those that succeeded; stops at the first that can not be taken back', columns, '  '),
    ...(irreversible.length === 0 ? [] : [wrapped(`can not be: ${irreversible.join(', ')}`, columns, '  ')]),
  ];
}

function headline(session: Session, release: ReleaseDocument, plan: Plan, why: string): string {
  const count = plan.deploys.length === 1 ? '1 deploy' : `${plan.deploys.length} deploys`;
  const layers = plan.layers.length === 1 ? 'in 1 layer' : `in ${plan.layers.length} layers`;
  const shape = plan.order === 'sequential' ? 'one by one' : layers;
  return [
    `${session.style.paint('bold', plan.release)}: ${count} ${shape}, on failure: ${release.onFailure}`,
    wrapped(why, session.columns, '  '),
  ].join('\n');
}

/** Why the deploys run in this order, in a sentence. */
function whyOf(mode: Mode, plan: Plan, tags: readonly string[] | undefined): string {
  const picked = tags === undefined ? '' : `only what --tags ${tags.join(',')} picks; `;
  if (plan.order === 'sequential') {
    const because = mode === 'auto' ? 'mode: auto, and no deploy waits for another' : 'mode: sequential';
    return `${picked}${because}: in the order of the file`;
  }
  const because = mode === 'auto' ? 'mode: auto, and a deploy waits for another' : 'mode: dag';
  const start =
    plan.start === 'eager'
      ? 'start: eager, each deploy starts when what it waits for has succeeded'
      : 'start: layers, a layer starts when all of the one before has ended';
  return `${picked}${because}: a graph; ${start}`;
}

function layerLines(session: Session, plan: Plan, waits: readonly Wait[]): string[] {
  const waitOf = new Map(waits.map((wait) => [wait.name, wait]));
  const rows = plan.layers.flatMap((layer, at) =>
    layer.map(({ name, external }, index) => {
      const wait = waitOf.get(name);
      const named = [...(wait?.deploys ?? []), ...external.map((id) => `${id} (outside)`)].join(', ');
      const barrier = wait !== undefined && wait.barrier > 0 ? '*' : '';
      return [index === 0 ? String(at + 1) : '', name, named === '' ? barrier : `${named} ${barrier}`.trim()];
    }),
  );
  const head = ['layer', 'deploy', 'waits for'];
  const widths = head
    .slice(0, 2)
    .map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const cells = ([layer = '', name = '']: readonly string[], left: boolean) => {
    const [first = 0, second = 0] = widths;
    return `  ${left ? padded(layer, first) : layer.padStart(first)}  ${padded(name, second)}  `;
  };
  const indent = ' '.repeat(cells([], true).length);
  return [
    session.style.paint('dim', (cells(head, true) + head[2]).trimEnd()),
    ...rows.map((row) => {
      const waited = wrapped(row[2] ?? '', session.columns, indent).slice(indent.length);
      return (cells(row, false) + waited).trimEnd();
    }),
  ];
}

function barrierLines(session: Session): string[] {
  const text = '* and for the rest of the layer before to end; with start: eager it would not';
  return [wrapped(text, session.columns, '  ')];
}

function sizeLines(session: Session, { machine, transitions }: PlanView): string[] {
  const { bytes, bytesLimit, historyEvents } = machine;
  const part = (value: number, of: number, unit: string) => {
    const percent = (value / of) * 100;
    return `${percent < 0.1 ? 'under 0.1' : percent.toFixed(1)} % of the ${number(of)} ${unit}`;
  };
  const rows = [
    ['', 'definition', `${number(bytes)} bytes`, '', part(bytes, bytesLimit, 'that Step Functions takes')],
    [
      '',
      'history events',
      `${number(historyEvents.success)} when all succeed,`,
      `at most ${number(historyEvents.most)},`,
      part(historyEvents.most, historyEvents.limit, 'that it takes'),
    ],
    [
      '',
      'state transitions',
      `${number(transitions.success)} when all succeed,`,
      `at most ${number(transitions.most)};`,
      `${number(transitions.release.success)} of the release, ${DEPLOY_TRANSITIONS} of each deploy`,
    ],
  ];
  const lines = table(rows);
  const { isTTY } = session.surroundings.stdout;
  if (!isTTY || lines.every((line) => widthOf(line) <= session.columns)) return lines;
  // A narrow terminal gets sentences, which can be broken.
  return rows.map(([, what, ...facts]) =>
    wrapped(`${what}: ${facts.filter((fact) => fact !== '').join(' ')}`, session.columns, '  '),
  );
}

function number(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}
