/** A list that the API gives in pages. */
interface Page<Item> {
  readonly items: readonly Item[];
  readonly cursor?: string | undefined;
}

/** Items of all pages, or of as many as `most` takes. */
export async function everyPage<Item>(
  read: (cursor: string | undefined) => Promise<{ readonly answer: Page<Item> }>,
  most = Number.POSITIVE_INFINITY,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const { answer } = await read(cursor);
    items.push(...answer.items);
    cursor = answer.cursor;
  } while (cursor !== undefined && items.length < most);
  return items.slice(0, most);
}
