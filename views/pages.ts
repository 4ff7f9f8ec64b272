/** Lists in pages, filtered where no index does it: a page may be short, and only one without a cursor is the last. */
import { RengaError } from '../core/errors.ts';

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export interface Page<Item> {
  readonly items: Item[];
  readonly cursor?: string;
}

/** What the store answers for one page; undefined when the cursor is not one of its own. */
type Fetch<Row> = (
  limit: number,
  cursor: string | undefined,
) => Promise<{ readonly rows: readonly Row[]; readonly cursor?: string } | undefined>;

const USUAL_LIMIT = 50;
/** Reads of one request at most, however little of what they find passes the filter. */
const MOST_READS = 10;

/**
 * One page. `list` names the list with its filters: the cursor of another one is refused. `pick` turns a row into the
 * items that pass the filter.
 */
export async function pageOf<Row, Item>(
  list: string,
  { limit = USUAL_LIMIT, cursor: given }: PageQuery,
  fetch: Fetch<Row>,
  pick: (row: Row) => readonly Item[],
): Promise<Page<Item>> {
  const items: Item[] = [];
  let cursor = given === undefined ? undefined : unsealed(list, given);
  for (let reads = 0, rowsLeft = limit; reads < MOST_READS && rowsLeft > 0; reads++) {
    const page = await fetched(fetch, rowsLeft, cursor);
    for (const row of page.rows) {
      const picked = pick(row);
      if (picked.length > 0) rowsLeft--;
      items.push(...picked);
    }
    cursor = page.cursor;
    if (cursor === undefined) return { items };
  }
  return cursor === undefined ? { items } : { items, cursor: sealed(list, cursor) };
}

async function fetched<Row>(fetch: Fetch<Row>, limit: number, cursor: string | undefined) {
  try {
    const page = await fetch(limit, cursor);
    if (page !== undefined) return page;
  } catch (error) {
    // A cursor that reads like one of ours but names no place in the table.
    if (cursor === undefined || !(error instanceof Error) || error.name !== 'ValidationException') throw error;
  }
  throw foreignCursor();
}

function sealed(list: string, cursor: string): string {
  return Buffer.from(JSON.stringify([list, cursor])).toString('base64url');
}

function unsealed(list: string, text: string): string {
  let read: unknown;
  try {
    read = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    // Whatever is wrong with it, it is none of ours.
    throw foreignCursor();
  }
  if (!Array.isArray(read) || read[0] !== list || typeof read[1] !== 'string') throw foreignCursor();
  return read[1];
}

function foreignCursor(): RengaError {
  const message = 'the cursor is not one that this list gave';
  return new RengaError('invalid-request', message, {
    hint: 'begin without a cursor, and keep the other parameters the same from page to page',
    problems: [{ code: 'invalid-cursor', path: 'cursor', message }],
  });
}
