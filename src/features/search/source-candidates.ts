import type { ItemType } from '../../contract/search.ts';
import type { WordMatch } from '../learning/learning.ts';
import { passageOf } from '../text/passages.ts';
import { stemOf } from '../text/porter.ts';
import { rootOf } from '../text/word-forms.ts';
import type { Candidate, CandidateFacts, FoundCandidates, RelatedMatch } from './candidate.ts';
import { categoryShareOf, READ_CHARACTERS } from './category.ts';
import { coverageOf, type WeightedTerm, weightOf } from './coverage.ts';
import { type LexicalScores, scoreRows, WINDOW_REACH } from './lexical.ts';
import { type Scores, scoreOf, selectScores, topK } from './scores.ts';
import type { SourceSearch } from './source-search.ts';
import { countedTerms, lookUpVisible, readSpellings, scoreTerms, type TermLookup } from './term-lookup.ts';
import { completeCosines, MAX_NEAREST, type NearestRows } from './vectors.ts';
import { readFacts } from './visible-rows-store.ts';
import type { RelatedPosting } from './word-classes.ts';

/** The best passages, and how many of their messages become candidates. */
const TOP_PASSAGES = 3;
const MAX_PASSAGE_ROWS = 60;
/** Candidates by date alone. */
const MAX_DATED = 150;

type AllScores = LexicalScores & { trigram: Scores; vector: ReadonlyMap<number, number> };

/** Facts that are known once the terms were looked up in all sources. */
interface QueryFindings extends Pick<FoundCandidates, 'speakers' | 'unknown'> {
  nearest: NearestRows | undefined;
}

/** The candidates of one source, and the terms that they were found by. */
export interface SourceCandidates {
  candidates: Candidate[];
  terms: readonly WeightedTerm[];
  related: readonly RelatedMatch[];
  forms: TermLookup['forms'];
}

/** Finds rows that match, their surroundings, and rows of the dates asked for. */
export async function findSourceCandidates(lookup: TermLookup, findings: QueryFindings): Promise<SourceCandidates> {
  const { search } = lookup;
  const { nearest } = findings;
  let pool = await readPool(lookup, findings, nearest?.byType.get(search.source.type) ?? new Map());
  // Hidden rows not yet swept from the index took places in the pool: search again without them.
  if (pool.hasHidden && !search.visibleOnly) {
    const visible = await lookUpVisible(lookup);
    const cosines = nearest ? await search.engine.nearest(visible.search, nearest.vector, MAX_NEAREST) : new Map();
    pool = await readPool(visible, findings, cosines);
  }
  const { facts, scores, terms, related, categoryOf } = pool;
  const { type } = search.source;
  const vector = nearest ? await completeCosines(search, nearest.vector, facts.keys(), scores.vector) : scores.vector;
  const coverage = coverageOf(terms, facts.keys(), type === 'message' ? WINDOW_REACH : 0, search.query.ways);
  const learnedShare = learnedShareOf(terms);
  const candidates = [...facts.values()].map((row) => ({
    ...toCandidate(type, row, { ...scores, vector }),
    coverage: coverage(row.rowId),
    category: categoryOf?.(row.text ?? '') ?? 0,
    learnedWords: learnedShare(row.rowId),
  }));
  return { candidates, terms, related, forms: lookup.forms };
}

interface Pool {
  scores: AllScores;
  facts: Map<number, CandidateFacts>;
  terms: WeightedTerm[];
  related: RelatedMatch[];
  categoryOf: ((text: string) => number) | undefined;
  /** Whether rows were found that the query may not show. */
  hasHidden: boolean;
}

