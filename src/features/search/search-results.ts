import type { SearchResult } from '../../contract/search.ts';
import { toMessage } from '../conversations/conversations.ts';
import { toEpisode } from '../episodes/episodes.ts';
import { toMemory } from '../memories/memories.ts';
import type { Candidate } from './candidates-sqlite.ts';
import { type Fused, sharesOf, type Weights } from './fusion.ts';

/** Of equal scores the newest stands first; types in a fixed order, as their numbers say nothing of each other. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  return ORDER[a.type] - ORDER[b.type] || b.row.number - a.row.number;
}

const ORDER = { memory: 0, episode: 1, message: 2 } as const;

/** A candidate as the interface shows it; with its ranks, why it stands there. */
export function toResult(
  { item, score, signals }: Fused<Candidate>,
  weights: Weights,
  ranks: { rank: number; defaultRank: number } | undefined,
): SearchResult {
  const result = { ...itemOf(item), score: Math.round(score * 1e6) / 1e6 };
  return ranks === undefined ? result : { ...result, why: { ...ranks, signals: sharesOf(signals, weights) } };
}

function itemOf({ type, row }: Candidate): Omit<SearchResult, 'score'> & SearchResult {
  if (type === 'memory') return { type, score: 0, ...toMemory(row) };
  if (type === 'message') return { type, score: 0, user: row.endUser, ...toMessage(row) };
  const { fromMessageId: _from, toMessageId: _to, memoryIds: _memories, cut: _cut, ...episode } = toEpisode(row);
  const content = episode.summary === null ? episode.title : `${episode.title}: ${episode.summary}`;
  return { type, score: 0, content, ...episode };
}
