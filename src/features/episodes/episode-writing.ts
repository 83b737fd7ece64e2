import type { Connection } from '../../db/connection.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { TextIndex } from '../text/text-index-sqlite.ts';
import type { TextPurge } from '../text/text-purge.ts';
import { type EpisodeRow, type NewEpisodeRow, textEntryOf } from './episode-row.ts';
import { deleteEpisode, insertEpisodes, updateEpisode } from './episodes-store.ts';

/** Writes episodes with their index entries, and redacts stored answers, in the caller's transaction. */
export interface EpisodeWriting {
  insert(connection: Connection, rows: readonly NewEpisodeRow[]): Promise<void>;
  update(connection: Connection, row: EpisodeRow): Promise<void>;
  erase(connection: Connection, row: EpisodeRow): Promise<void>;
}

interface Parts {
  idempotency: Idempotency;
  text: TextIndex;
  purge: TextPurge;
}

export function createEpisodeWriting({ idempotency, text, purge }: Parts): EpisodeWriting {
  return {
    async insert(connection, rows) {
      const numbers = await insertEpisodes(connection, rows);
      await text.insert(
        connection,
        rows.map((row) => textEntryOf(row, numbers.get(row.id)!)),
      );
    },
    async update(connection, row) {
      await updateEpisode(connection, row);
      await text.remove(connection, [row.number]);
      await text.insert(connection, [textEntryOf(row, row.number)]);
      purge.due();
    },
    async erase(connection, { tenantId, id, number }) {
      await deleteEpisode(connection, tenantId, id);
      await text.remove(connection, [number]);
      await idempotency.redact(connection, tenantId, id);
      purge.due();
    },
  };
}
