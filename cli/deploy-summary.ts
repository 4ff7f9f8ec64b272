/** A deploy as it stands, with all that led there. */
import type { DeployView } from '../api/contract.ts';
import { progressOfDeploy, tookAt } from './progress.ts';
import type { Session } from './session.ts';
import { signOf } from './style.ts';
import { exportsOf, indented, lookCloser } from './summary-parts.ts';
import { oneLine, table } from './text.ts';
import { instant, lasted } from './time.ts';

export function deploySummary(session: Session, view: DeployView): string {
  const { style, surroundings } = session;
  const took = tookAt(progressOfDeploy(view), surroundings.now()) ?? 0;
  const verb = view.endedAt === undefined ? 'for' : 'in';
  const head = `${signOf(view.state)} ${view.id}  ${view.state} ${verb} ${lasted(took)}`;
  const { artifact, application, environment, release, revision, step, after } = view;
  const facts: (readonly [string, string])[] = [
    ['what', `${artifact.type} ${artifact.name} ${artifact.version}`],
    ['where', `${application} in ${environment}${view.tenant === undefined ? '' : `, tenant ${view.tenant}`}`],
    ...(release === undefined ? [] : [['release', `${release.id}, as ${release.name}`] as const]),
    ...(view.rollsBack === undefined ? [] : [['takes back', view.rollsBack] as const]),
    ...(revision === undefined ? [] : [['revision', String(revision)] as const]),
    ...(step === undefined ? [] : [['step', `${step.name}, since ${instant(step.since)}`] as const]),
    ...(view.dryRun === true ? [['dry run', 'only planned: nothing was changed'] as const] : []),
    ...(view.external === undefined ? [] : [['run by', view.external.pipeline] as const]),
    ...(view.promotes === undefined ? [] : [['promotes', view.promotes] as const]),
    ...(view.schedule === undefined ? [] : [['schedule', view.schedule] as const]),
    ...(view.scheduledAt === undefined ? [] : [['not before', instant(view.scheduledAt)] as const]),
    ...(view.freezeOverride === undefined ? [] : [['in a freeze', view.freezeOverride] as const]),
    ...waves(view),
    ...approval(view),
    ...queue(view),
    ...(after?.dependencies ?? []).map(({ id, state }) => ['after', `${id}  ${state}`] as const),
    ...Object.entries(view.provenance),
  ];
  const error =
    view.error === undefined
      ? []
      : ['', style.paint('bold', 'what failed'), ...indented(view.error.code, view.error.message)];
  return [
    style.inState(view.state, head),
    '',
    ...table(facts.map(([what, value]) => ['', what, value])),
    ...error,
    ...exportsOf(session, Object.entries(view.exports)),
    ...jobs(session, view),
    ...timeline(session, view),
    ...lookCloser(session, view.execution?.link, [
      ...(view.state === 'SUCCESS' ? [] : [['why', `renga why ${view.id}`] as const]),
      ...(view.startedAt === undefined || view.kind === 'external' ? [] : [['log', `renga log ${view.id}`] as const]),
    ]),
  ].join('\n');
}

type Fact = readonly [string, string];

function approval({ id, approval }: DeployView): Fact[] {
  if (approval === undefined) return [];
  const { required, expiresAt, approvals } = approval;
  const given = approvals.map(
    ({ by, at, reason }): Fact => [
      'approved',
      `by ${by}, ${instant(at)}${reason === undefined ? '' : `: ${oneLine(reason)}`}`,
    ],
  );
  if (required === undefined || expiresAt === undefined) return given;
  const asked = `${approvals.length} of ${required} approvals, until ${instant(expiresAt)}: renga approve ${id}`;
  return [...given, ['asks for', asked]];
}

/** Only where there is more than one. */
function waves({ waves }: DeployView): Fact[] {
  if (waves.length < 2) return [];
  return waves.map(({ wave, targets, state }) => {
    const count = targets === 1 ? '1 target' : `${targets} targets`;
    return [`wave ${wave}`, `${state}, ${count}`];
  });
}

function queue({ queue }: DeployView): Fact[] {
  const facts: Fact[] = [];
  if (queue?.freeze !== undefined)
    facts.push(['frozen', `until ${instant(queue.freeze.until)}: ${queue.freeze.reason}`]);
  if (queue?.position !== undefined) {
    facts.push(['in line', `number ${queue.position}; ${queue.held} of ${queue.slots} slots are taken`]);
  }
  return facts;
}

/** Only where there is more than the one that everybody expects. */
function jobs({ style }: Session, view: DeployView): string[] {
  if (view.jobs.length < 2) return [];
  const rows = view.jobs.map(({ key, plugin, startedAt, endedAt, outcome, message }) => [
    '',
    instant(startedAt),
    key,
    outcome ?? (endedAt === undefined ? 'runs' : 'ended'),
    message === undefined ? `by ${plugin}` : `by ${plugin}: ${oneLine(message)}`,
  ]);
  return ['', style.paint('bold', 'jobs'), ...table(rows)];
}

function timeline({ style }: Session, view: DeployView): string[] {
  if (view.timeline.length === 0) return [];
  const rows = view.timeline.map(({ at, action, to, by, why }) => [
    '',
    instant(at),
    action,
    to,
    `by ${by}${why === undefined ? '' : `: ${oneLine(why)}`}`,
  ]);
  return ['', style.paint('bold', 'timeline'), ...table(rows)];
}
