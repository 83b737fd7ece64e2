import type { Connection } from '../../db/connection.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { PreparedTerms } from '../text/prepared-terms.ts';
import type { TextIndex } from '../text/text-indices.ts';
import type { TextPurge } from '../text/text-purge.ts';
import { type EpisodeRow, type NewEpisodeRow, textEntryOf } from './episode-row.ts';
import { deleteEpisode, insertEpisodes, updateEpisode } from './episodes-store.ts';

/**
 * Writes episodes with their index entries, and redacts stored answers, in the caller's transaction. With `terms`,
 * throws `TermsMissing`; see `writeWithTerms`.
 */
export interface EpisodeWriting {
  insert(connection: Connection, rows: readonly NewEpisodeRow[], terms?: PreparedTerms): Promise<void>;
  update(connection: Connection, row: EpisodeRow, terms?: PreparedTerms): Promise<void>;
  erase(connection: Connection, row: EpisodeRow): Promise<void>;
}

interface Parts {
  idempotency: Idempotency;
  text: TextIndex;
  purge: TextPurge;
}

export function createEpisodeWriting({ idempotency, text, purge }: Parts): EpisodeWriting {
  return {
    async insert(connection, rows, terms) {
      const numbers = await insertEpisodes(connection, rows);
      await text.insert(
        connection,
        rows.map((row) => textEntryOf(row, numbers.get(row.id)!)),
        terms,
      );
    },
    async update(connection, row, terms) {
      await updateEpisode(connection, row);
      await text.remove(connection, [row]);
      await text.insert(connection, [textEntryOf(row, row.number)], terms);
      purge.due();
    },
    async erase(connection, row) {
      const { tenantId, id } = row;
      await deleteEpisode(connection, tenantId, id);
      await text.remove(connection, [row]);
      await idempotency.redact(connection, tenantId, [id]);
      purge.due();
    },
  };
}
