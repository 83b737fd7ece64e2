import { episodeFields } from '../../contract/episodes.ts';
import { createRowCodec, type RowOf } from '../../db/row-codec.ts';
import { columnNames, textBytesOf } from '../../db/values.ts';
import type { ItemTexts } from '../text/prepared-terms.ts';
import type { TextEntry } from '../text/text-indices.ts';
import { deriveFrom } from '../traits/traits.ts';

/** The columns that are not API fields. */
interface EpisodeStorage {
  tenantId: string;
  scope: number;
  /** The ordinals of the first and the last message. */
  fromOrdinal: number | null;
  toOrdinal: number | null;
  /** Bits of `EDITED`: the texts of a cut that a caller changed, which svc does not overwrite. */
  edited: number;
}

/** A stored episode. */
export interface NewEpisodeRow extends RowOf<typeof episodeFields>, EpisodeStorage {}

export interface EpisodeRow extends NewEpisodeRow {
  number: number;
}

/** Converts between rows and API values. */
export const episodeCodec = createRowCodec(episodeFields);
export const { toAnswer: toEpisode } = episodeCodec;

/** All columns except `traits` and `dates`, which `derivedOf` returns. */
export const EPISODE_COLUMNS: readonly (keyof NewEpisodeRow)[] = [
  ...episodeCodec.columns,
  ...columnNames<EpisodeStorage>({ tenantId: true, scope: true, fromOrdinal: true, toOrdinal: true, edited: true }),
];

/** The columns that count as stored bytes, and that are overwritten when an episode is erased. */
export const EPISODE_TEXTS = ['title', 'summary', 'outcome', 'memoryIds', 'metadata'] as const;

/** Returns the stored bytes of an episode. */
export function bytesOf(row: Pick<NewEpisodeRow, (typeof EPISODE_TEXTS)[number]>): number {
  return textBytesOf(row, EPISODE_TEXTS);
}

/** The bits of `edited`. */
export const EDITED = { title: 1, summary: 2 } as const;

/** The indexed texts of an episode. */
export function textsOf({ title, summary, outcome }: Pick<NewEpisodeRow, 'title' | 'summary' | 'outcome'>): ItemTexts {
  return [title, summary ?? '', outcome ?? ''];
}

/** Converts an episode to a full-text index entry. */
export function textEntryOf(row: NewEpisodeRow, number: number): TextEntry {
  const { tenantId, scope, startedAt, endedAt } = row;
  const days = { at: startedAt, until: endedAt, dates: null };
  return { tenantId, scope, number, part: 'live', texts: textsOf(row), days };
}

/** Derives the search signals of an episode: the values of `traits` and `dates`. */
export function derivedOf(row: NewEpisodeRow): [number, string | null] {
  const { traits, dates } = deriveFrom(textsOf(row).join(' '), row.startedAt);
  return [traits, dates];
}
