/** More than pages of the default size have. */
const FIRST_ROWS = 51;
/** What the driver converts at once: it takes about a millisecond per million characters, in one turn of the event loop. */
const MAX_CHARACTERS = 2_000_000;

/**
 * Reads a page of up to `limit` rows in portions, of which each but the first is as short as its rows are long. `read`
 * returns the rows that follow one, or the first ones.
 */
export async function readLongPage<Row extends { content: string }>(
  limit: number,
  read: (last: Row | undefined, limit: number) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let portion = FIRST_ROWS;
  while (rows.length < limit) {
    const count = Math.min(portion, limit - rows.length);
    const found = await read(rows.at(-1), count);
    rows.push(...found);
    if (found.length < count) break;
    const characters = found.reduce((sum, { content }) => sum + content.length, 1);
    portion = Math.max(1, Math.floor((count * MAX_CHARACTERS) / characters));
  }
  return rows;
}
