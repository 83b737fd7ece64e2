import { scopePrefix, speakerTokensOf, tokenOf } from '../text/terms.ts';
import { INDEX_OF } from '../text/text-index-documents-sqlite.ts';
import { partsOf, type SearchEngine } from './source-search.ts';
import { joinLookup } from './visible-rows-store.ts';

/** The rows dated in one of the query's months, by FTS5's own matching. */
export const readDatedSqlite: SearchEngine['dated'] = async (search, { speakers, limit }) => {
  const { reader, query, source } = search;
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
};
