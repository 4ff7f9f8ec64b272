/** An event of a history as far as it is compared. `id` 0 says that the recording lost its place. */
export interface RecordedEvent {
  readonly id: number;
  readonly prev: number;
  readonly type: string;
}

/** Whether two histories tell the same: the same sequence of types, or the same sequences branch by branch. */
export function sameHistory(recorded: readonly RecordedEvent[], actual: readonly RecordedEvent[]): boolean {
  if (recorded.some(({ id }) => id === 0)) return sameAroundGaps(recorded, actual);
  const types = (events: readonly RecordedEvent[]) => events.map(({ type }) => type).join(' ');
  return types(recorded) === types(actual) || chains(recorded).join('\n') === chains(actual).join('\n');
}

/**
 * Events whose place was lost stand together between two that have one; the ids around them say how many there were.
 * In such a gap every recorded type must occur; what the recording lost altogether may be any.
 */
function sameAroundGaps(recorded: readonly RecordedEvent[], actual: readonly RecordedEvent[]): boolean {
  const last = recorded.at(-1);
  if (last === undefined || actual.length !== last.id) return false;
  const left = new Map<number, string>(actual.map(({ id, type }) => [id, type]));
  for (const { id, type } of recorded) {
    if (id === 0) continue;
    if (left.get(id) !== type) return false;
    left.delete(id);
  }
  const unplaced = [...left.values()];
  for (const { id, type } of recorded) {
    if (id !== 0) continue;
    const index = unplaced.indexOf(type);
    if (index < 0) return false;
    unplaced.splice(index, 1);
  }
  return true;
}

/** The types from the first event to each last one, sorted: what interleaves freely is told apart. */
function chains(events: readonly RecordedEvent[]): string[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  const followed = new Set(events.map(({ prev }) => prev));
  const chain = (event: RecordedEvent): string => {
    const before = byId.get(event.prev);
    return before === undefined ? event.type : `${chain(before)} ${event.type}`;
  };
  return events
    .filter(({ id }) => !followed.has(id))
    .map(chain)
    .sort();
}
