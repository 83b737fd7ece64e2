import { originOfRole } from '../../contract/origin.ts';
import type { ItemType, SearchResult } from '../../contract/search.ts';
import { type MessageRow, toMessage } from '../conversations/conversations.ts';
import { type EpisodeRow, toEpisode } from '../episodes/episodes.ts';
import type { LearnedMatches, WordMatch } from '../learning/learning.ts';
import { type MemoryRow, toMemory } from '../memories/memories.ts';
import { stemOf } from '../text/porter.ts';
import { termsOf } from '../text/terms.ts';
import { indexedStemOf } from '../words/related-words.ts';
import type { Candidate, ItemRows, RelatedMatch } from './candidate.ts';
import { explainSignals, type Fused } from './fusion.ts';
import type { Ranking } from './ranking.ts';

/** A hit with the probability that it answers the query. */
export type RatedHit = Fused<Candidate> & { relevance: number };

/**
 * A hit with its whole row, and the ids of a newer hit about the same thing and of a memory that may have taken its place. One
 * that `standsFor` another was not found itself: it may have taken the place of that one, whose signals and ranks it has.
 */
export type LoadedHit = RatedHit & {
  row: ItemRows[ItemType];
  restatedBy?: string;
  possiblySupersededBy?: string;
  standsFor?: Candidate;
};

/** What words other than those of an item led to it. */
export interface Explained {
  related: readonly RelatedMatch[];
  learned: LearnedMatches | undefined;
}

/** Converts hits to results, each with the parts of its score if `explained` is given. */
export function toResults(
  hits: readonly LoadedHit[],
  { untaught, weights }: Pick<Ranking, 'untaught' | 'weights'>,
  explained: Explained | undefined,
): SearchResult[] {
  return hits.map((hit, index) => {
    const { relevance, restatedBy, possiblySupersededBy } = hit;
    const score = Math.round(hit.score * 1e6) / 1e6;
    const result = {
      ...itemOf(hit),
      ...{ score, relevance },
      ...(restatedBy !== undefined && { restatedBy }),
      ...(possiblySupersededBy !== undefined && { possiblySupersededBy }),
    };
    if (explained === undefined) return result;
    const defaultRank = untaught.findIndex(({ item }) => item === (hit.standsFor ?? hit.item)) + 1;
    const signals = explainSignals(hit, weights);
    const related = relatedIn(hit, result.content, explained.related);
    const learnedWords = learnedWordsOf(hit, explained.learned);
    const words = { ...(related.length > 0 && { related }), ...(learnedWords.length > 0 && { learnedWords }) };
    return { ...result, why: { rank: index + 1, defaultRank, signals, ...words } };
  });
}

/** The words of the question that led to a hit. */
export function learnedMatchesOf(
  { item: { type, facts } }: LoadedHit,
  learned: LearnedMatches | undefined,
): readonly WordMatch[] {
  return learned?.get(type)?.get(facts.rowId) ?? [];
}

function learnedWordsOf(hit: LoadedHit, learned: LearnedMatches | undefined) {
  return learnedMatchesOf(hit, learned).map(({ word, uses, observedUses }) => ({ word, uses, observedUses }));
}

/** The words of a memory that matched as related to a query term, as the memory spells them. */
function relatedIn(
  { item: { type, facts } }: LoadedHit,
  content: string,
  related: readonly RelatedMatch[],
): { term: string; word: string }[] {
  if (type !== 'memory') return [];
  const matches = related.filter(({ rowIds }) => rowIds.includes(facts.rowId));
  const words = matches.length === 0 ? [] : termsOf(content);
  return matches.flatMap(({ term, stem }) => {
    const word = words.find((one) => stemOf(one) === stem || indexedStemOf(one) === stem);
    return word === undefined ? [] : { term, word };
  });
}

/** Placeholders that fix the order of the fields; the hit's own values replace them. */
const UNRATED = { score: 0, relevance: 0 };

function itemOf({ item: { type }, row }: LoadedHit): SearchResult {
  if (type === 'memory') return { type, ...UNRATED, ...toMemory(row as MemoryRow) };
  if (type === 'message') {
    const { endUser: user, project, content } = row as ItemRows['message'];
    const message = toMessage(row as MessageRow);
    return { type, ...UNRATED, user, project, origin: originOfRole(message.role), ...message, content };
  }
  const whole = toEpisode(row as EpisodeRow);
  const { fromMessageId: _from, toMessageId: _to, memoryIds: _memories, cut: _cut, ...episode } = whole;
  const content = episode.summary ? `${episode.title}: ${episode.summary}` : episode.title;
  return { type, ...UNRATED, content, origin: null, ...episode };
}