async function readPool(
  lookup: TermLookup,
  { speakers, unknown }: QueryFindings,
  vector: ReadonlyMap<number, number>,
): Promise<Pool> {
  const { search, postings } = lookup;
  const { documents } = search.totals;
  const spellings = await readSpellings(search, unknown);
  const counted = countedTerms(lookup, speakers);
  const words = counted.map(({ posting }) => posting);
  const trigram = scoreRows([...spellings.values()].flat(), documents);
  const dated = await readDated(search, postings.speakers);
  const relatedWords = lookup.related.map(({ posting }) => posting);
  const scores = { ...scoreTerms(search, words, relatedWords), trigram, vector };
  const learned = search.query.learned?.get(search.source.type) ?? new Map<number, readonly WordMatch[]>();
  const { all, matched } = selectRows(scores, search.query.pool);
  const terms = counted.map(({ term, posting }) => ({
    term,
    weight: weightOf(term, posting.documents, documents, search.query.reading?.isCommon),
    postings: [posting, ...(spellings.get(term) ?? [])],
    related: lookup.related.filter((one) => one.term === term).map((one) => one.posting),
    learned: certaintiesOf(term, learned),
  }));
  const categoryOf = categoryShareOf(lookup.table, terms);
  const facts = await readFacts(
    search,
    [...new Set([...all, ...dated, ...learned.keys()])],
    categoryOf ? READ_CHARACTERS : 0,
  );
  const related = lookup.related.map(toMatch);
  return {
    scores,
    facts,
    terms,
    related,
    categoryOf,
    hasHidden: [...matched, ...dated].some((rowId) => !facts.has(rowId)),
  };
}

function toMatch({ term, word, relation, as, posting: { rowIds, similarity } }: RelatedPosting): RelatedMatch {
  return { term, stem: relation === 'member' || as === 'stem' ? word : stemOf(word), similarity, rowIds };
}

/** How surely a term leads to each row that it leads to. */
function certaintiesOf(
  term: string,
  learned: ReadonlyMap<number, readonly WordMatch[]>,
): ReadonlyMap<number, number> | undefined {
  if (learned.size === 0) return undefined;
  const root = rootOf(term);
  const certainties = new Map<number, number>();
  for (const [rowId, matches] of learned) {
    const certainty = Math.max(0, ...matches.filter((match) => match.root === root).map((match) => match.certainty));
    if (certainty > 0) certainties.set(rowId, certainty);
  }
  return certainties;
}

/** Above 1, one common word of several says less than its share. */
const SHARE_POWER = 2;

/** The share of the terms' weight that leads to a row, each term by its certainty. */
function learnedShareOf(terms: readonly WeightedTerm[]): (rowId: number) => number {
  const leading = terms.filter(({ learned }) => learned !== undefined);
  if (leading.length === 0) return () => 0;
  const total = terms.reduce((sum, { weight }) => sum + weight, 0);
  return (rowId) => {
    const led = leading.reduce((sum, { weight, learned }) => sum + weight * (learned!.get(rowId) ?? 0), 0);
    return (led / (total || 1)) ** SHARE_POWER;
  };
}

async function readDated(search: SourceSearch, speakers: ReadonlySet<string>): Promise<number[]> {
  if (search.query.months.length === 0) return [];
  return search.engine.dated(search, { speakers: [...speakers], limit: MAX_DATED });
}

/** The best rows by each score; `matched` are those that match themselves, not only by their surroundings. */
function selectRows(
  { lexical, window, session, trigram, vector }: AllScores,
  pool: number,
): { all: Set<number>; matched: number[] } {
  const matched = [...topK(lexical, pool), ...topK(trigram, pool), ...vector.keys()];
  const passages = new Set(topK(session, TOP_PASSAGES));
  const inPassages = selectScores(window, (rowId) => passages.has(passageOf(rowId)));
  return { all: new Set([...matched, ...topK(window, pool), ...topK(inPassages, MAX_PASSAGE_ROWS)]), matched };
}

function toCandidate(
  type: ItemType,
  facts: CandidateFacts,
  scores: AllScores,
): Omit<Candidate, 'coverage' | 'category' | 'learnedWords'> {
  const { rowId } = facts;
  const lexicalOf = (neighbor: number) => scoreOf(scores.lexical, neighbor);
  const context =
    0.5 * lexicalOf(rowId - 1) + 0.3 * lexicalOf(rowId + 1) + 0.2 * lexicalOf(rowId - 2) + 0.1 * lexicalOf(rowId + 2);
  const isMessage = type === 'message';
  return {
    type,
    facts,
    scores: {
      lexical: lexicalOf(rowId) / (scores.attainable || 1),
      trigram: scoreOf(scores.trigram, rowId),
      window: scoreOf(scores.window, rowId),
      session: scoreOf(scores.session, passageOf(rowId)),
      context: isMessage ? context : 0,
      before: isMessage ? lexicalOf(rowId - 1) : 0,
      vector: scores.vector.get(rowId),
    },
  };
}
