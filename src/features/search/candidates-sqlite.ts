import { ITEM_TYPES, type ItemType } from '../../contract/search.ts';
import type { Reader } from '../../db/connection.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Candidate, CandidateFacts, CandidateSearch, FoundCandidates } from './candidate.ts';
import { best, type LexicalScores, stretchOf } from './lexical.ts';
import { narrowedFrom, type Postings, readDated, readPostings } from './postings-sqlite.ts';
import { type Asked, ask, isNarrowing, scoresOf, scoreVariants } from './query-words-sqlite.ts';
import { createSizes, type Sizes } from './sizes-sqlite.ts';
import { type CandidateQuery, type FoundRows, SOURCES, type Source } from './sources-sqlite.ts';
import { findMeaning, type Look, type Meaning, nearestRows, readCosines } from './vectors-sqlite.ts';

/** Best stretches whose every message is a candidate, and how many of those at most. */
const STRETCHES = 3;
const IN_STRETCHES = 60;

/** Of the months asked for, so many at most. */
const DATED = 150;

type Scores = LexicalScores & { trigram: Map<number, number>; vector: ReadonlyMap<number, number> };

/**
 * Candidates from FTS5: query words OR-ed and porter-stemmed, ranked by BM25 with the document frequencies of this
 * user's own documents (FTS5 would take them from the whole index, which flattens the weights the more neighbours there
 * are: recall would fall and tell of them); and the surroundings of the best in their conversations. Where several
 * types are asked, a score is a part of what this type's words could give: else the type with the most documents, whose
 * words weigh most, would stand above all others.
 */
export function createCandidatesSqlite({ clock }: { clock: Clock }): CandidateSearch {
  const sizesOf = createSizes(clock);
  return {
    async find(reader, query, vector) {
      const types = typesOf(query);
      if ((query.terms.length === 0 && vector === undefined) || types.length === 0) return NOTHING;
      const sizes = await sizesOf(reader, query, types);
      const sources = types.map((type) => SOURCES[type] as unknown as Source);
      const present = sources.filter(({ type }) => sizes.get(type)!.own > 0);
      const looks = present.map((source) => lookOf(source, query, sizes.get(source.type)!));
      const meant = vector && findMeaning(reader, query, looks, vector);
      // Where words fail first, nobody else takes a failure.
      meant?.catch(() => {});
      const asked: Asked[] = [];
      for (const source of present) asked.push(await ask(reader, source, query, sizes.get(source.type)!));
      const known = (term: string) =>
        asked.some(
          ({ terms, postings }) => !terms.includes(term) || postings.words[terms.indexOf(term)]!.documents > 0,
        );
      const speakers = new Set(asked.flatMap(({ postings }) => [...postings.speakers]));
      const unknown = query.terms.filter((term) => !known(term) && !speakers.has(term));
      const meaning = await meant;
      const candidates: Candidate[] = [];
      for (const one of asked) {
        candidates.push(...(await candidatesOf(reader, query, one, { speakers, unknown, meaning })));
      }
      return { candidates, speakers, unknown };
    },
    load: (reader, query, type, numbers) => loadRows(reader, query, type, numbers),
  };
}

const NOTHING: FoundCandidates = { candidates: [], speakers: new Set(), unknown: [] };

/** Nothing but memories has tags: where they are asked for, nothing else is meant. */
function typesOf({ types = ITEM_TYPES, filter }: CandidateQuery): readonly ItemType[] {
  return filter.tags && filter.tags.length > 0 ? types.filter((type) => type === 'memory') : types;
}

function lookOf(source: Source, query: CandidateQuery, { own }: Sizes): Look {
  return { source, narrowed: isNarrowing(source, query), own };
}

