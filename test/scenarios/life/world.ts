/** What a case of the whole life is made of: environments, what is submitted when, other pipelines, and what people do. */
import { type Behaviour, deploy, release } from '../sketch.ts';

export interface World {
  readonly environments: readonly WorldEnvironment[];
  /** Versions that places had before. */
  readonly before: readonly { readonly application: string; readonly environment: string }[];
  readonly submissions: readonly Submission[];
  readonly pipelines: readonly ExternalRun[];
  readonly acts: readonly Act[];
}

export interface WorldEnvironment {
  readonly name: string;
  /** The first holds from the beginning; instants are in milliseconds. */
  readonly documents: readonly (Rules & { readonly at: number })[];
}

export interface Rules {
  readonly concurrency: number | undefined;
  readonly approval: { readonly required: number; readonly self: boolean; readonly seconds: number } | undefined;
  readonly freezes: readonly { readonly from: number; readonly to: number }[];
}

export interface LifeDeploy {
  /** Its id, or its name in a release. */
  readonly name: string;
  readonly application: string;
  readonly environment: string;
  readonly milliseconds: number;
  readonly outcome: 'success' | 'error';
  /** What going back to this version comes to. */
  readonly back: 'success' | 'error';
  /** Names in its release. */
  readonly after: readonly string[];
  /** Ids, and `expect:<pipeline>@<version>`. */
  readonly outer: readonly string[];
  readonly afterSeconds: number;
  /** Seconds from its submission to its instant. */
  readonly scheduledIn: number | undefined;
  readonly override: boolean;
  /** What people say once they are asked, with how many milliseconds they take. */
  readonly people: readonly { readonly by: string; readonly delay: number; readonly says: 'approve' | 'reject' }[];
}

export type Submission =
  | { readonly kind: 'deploy'; readonly at: number; readonly deploy: LifeDeploy }
  | ({ readonly kind: 'release'; readonly at: number } & LifeRelease);

export interface LifeRelease {
  readonly id: string;
  readonly mode: 'auto' | 'dag' | 'sequential';
  readonly start: 'layers' | 'eager';
  readonly onFailure: 'stop' | 'continue' | 'rollback';
  readonly deploys: readonly LifeDeploy[];
}

/** One run of another pipeline, and what is said about it. */
export interface ExternalRun {
  readonly id: string;
  readonly pipeline: string;
  readonly version: string;
  readonly environment: string;
  readonly reports: readonly Report[];
}

export interface Report {
  readonly at: number;
  readonly says: 'started' | 'SUCCESS' | 'ERROR' | 'CANCELLED';
  /** By somebody else, who has nothing to say about it. */
  readonly foreign: boolean;
  /** How often the bus delivers it. */
  readonly times: number;
}

export type Act = { readonly at: number } & (
  | { readonly what: 'cancel deploy'; readonly id: string }
  | { readonly what: 'cancel' | 'retry'; readonly release: string }
  | { readonly what: 'pause'; readonly release: string; readonly milliseconds: number }
  | { readonly what: 'submit again'; readonly submission: number }
);

/** Who submits. */
export const SUBMITTER = 'ada';
/** The scenario's clock begins here. */
export const BEGINNING = Date.UTC(2026, 9, 1);
/** What going back to a version from before takes. */
export const BEFORE_MS = 4_321;

const instant = (ms: number) => new Date(BEGINNING + ms).toISOString();

export function environmentDocument(name: string, { concurrency, approval, freezes }: Rules): object {
  return {
    kind: 'Environment',
    name,
    ...(concurrency !== undefined && { concurrency }),
    ...(approval !== undefined && {
      approval: {
        required: approval.required,
        selfApproval: approval.self,
        expiresAfter: `${approval.seconds}s`,
      },
    }),
    freezes: freezes.map(({ from, to }) => ({ from: instant(from), to: instant(to), reason: 'drawn' })),
  };
}

export function deployDocument({ deploy: each, at }: Extract<Submission, { kind: 'deploy' }>) {
  const { scheduledIn } = each;
  const schedule = scheduledIn === undefined ? {} : { schedule: { at: instant(at + scheduledIn * 1_000) } };
  return deploy(each.name, behaviourOf(each, schedule));
}

export function releaseDocument({ id, mode, start, onFailure, deploys }: LifeRelease) {
  const graph = deploys.map(({ name, after }) => (after.length > 0 ? `${name} <- ${after.join(' ')}` : name));
  const behaviours = Object.fromEntries(deploys.map((each) => [each.name, behaviourOf(each, {})]));
  return release(id, graph.join('; '), { mode, start, onFailure, deploys: behaviours });
}

function behaviourOf(each: LifeDeploy, more: object): Behaviour {
  const after = each.outer.map((id) => {
    const [, pipeline, version] = /^expect:(.*)@(.*)$/.exec(id) ?? [];
    return pipeline === undefined ? id : { expect: { pipeline, version } };
  });
  return {
    application: each.application,
    environment: each.environment,
    seconds: each.milliseconds / 1_000,
    outcome: each.outcome,
    rollbackOutcome: each.back,
    afterTimeout: `${each.afterSeconds}s`,
    document: {
      ...more,
      ...(after.length > 0 && { after }),
      ...(each.override && { freezeOverride: 'drawn' }),
    },
  };
}

/** Every id that a deploy of the first attempt has. */
export function idsOf(submission: Submission): string[] {
  return submission.kind === 'deploy'
    ? [submission.deploy.name]
    : submission.deploys.map(({ name }) => `${submission.id}.${name}`);
}
