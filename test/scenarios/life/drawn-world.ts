/** Worlds, drawn at random. Instants are odd to the millisecond, so that seldom two things fall together by chance. */
import fc from 'fast-check';
import type { Act, ExternalRun, LifeDeploy, Report, Rules, Submission, World, WorldEnvironment } from './world.ts';

export interface Drawing {
  /** What each deploy comes to hangs on no instant: nobody interferes, waits are long, failures stop nobody else. */
  readonly calm: boolean;
  /** Everything happens at whole multiples of seconds, so that much of it falls together. */
  readonly together: boolean;
}

const SECOND = 1_000;
/** Until when things are submitted, and changed. */
const SUBMITTED_UNTIL = 100 * SECOND;
const CHANGED_UNTIL = 260 * SECOND;
/** Ends of freezes and of notice: the sweep comes by every so often. */
const GRID = 5 * SECOND;

const chance = (percent: number) => fc.integer({ min: 0, max: 99 }).map((drawn) => drawn < percent);
const maybe = <T>(percent: number, arbitrary: fc.Arbitrary<T>) =>
  fc.tuple(chance(percent), arbitrary).map(([yes, drawn]) => (yes ? drawn : undefined));

export function drawnWorld(drawing: Drawing): fc.Arbitrary<World> {
  const { calm, together } = drawing;
  const within = (from: number, to: number) =>
    together
      ? fc.integer({ min: Math.ceil(from / GRID), max: Math.floor(to / GRID) }).map((step) => step * GRID)
      : fc.integer({ min: from, max: to });

  const rules: fc.Arbitrary<Rules> = fc.record({
    concurrency: fc.constantFrom(undefined, 1, 1, 2),
    approval: maybe(
      35,
      fc.record({
        required: fc.constantFrom(1, 1, 2),
        self: chance(40),
        seconds: fc.integer({ min: calm ? 90 : 60, max: 180 }),
      }),
    ),
    freezes: maybe(
      30,
      fc.record({ from: fc.integer({ min: 0, max: 40 }), lasts: fc.integer({ min: 1, max: 24 }) }),
    ).map((freeze) =>
      freeze === undefined ? [] : [{ from: freeze.from * GRID, to: (freeze.from + freeze.lasts) * GRID }],
    ),
  });
  const environment = fc
    .record({ first: rules, changes: fc.array(fc.record({ at: within(1, CHANGED_UNTIL), rules }), { maxLength: 2 }) })
    .map(({ first, changes }): Omit<WorldEnvironment, 'name'> => {
      const sorted = [...changes].sort((one, other) => one.at - other.at);
      const said = sorted.map(({ at, rules: later }) => ({
        ...later,
        at,
        // Who is asked must not hang on when.
        ...(calm && { approval: first.approval }),
      }));
      return { documents: [{ ...first, at: 0 }, ...said] };
    });

  const answer = fc.record({
    by: fc.constantFrom('ada', 'bob', 'bob', 'eve', 'eve', 'zoe'),
    delay: within(1, 120 * SECOND),
    says: fc.constantFrom('approve' as const, 'approve' as const, 'approve' as const, 'reject' as const),
  });
  const calmAnswers = fc.constantFrom<LifeDeploy['people']>(
    [],
    [{ by: 'bob', delay: 3_333, says: 'reject' }],
    ...Array.from({ length: 4 }, (): LifeDeploy['people'] => [
      { by: 'eve', delay: 4_567, says: 'approve' },
      { by: 'bob', delay: 12_345, says: 'approve' },
    ]),
  );
  const drawnDeploy = fc.record({
    application: fc.constantFrom('a0', 'a0', 'a1', 'a2', 'own'),
    environment: fc.nat(2),
    milliseconds: within(1, 60 * SECOND).map((ms) => Math.max(ms, 1)),
    fails: chance(20),
    back: fc.constantFrom('success' as const, 'success' as const, 'success' as const, 'error' as const),
    inner: fc.array(chance(45), { minLength: 4, maxLength: 4 }),
    outer: fc.array(fc.nat(40), { maxLength: 2 }),
    waitsForOthers: chance(45),
    afterSeconds: calm ? fc.constant(1_500) : fc.integer({ min: 60, max: 260 }),
    scheduledIn: maybe(20, fc.integer({ min: 5, max: 150 })),
    override: chance(15),
    people: calm ? calmAnswers : fc.array(answer, { maxLength: 4 }),
  });
  const onFailure = calm
    ? fc.constant('continue' as const)
    : fc.constantFrom('stop' as const, 'continue' as const, 'rollback' as const, 'rollback' as const);
  const submission = fc.record({
    at: within(1, SUBMITTED_UNTIL),
    isRelease: chance(35),
    mode: fc.constantFrom('auto' as const, 'dag' as const, 'sequential' as const),
    start: fc.constantFrom('layers' as const, 'eager' as const),
    onFailure,
    deploys: fc.array(drawnDeploy, { minLength: 1, maxLength: 3 }),
  });
  const report = fc.record({
    at: within(1, 220 * SECOND),
    says: fc.constantFrom(
      'SUCCESS' as const,
      'SUCCESS' as const,
      'SUCCESS' as const,
      'ERROR' as const,
      'CANCELLED' as const,
    ),
    foreign: chance(20),
    times: fc.constantFrom(1, 1, 2),
  });
  const run = fc.record({
    begins: within(1, SUBMITTED_UNTIL),
    begunTwice: chance(20),
    pipeline: fc.nat(1),
    environment: fc.nat(2),
    reports: fc.array(report, { minLength: calm ? 1 : 0, maxLength: 3 }),
  });
  const act = fc.record({
    at: within(1, CHANGED_UNTIL),
    what: fc.constantFrom(
      'cancel deploy' as const,
      'cancel deploy' as const,
      'cancel' as const,
      'pause' as const,
      'pause' as const,
      'retry' as const,
      'retry' as const,
      'submit again' as const,
    ),
    which: fc.nat(40),
    milliseconds: within(GRID, 60 * SECOND),
  });

  return fc
    .record({
      environments: fc.array(environment, { minLength: 1, maxLength: 3 }),
      before: chance(70),
      submissions: fc.array(submission, { minLength: 2, maxLength: 8 }),
      runs: fc.array(run, { maxLength: 2 }),
      acts: fc.array(act, { maxLength: calm ? 0 : 4 }),
      early: chance(8),
    })
    .map(({ environments: drawn, before, submissions, runs, acts, early }): World => {
      const environments = drawn.map((each, index) => ({ ...each, name: `e${index}` }));
      const environmentOf = (index: number) => `e${index % environments.length}`;
      const pipelines = runs.map(({ pipeline, begins, begunTwice, reports, ...rest }, index): ExternalRun => {
        const started: Report = { at: begins, says: 'started', foreign: false, times: begunTwice ? 2 : 1 };
        return {
          id: `ci:run${index}`,
          pipeline: `ci:p${pipeline}`,
          version: '1.0',
          environment: environmentOf(rest.environment),
          reports: [started, ...(calm ? settledReports(reports) : reports)].sort((one, other) => one.at - other.at),
        };
      });
      const ordered = [...submissions].sort((one, other) => one.at - other.at);
      /** What can be waited for, as it comes. */
      const known = runs.flatMap(({ pipeline }, index) => [`ci:run${index}`, `expect:ci:p${pipeline}@1.0`]);
      const written: Submission[] = [];
      const place = (each: { application: string; environment: number }, own: string) => ({
        application: each.application === 'own' ? own : each.application,
        environment: environmentOf(each.environment),
      });
      for (const [index, { at, isRelease, deploys, mode, start, onFailure: policy }] of ordered.entries()) {
        const pool = [...known];
        const outerOf = ({ outer, waitsForOthers }: (typeof deploys)[number]) => {
          const found = outer.flatMap((which) => pool[which % Math.max(1, pool.length)] ?? []);
          const all = early && index === 1 ? [...found, `d${index + 1}`] : found;
          return waitsForOthers ? [...new Set(all)] : [];
        };
        const common = ({ fails, inner: _, outer: __, waitsForOthers: ___, ...each }: (typeof deploys)[number]) => ({
          ...each,
          outcome: fails ? ('error' as const) : ('success' as const),
        });
        const [first] = deploys;
        if (!isRelease && first !== undefined) {
          const name = `d${index}`;
          const deploy = { ...common(first), ...place(first, name), name, after: [], outer: outerOf(first) };
          written.push({ kind: 'deploy', at, deploy });
          known.push(name);
          continue;
        }
        const id = `r${index}`;
        const members = deploys.map(
          (each, at): LifeDeploy => ({
            ...common(each),
            ...place(each, `${id}x${at}`),
            name: `x${at}`,
            after: each.inner.flatMap((waits, other) => (waits && other < at ? [`x${other}`] : [])),
            outer: outerOf(each),
            scheduledIn: undefined,
          }),
        );
        const alone = members.every(({ after }) => after.length === 0);
        const sequential = mode === 'sequential' || (mode === 'auto' && alone);
        written.push({
          kind: 'release',
          at,
          id,
          mode,
          start: sequential ? 'layers' : start,
          onFailure: policy,
          deploys: members,
        });
        known.push(...members.map(({ name }) => `${id}.${name}`));
      }
      const places = written.flatMap((each) => (each.kind === 'deploy' ? [each.deploy] : each.deploys));
      const distinct = new Map(
        places.map(({ application, environment }) => [`${application} ${environment}`, { application, environment }]),
      );
      return {
        environments,
        before: before ? [...distinct.values()] : [],
        submissions: written,
        pipelines,
        acts: acts.flatMap((each) => actOf(each, written)),
      };
    });
}

/** The first report of who may make one is the end; nothing is kept of contradictions. */
function settledReports(reports: readonly Report[]): Report[] {
  const [first] = reports;
  return first === undefined
    ? []
    : reports.map((each, index) => (index === 0 ? { ...each, foreign: false } : { ...each, says: first.says }));
}

function actOf(
  drawn: { at: number; what: Act['what']; which: number; milliseconds: number },
  submissions: readonly Submission[],
): Act[] {
  const { at, what, which, milliseconds } = drawn;
  const releases = submissions.flatMap((each) => (each.kind === 'release' ? [each] : []));
  const release = releases[which % Math.max(1, releases.length)]?.id;
  if (what === 'submit again') return [{ at, what, submission: which % submissions.length }];
  if (what === 'cancel deploy') {
    const ids = submissions.flatMap((each) =>
      each.kind === 'deploy' ? [each.deploy.name] : each.deploys.map(({ name }) => `${each.id}.${name}`),
    );
    return [{ at, what, id: ids[which % ids.length] ?? '' }];
  }
  if (release === undefined) return [];
  return what === 'pause' ? [{ at, what, release, milliseconds }] : [{ at, what, release }];
}
