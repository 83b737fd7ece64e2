import type { Reader } from '../../db/connection.ts';
import { english } from '../languages/english.ts';
import { termsOf } from '../text/terms.ts';
import { rootOf } from '../text/word-forms.ts';
import type { CandidateQuery, CandidateSearch } from './candidate.ts';
import { excerptOf } from './excerpt.ts';
import { newestRows, tellingWords } from './followers.ts';
import type { LoadedHit } from './search-results.ts';
import { statementReader } from './statement-words.ts';

/** How many of the first messages are followed, and how many later ones are compared with them. */
const MAX_FOLLOWED = 3;
const MAX_COMPARED = 16;
/** A word that more messages hold is of many subjects. */
const MAX_HOLDING = 24;

interface Found {
  /** Hits of messages of the user, the best first. */
  hits: readonly LoadedHit[];
  /** Weights of the query's words by root. */
  weights: ReadonlyMap<string, number>;
  /** Rows of all hits. */
  known: ReadonlySet<number>;
}

/**
 * Finds later messages of the user that share no word with the query and may take the place of what the first ones say: "we
 * migrated from RabbitMQ to NATS" for "we use RabbitMQ for the queue", where the queue is asked for, and "I moved to Graz" for
 * "I live in Linz". They hold a rare word of the sentence that answers, or announce the change of a state that it tells. Each is
 * reduced to its sentence, and irrelevant until it replaces another one.
 */
export async function findLaterMessages(
  candidates: Pick<CandidateSearch, 'readHolding' | 'readFacts' | 'load'>,
  reader: Reader,
  query: CandidateQuery,
  { hits, weights, known }: Found,
): Promise<LoadedHit[]> {
  const followed = hits.slice(0, MAX_FOLLOWED);
  const [first] = followed;
  if (first === undefined) return [];
  const statements = statementReader(query.reading);
  const { transitions } = (query.reading?.language ?? english).statements;
  const said = followed.map(({ row }) => ({ content: sentenceIn((row as { content: string }).content, weights) }));
  const telling = tellingWords(said, new Set(weights.keys()), statements).map(({ term }) => term);
  const changes = transitions.filter(({ states }) => said.some(({ content }) => states.test(content)));
  const changing = changes.flatMap(({ words }) => termsOf(words));
  const holding = await candidates.readHolding(reader, query, 'message', [...telling, ...changing]);
  const sinceRow = Math.min(...followed.map(({ item }) => item.facts.rowId));
  const isLater = (rowId: number) => rowId > sinceRow && !known.has(rowId);
  const rare = holding.slice(0, telling.length).filter(({ length }) => length <= MAX_HOLDING);
  const rowIds = [
    ...new Set([rare, holding.slice(telling.length)].flatMap((lists) => newestRows(lists, isLater, MAX_COMPARED))),
  ];
  const factsOf = await candidates.readFacts(reader, query, 'message', rowIds);
  const own = rowIds.filter((rowId) => factsOf.get(rowId)?.role === 'user');
  const rows = await candidates.load(reader, query, 'message', own);
  const rareWeights = new Map([...telling, ...changing].map((term) => [rootOf(term), 1]));
  return own.flatMap((rowId) => {
    const row = rows.get(rowId);
    if (row === undefined) return [];
    const item = { ...first.item, type: 'message' as const, facts: factsOf.get(rowId)! };
    const content = sentenceIn(row.content, rareWeights);
    return [{ ...first, item, row: { ...row, content }, relevance: 0, standsFor: first.standsFor ?? first.item }];
  });
}

/** The sentence of a text that holds the most of some words. */
export function sentenceIn(content: string, weights: ReadonlyMap<string, number>): string {
  const { pieces, matching } = excerptOf(content, weights, { whole: 0, matching: 1, from: 'following' });
  return matching.map((index) => pieces[index]!.text).join(' ');
}
