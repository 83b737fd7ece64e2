import type { Episode } from '../../contract/episodes.ts';
import { toTimestamp } from '../../lib/clock.ts';
import type { TextEntry } from '../text/text-index-sqlite.ts';
import { deriveFrom } from '../text/traits.ts';

/** An episode as it is stored; instants are epoch milliseconds, `memoryIds` and `metadata` JSON. */
export interface EpisodeRow {
  number: number;
  tenantId: string;
  id: string;
  scope: number;
  endUser: string;
  title: string;
  summary: string | null;
  outcome: string | null;
  conversationId: string | null;
  /** Its messages by their places in the conversation, both included. */
  fromOrdinal: number | null;
  toOrdinal: number | null;
  fromMessageId: string | null;
  toMessageId: string | null;
  memoryIds: string;
  metadata: string;
  /** 1 where svc cut it. */
  cut: number;
  /** Which words of a cut one a person wrote, which are kept: 1 the title, 2 the summary, 3 both. */
  edited: number;
  version: number;
  startedAt: number;
  endedAt: number;
  createdAt: number;
  updatedAt: number;
}

export type NewEpisodeRow = Omit<EpisodeRow, 'number'>;

/** The bits of `edited`. */
export const EDITED = { title: 1, summary: 2 } as const;

/** An episode as the full-text index takes it. */
export function textEntryOf(row: NewEpisodeRow, number: number): TextEntry {
  const { title, summary, outcome, scope, startedAt, endedAt } = row;
  const days = { at: startedAt, until: endedAt, dates: null };
  return { number, scope, part: 'live', texts: [title, summary ?? '', outcome ?? ''], days };
}

/** What a search wants to know of an episode beside its words, as columns: `traits`, `dates`. */
export function derivedOf({ title, summary, outcome, startedAt }: NewEpisodeRow): [number, string | null] {
  const { traits, dates } = deriveFrom([title, summary ?? '', outcome ?? ''].join(' '), startedAt);
  return [traits, dates];
}

/** A stored episode as the interface shows it. */
export function toEpisode(row: NewEpisodeRow): Episode {
  return {
    id: row.id,
    title: row.title,
    summary: row.summary,
    user: row.endUser,
    conversationId: row.conversationId,
    fromMessageId: row.fromMessageId,
    toMessageId: row.toMessageId,
    startedAt: toTimestamp(row.startedAt),
    endedAt: toTimestamp(row.endedAt),
    outcome: row.outcome,
    memoryIds: JSON.parse(row.memoryIds) as string[],
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    cut: row.cut === 1,
    version: row.version,
    createdAt: toTimestamp(row.createdAt),
    updatedAt: toTimestamp(row.updatedAt),
  };
}
