import type { EpisodeChange, NewEpisode } from '../../contract/episodes.ts';
import { AppError } from '../../contract/errors.ts';
import { EDITED, type EpisodeRow, episodeCodec, type NewEpisodeRow } from './episode-row.ts';

type Assigned = 'tenantId' | 'endUser' | 'project' | 'scope' | 'id' | 'fromOrdinal' | 'toOrdinal';

/** The row of an episode that a client creates. Throws `invalid_request` for a value that cannot be stored. */
export function newRow(body: NewEpisode, assigned: Pick<NewEpisodeRow, Assigned>, nowMs: number): NewEpisodeRow {
  return {
    ...episodeCodec.fromNew(body, ''),
    ...assigned,
    cut: 0,
    edited: 0,
    version: 1,
    createdAt: nowMs,
    updatedAt: nowMs,
  };
}

/** Returns the same row if the change has no effect. Throws `conflict` for the times of a cut. */
export function changedRow(row: EpisodeRow, change: EpisodeChange, nowMs: number): EpisodeRow {
  if (row.cut === 1 && (change.startedAt !== undefined || change.endedAt !== undefined)) {
    throw new AppError('conflict', 'This episode was cut from a conversation, so its times follow from its messages.');
  }
  const changed = episodeCodec.changed(row, change);
  if (changed === undefined) return row;
  const { title, summary, version } = row;
  const edits = (changed.title === title ? 0 : EDITED.title) | (changed.summary === summary ? 0 : EDITED.summary);
  return { ...changed, edited: row.edited | edits, version: version + 1, updatedAt: nowMs };
}

/** Throws `invalid_request` if an episode ends before it starts. */
export function requireOrder({ startedAt, endedAt }: Pick<EpisodeRow, 'startedAt' | 'endedAt'>): void {
  if (endedAt >= startedAt) return;
  const errors = [{ path: '/endedAt', message: 'must not be before startedAt' }];
  throw new AppError('invalid_request', 'The episode ends before it starts.', { errors });
}