async function candidatesOf(
  reader: Reader,
  query: CandidateQuery,
  asked: Asked,
  { speakers, unknown, meaning }: Pick<FoundCandidates, 'speakers' | 'unknown'> & { meaning: Meaning | undefined },
): Promise<Candidate[]> {
  const { source, sizes, terms, isNarrow } = asked;
  const read = async (postings: Postings, vector: ReadonlyMap<number, number>, narrowed: boolean) => {
    const trigram = await scoreVariants(reader, query, asked, unknown, narrowed);
    const dated = await readDated(reader, source, query, [...postings.speakers], { limit: DATED, narrowed });
    const scores = { ...scoresOf(source, terms, postings, speakers, sizes), trigram, vector };
    const { all, matched } = numbersOf(scores, query.pool);
    const facts = await readFacts(reader, source, query, [...new Set([...all, ...dated])]);
    return { scores, facts, hidden: [...matched, ...dated].some((number) => !facts.has(number)) };
  };
  const nearest = meaning?.nearest.get(source.type) ?? new Map();
  let { scores, facts, hidden } = await read(asked.postings, nearest, isNarrow);
  // Hidden ones that are not swept yet took places of the pool: ask again with the condition inside.
  if (hidden && !isNarrow) {
    const postings = await readPostings(reader, source, query, terms, sizes, true);
    const shown =
      meaning && (await nearestRows(reader, { source, narrowed: true, own: sizes.own }, query, meaning.vector));
    ({ scores, facts } = await read(postings, shown ?? new Map(), true));
  }
  const vector = meaning
    ? await readCosines(reader, source, query, meaning.vector, facts, scores.vector)
    : scores.vector;
  return [...facts.values()].map((one) => candidateOf(source.type, one, { ...scores, vector }));
}

/** The rows worth looking at, and those of them that hold words of the query themselves, or nearly, or mean it. */
function numbersOf(
  { lexical, window, session, trigram, vector }: Scores,
  pool: number,
): { all: Set<number>; matched: number[] } {
  const matched = [...best(lexical, pool), ...best(trigram, pool), ...vector.keys()];
  const stretches = new Set(best(session, STRETCHES));
  const within = [...window.keys()].filter((number) => stretches.has(stretchOf(number)));
  const inStretches = best(new Map(within.map((number) => [number, window.get(number)!])), IN_STRETCHES);
  return { all: new Set([...matched, ...best(window, pool), ...inStretches]), matched };
}

async function readFacts(
  reader: Reader,
  source: Source,
  query: CandidateQuery,
  numbers: readonly number[],
): Promise<Map<number, CandidateFacts>> {
  if (numbers.length === 0) return new Map();
  const { facts, at, until } = source;
  const from = narrowedFrom(source, query, facts.join);
  const found = await reader.all<CandidateFacts>(
    `SELECT m.number, m.id, ${at} AS at, ${until} AS until, ${facts.speaker} AS speaker, ${facts.length} AS length,
       m.traits, m.dates, ${facts.traitsBefore} AS traitsBefore
     FROM (SELECT value AS number FROM json_each(?)) f ${from.sql}`,
    [JSON.stringify(numbers), ...from.values],
  );
  return new Map(found.map((row) => [row.number, row]));
}

function candidateOf(
  type: ItemType,
  facts: CandidateFacts,
  { lexical, window, session, trigram, vector, attainable }: Scores,
): Candidate {
  const { number } = facts;
  const at = (place: number) => lexical.get(place) ?? 0;
  const around = 0.5 * at(number - 1) + 0.3 * at(number + 1) + 0.2 * at(number - 2) + 0.1 * at(number + 2);
  const isMessage = type === 'message';
  return {
    type,
    facts,
    scores: {
      lexical: at(number) / (attainable || 1),
      trigram: trigram.get(number) ?? 0,
      window: window.get(number) ?? 0,
      session: session.get(stretchOf(number)) ?? 0,
      context: isMessage ? around : 0,
      before: isMessage ? at(number - 1) : 0,
      vector: vector.get(number),
    },
  };
}

/** The rows of a page, whole; those that are gone meanwhile are not among them. */
async function loadRows<T extends ItemType>(
  reader: Reader,
  query: CandidateQuery,
  type: T,
  numbers: readonly number[],
): Promise<Map<number, FoundRows[T]>> {
  if (numbers.length === 0) return new Map();
  const source = SOURCES[type] as unknown as Source;
  const from = narrowedFrom(source, query);
  const rows = await reader.all<FoundRows[T]>(
    `SELECT m.*${source.beside.columns} FROM (SELECT value AS number FROM json_each(?)) f ${from.sql}`,
    [JSON.stringify(numbers), ...from.values],
  );
  return new Map(rows.map((row) => [row.number, row]));
}
