import { scopePrefix, speakerTokensOf, tokenOf } from '../text/terms.ts';
import { INDEX_OF } from '../text/text-index-documents-sqlite.ts';
import { joinLookup, partsOf, type SourceSearch } from './source-search-sqlite.ts';

/** The newest rows dated in one of the query's months; said by one of `speakers` where there are any. */
export async function readDated(
  search: SourceSearch,
  { speakers, limit }: { speakers: readonly string[]; limit: number },
): Promise<number[]> {
  const { reader, query, source } = search;
  if (query.months.length === 0) return [];
  const index = INDEX_OF[source.type];
  const join = joinLookup(search);
  const prefixes = partsOf(search).map((part) => scopePrefix(query.scope, part));
  const anyOf = (terms: readonly string[]) =>
    `(${prefixes.flatMap((prefix) => terms.map((term) => `"${tokenOf(prefix, term)}"`)).join(' OR ')})`;
  const bySpeaker = speakers.length === 0 ? '' : ` AND ${anyOf(speakers.flatMap(speakerTokensOf))}`;
  const rows = await reader.all<{ number: number }>(
    `SELECT f.number FROM (SELECT rowid AS number FROM ${index} WHERE ${index} MATCH ?) f ${join.sql}
     ORDER BY f.number DESC LIMIT ?`,
    [anyOf(query.months) + bySpeaker, ...join.values, limit],
  );
  return rows.map(({ number }) => number);
}
