import type { SearchResult } from '../../contract/search.ts';
import { type MessageRow, toMessage } from '../conversations/conversations.ts';
import { type EpisodeRow, toEpisode } from '../episodes/episodes.ts';
import { type MemoryRow, toMemory } from '../memories/memories.ts';
import type { Candidate } from './candidate.ts';
import { type Fused, sharesOf, type Weights } from './fusion.ts';
import type { FoundRows } from './sources-sqlite.ts';

/** A hit with its row, whole. */
export type LoadedHit = Fused<Candidate> & { row: FoundRows[keyof FoundRows] };

/** Of equal scores the newest stands first; the order rests on nothing that an export would not carry. */
export function compareCandidates(a: Candidate, b: Candidate): number {
  return b.facts.at - a.facts.at || (a.facts.id < b.facts.id ? 1 : -1);
}

/** A hit as the interface shows it; with its ranks, why it stands there. */
export function toResult(
  hit: LoadedHit,
  weights: Weights,
  ranks: { rank: number; defaultRank: number } | undefined,
): SearchResult {
  const result = { ...itemOf(hit), score: Math.round(hit.score * 1e6) / 1e6 };
  return ranks === undefined
    ? result
    : { ...result, why: { ...ranks, signals: sharesOf(hit.signals, weights, hit.item.type !== 'message') } };
}

function itemOf({ item: { type }, row }: LoadedHit): SearchResult {
  if (type === 'memory') return { type, score: 0, ...toMemory(row as MemoryRow) };
  if (type === 'message') {
    return { type, score: 0, user: (row as FoundRows['message']).endUser, ...toMessage(row as MessageRow) };
  }
  const whole = toEpisode(row as EpisodeRow);
  const { fromMessageId: _from, toMessageId: _to, memoryIds: _memories, cut: _cut, ...episode } = whole;
  const content = episode.summary ? `${episode.title}: ${episode.summary}` : episode.title;
  return { type, score: 0, content, ...episode };
}
