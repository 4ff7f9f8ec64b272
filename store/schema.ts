/**
 * The one table: what its keys and indexes are. Infrastructure, the embedded engine and the store all read it here.
 *
 *   pk                         sk                    what
 *   D#<deploy>                 HEAD                  the deploy: decides alone, by conditional writes on `seq`
 *   D#<deploy>                 EXPORTS               its declared, checked outputs
 *   D#<deploy>                 OUTPUT#<job>          the checked exports of one of its jobs, until its end unites them
 *   D#<deploy>                 WAITER#<deploy>       a deploy that waits for this one
 *   D#<deploy>                 AUDIT#<seq>           one decision about it
 *   D#<deploy>                 CONCLUSION#<owner>    how, by its owner, an external deploy ended that nobody has started yet
 *   D#expect:<pipeline>@<v>    EXPECTED              the latest external deploy of that pipeline and version
 *   D#<deploy>                 BOUND#expect:<p>@<v>  the deploy that an expectation of this one is bound to
 *   R#<release>                HEAD                  the release
 *   R#<release>                MEMBER#<n>#<name>     the deploy of a name in attempt n
 *   R#<release>                AUDIT#<seq>           one decision about it
 *   I#<tenant>#<app>#<env>     HEAD                  what is current there, by artifact
 *   I#<tenant>#<app>#<env>     REVISION#<n>          one revision
 *   A#<application>            <env>#<tenant>        a place where something of the application has become current
 *   L#<tenant>#<app>#<env>     HEAD                  whose turn it is there
 *   Q#<environment>            HEAD                  who holds a slot of the environment, where it has only so many
 *   Q#<environment>            WAIT#<rank>#<ticket>  a deploy in line for one
 *   E#<environment>            HEAD                  the document of the environment
 *   E#<environment>            CONFIG#<app>#<tenant> the configuration of an application in it
 *   ACCESS                     DOC#<name>            one document of access
 *   PIPELINE                   DOC#<name>            another pipeline that counts as deploying
 *   S#<schedule>               HEAD                  a deploy that is submitted again and again
 *   V#<event>                  HEAD                  an event that came from elsewhere, and what became of it
 *   C#<job>                    HEAD                  a job that another pipeline carries out and answers for
 *   B#<hash>                   <chunk>               a body: a document or a configuration, compressed
 */
export const INDEXES = {
  /** `list` (deploy, release), newest last. */
  byTime: { name: 'byTime', partition: 'list', sort: 'listAt', sortType: 'S' },
  /** `<list>#<state>`. */
  byState: { name: 'byState', partition: 'listState', sort: 'listAt', sortType: 'S' },
  /** Deploys of an application. */
  byApplication: { name: 'byApplication', partition: 'application', sort: 'listAt', sortType: 'S' },
  /** Sparse: only what has not ended, or whose ending is not yet told everywhere; `sweepAt` in epoch milliseconds. */
  open: { name: 'open', partition: 'open', sort: 'sweepAt', sortType: 'N' },
} as const;
export type IndexName = keyof typeof INDEXES;

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

const HEAD = 'HEAD';

/** Number in a sort key: sorts as text as it does as a number. */
export function padded(number: number): string {
  return String(number).padStart(8, '0');
}

export const keys = {
  deploy: (id: string): Key => ({ pk: `D#${id}`, sk: HEAD }),
  exports: (id: string): Key => ({ pk: `D#${id}`, sk: 'EXPORTS' }),
  output: (id: string, job: string): Key => ({ pk: `D#${id}`, sk: `OUTPUT#${job}` }),
  waiter: (dependency: string, waiter: string): Key => ({ pk: `D#${dependency}`, sk: `WAITER#${waiter}` }),
  release: (id: string): Key => ({ pk: `R#${id}`, sk: HEAD }),
  member: (release: string, attempt: number, name: string): Key => ({
    pk: `R#${release}`,
    sk: `MEMBER#${padded(attempt)}#${name}`,
  }),
  /** Several documents may share a partition: each has rows of its own there. */
  audit: (owner: Key, seq: number): Key => ({
    pk: owner.pk,
    sk: owner.sk === HEAD ? `AUDIT#${padded(seq)}` : `AUDIT#${owner.sk}#${padded(seq)}`,
  }),
  inventory: (place: string): Key => ({ pk: `I#${place}`, sk: HEAD }),
  revision: (place: string, number: number): Key => ({ pk: `I#${place}`, sk: `REVISION#${padded(number)}` }),
  turn: (place: string): Key => ({ pk: `L#${place}`, sk: HEAD }),
  conclusion: (deploy: string, owner: string): Key => ({ pk: `D#${deploy}`, sk: `CONCLUSION#${owner}` }),
  expected: (expectation: string): Key => ({ pk: `D#${expectation}`, sk: 'EXPECTED' }),
  bound: (waiter: string, expectation: string): Key => ({ pk: `D#${waiter}`, sk: `BOUND#${expectation}` }),
  place: (where: { application: string; environment: string; tenant?: string | undefined }): Key => ({
    pk: `A#${where.application}`,
    sk: `${where.environment}#${where.tenant ?? ''}`,
  }),
  queue: (environment: string): Key => ({ pk: `Q#${environment}`, sk: HEAD }),
  inLine: (environment: string, rank: number, ticket: number): Key => ({
    pk: `Q#${environment}`,
    sk: `WAIT#${rank}#${padded(ticket)}`,
  }),
  environment: (name: string): Key => ({ pk: `E#${name}`, sk: HEAD }),
  environmentConfig: (where: { application: string; environment: string; tenant?: string | undefined }): Key => ({
    pk: `E#${where.environment}`,
    sk: `CONFIG#${where.application}#${where.tenant ?? ''}`,
  }),
  access: (name: string): Key => ({ pk: 'ACCESS', sk: `DOC#${name}` }),
  pipeline: (name: string): Key => ({ pk: 'PIPELINE', sk: `DOC#${name}` }),
  schedule: (id: string): Key => ({ pk: `S#${id}`, sk: HEAD }),
  event: (id: string): Key => ({ pk: `V#${id}`, sk: HEAD }),
  callback: (job: string): Key => ({ pk: `C#${job}`, sk: HEAD }),
  body: (hash: string, chunk: number): Key => ({ pk: `B#${hash}`, sk: padded(chunk) }),
} as const;

/** The environment whose document is kept under a key; undefined when it is another document's. */
export function environmentOf({ pk, sk }: Key): string | undefined {
  return pk.startsWith('E#') && sk === HEAD ? pk.slice('E#'.length) : undefined;
}

/** Where a deploy goes: at most one runs there at a time, and one version of each artifact is current there. */
export function placeOf(where: { application: string; environment: string; tenant?: string | undefined }): string {
  return `${where.tenant ?? ''}#${where.application}#${where.environment}`;
}
