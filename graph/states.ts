/** Name of a deploy to its state as the API reports it (`RUNNING`, `SUCCESS` …). A name that is missing shows none. */
export type States = ReadonlyMap<string, string>;

/** How a state looks: shown by colour, and always by its word as well, since not everyone tells colours apart. */
export type Look = 'plain' | 'waiting' | 'running' | 'good' | 'bad' | 'stopped';

const LOOKS = new Map<string, Look>([
  ['SCHEDULED', 'waiting'],
  ['WAITING_DEPENDENCY', 'waiting'],
  ['AWAITING_APPROVAL', 'waiting'],
  ['ENQUEUED', 'waiting'],
  ['RUNNING', 'running'],
  ['ROLLING_BACK', 'running'],
  ['SUCCESS', 'good'],
  ['ERROR', 'bad'],
  ['REJECTED', 'bad'],
  ['DEPENDENCY_FAILED', 'bad'],
  ['CANCELLED', 'stopped'],
  ['EXPIRED', 'stopped'],
]);

export function lookOf(state: string | undefined): Look {
  return state === undefined ? 'plain' : (LOOKS.get(state) ?? 'plain');
}

/** A state as it is shown to people: `WAITING_DEPENDENCY` reads "waiting dependency". */
export function wordOf(state: string): string {
  return state.toLowerCase().replaceAll('_', ' ');
}
