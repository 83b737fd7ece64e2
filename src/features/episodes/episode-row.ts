import { episodeFields } from '../../contract/episodes.ts';
import { createRowCodec, type RowOf } from '../../db/row-codec.ts';
import { columnNames } from '../../db/values.ts';
import type { TextEntry } from '../text/text-index-sqlite.ts';
import { deriveFrom } from '../text/traits.ts';

/** The columns beside the fields. */
interface EpisodeStorage {
  tenantId: string;
  scope: number;
  /** Its messages by their places in the conversation, both included. */
  fromOrdinal: number | null;
  toOrdinal: number | null;
  /** Which words of a cut one a person wrote, which are kept: 1 the title, 2 the summary, 3 both. */
  edited: number;
}

/** An episode as it is stored. */
export interface NewEpisodeRow extends RowOf<typeof episodeFields>, EpisodeStorage {}

export interface EpisodeRow extends NewEpisodeRow {
  number: number;
}

/** Between rows and what the interface shows and takes. */
export const episodeCodec = createRowCodec(episodeFields);
export const { toAnswer: toEpisode } = episodeCodec;

/** All but `traits` and `dates`, which `derivedOf` gives. */
export const EPISODE_COLUMNS: readonly (keyof NewEpisodeRow)[] = [
  ...episodeCodec.columns,
  ...columnNames<EpisodeStorage>({ tenantId: true, scope: true, fromOrdinal: true, toOrdinal: true, edited: true }),
];

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
