import { AppError } from '../../contract/errors.ts';
import type { ImportOutcome } from '../../contract/import-outcome.ts';
import type { PortableEpisode } from '../../contract/portability.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { MessageReading } from '../conversations/conversations.ts';
import type { Scopes } from '../text/scopes.ts';
import { type EpisodePlaceFilter, findEpisodeIds, listAllEpisodes } from './episode-export-store.ts';
import { EDITED, episodeCodec, type NewEpisodeRow } from './episode-row.ts';
import type { EpisodeWriting } from './episode-writing.ts';
import { findCutBefore } from './episodes-store.ts';

/** An episode as it is to be brought in; its ordinals come from its messages. */
export type EpisodeDraft = Omit<NewEpisodeRow, 'scope' | 'fromOrdinal' | 'toOrdinal'>;

/** Episodes as they leave an account and come into one. */
export interface EpisodeTransfer {
  /** A page in the order of their ids. */
  read(reader: Reader, filter: EpisodePlaceFilter): Promise<PortableEpisode[]>;
  /**
   * Brings episodes in, in the caller's transaction, a fate each. Whose id is there is known, and so is one that was
   * cut from messages of which there is a cut already.
   */
  restore(connection: Connection, drafts: readonly EpisodeDraft[]): Promise<ImportOutcome[]>;
}

interface Parts {
  reading: MessageReading;
  writing: EpisodeWriting;
  scopes: Scopes;
}

type Placed = Omit<NewEpisodeRow, 'scope'>;

/** The face of the episodes room for whole accounts. */
export function createEpisodeTransfer({ reading, writing, scopes }: Parts): EpisodeTransfer {
  /** The episode at its place in the conversation, or what keeps it from there. */
  async function place(connection: Connection, draft: EpisodeDraft): Promise<Placed | ImportOutcome> {
    try {
      const { tenantId, conversationId, fromMessageId, toMessageId } = draft;
      const span = await reading.spanOf(connection, tenantId, {
        conversationId: conversationId ?? undefined,
        fromMessageId: fromMessageId ?? undefined,
        toMessageId: toMessageId ?? undefined,
      });
      const { fromOrdinal = null, toOrdinal = null } = span ?? {};
      const placed = { ...draft, fromOrdinal, toOrdinal };
      return draft.cut === 1 && (await isCutAlready(connection, placed)) ? 'known' : placed;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (error.code === 'not_found')
        return { reason: 'its conversation or one of its messages does not exist', fault: true };
      if (error.code === 'invalid_request') return { reason: error.options.errors![0]!.message, fault: true };
      throw error;
    }
  }

  return {
    async read(reader, filter) {
      return (await listAllEpisodes(reader, filter)).map((row) => ({
        type: 'episode',
        ...episodeCodec.toPortable(row),
        edited: (['title', 'summary'] as const).filter((word) => (row.edited & EDITED[word]) !== 0),
      }));
    },
    async restore(connection, drafts) {
      const [tenantId = ''] = drafts.map((draft) => draft.tenantId);
      const ids = drafts.map(({ id }) => id);
      const known = new Set(await findEpisodeIds(connection, tenantId, ids));
      const fates: ImportOutcome[] = [];
      const added: Placed[] = [];
      for (const draft of drafts) {
        const placed = known.has(draft.id) ? 'known' : await place(connection, draft);
        known.add(draft.id);
        const isAdded = typeof placed === 'object' && 'id' in placed;
        fates.push(isAdded ? 'added' : placed);
        if (isAdded) added.push(placed);
      }
      const scopeOf = await scopes.ensure(connection, added);
      await writing.insert(
        connection,
        added.map((row) => ({ ...row, scope: scopeOf(row) })),
      );
      return fates;
    },
  };
}

async function isCutAlready(connection: Connection, row: Placed): Promise<boolean> {
  const before = await findCutBefore(connection, row.tenantId, row.conversationId!, row.toOrdinal!);
  return before !== undefined && before.toOrdinal! >= row.fromOrdinal!;
}

/** An episode as it is stored, its place left open. Throws `invalid_request` where it cannot be kept as it is. */
export function episodeDraftOf(tenantId: string, episode: PortableEpisode): EpisodeDraft {
  const draft: EpisodeDraft = {
    ...episodeCodec.fromPortable(episode),
    tenantId,
    edited: episode.edited.reduce((bits, word) => bits | EDITED[word], 0),
  };
  if (draft.endedAt < draft.startedAt) throw unsound('endedAt', 'must not be before startedAt');
  const isPlaced = draft.conversationId !== null && draft.fromMessageId !== null;
  if (draft.cut === 1 && !isPlaced) throw unsound('fromMessageId', 'is missing in what was cut from a conversation');
  return draft;
}

function unsound(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path} ${message}.`, { errors: [{ path, message }] });
}
