import { AppError } from '../../contract/errors.ts';
import type { ImportOutcome } from '../../contract/import-outcome.ts';
import type { PortableEpisode } from '../../contract/portability.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { MessageReading } from '../conversations/conversations.ts';
import type { PreparedTerms } from '../text/prepared-terms.ts';
import type { Scopes } from '../text/scopes.ts';
import { EDITED, episodeCodec, type NewEpisodeRow } from './episode-row.ts';
import type { EpisodeWriting } from './episode-writing.ts';
import { type EpisodeExportFilter, findCutBefore, findEpisodeIds, listAllEpisodes } from './episodes-store.ts';

/** An episode to import; its ordinals are looked up from its messages. */
export type EpisodeDraft = Omit<NewEpisodeRow, 'scope' | 'fromOrdinal' | 'toOrdinal'>;

/** Export and import of episodes. */
export interface EpisodeTransfer {
  /** Exports a page of episodes, ordered by id. */
  read(reader: Reader, filter: EpisodeExportFilter): Promise<PortableEpisode[]>;
  /**
   * Imports episodes in the caller's transaction and returns an outcome for each: `known` if the id exists, or if the
   * episode was cut from messages that already have a cut.
   */
  restore(connection: Connection, drafts: readonly EpisodeDraft[], terms: PreparedTerms): Promise<ImportOutcome[]>;
}

interface Parts {
  reading: MessageReading;
  writing: EpisodeWriting;
  scopes: Scopes;
}

type ResolvedDraft = Omit<NewEpisodeRow, 'scope'>;

/** Exports and imports the episodes of an account. */
export function createEpisodeTransfer({ reading, writing, scopes }: Parts): EpisodeTransfer {
  /** Looks up the ordinals of a draft, or returns why it is not imported. */
  async function resolve(connection: Connection, draft: EpisodeDraft): Promise<ResolvedDraft | ImportOutcome> {
    try {
      const { tenantId, conversationId, fromMessageId, toMessageId } = draft;
      const span = await reading.spanOf(connection, tenantId, {
        conversationId: conversationId ?? undefined,
        fromMessageId: fromMessageId ?? undefined,
        toMessageId: toMessageId ?? undefined,
      });
      const { fromOrdinal = null, toOrdinal = null } = span ?? {};
      const resolved = { ...draft, fromOrdinal, toOrdinal };
      return draft.cut === 1 && (await isAlreadyCut(connection, resolved)) ? 'known' : resolved;
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
    async restore(connection, drafts, terms) {
      const [tenantId = ''] = drafts.map((draft) => draft.tenantId);
      const ids = drafts.map(({ id }) => id);
      const known = new Set(await findEpisodeIds(connection, tenantId, ids));
      const outcomes: ImportOutcome[] = [];
      const added: ResolvedDraft[] = [];
      for (const draft of drafts) {
        const resolved = known.has(draft.id) ? 'known' : await resolve(connection, draft);
        known.add(draft.id);
        const isAdded = typeof resolved === 'object' && 'id' in resolved;
        outcomes.push(isAdded ? 'added' : resolved);
        if (isAdded) added.push(resolved);
      }
      const scopeOf = await scopes.ensure(connection, added);
      await writing.insert(
        connection,
        added.map((row) => ({ ...row, scope: scopeOf(row) })),
        terms,
      );
      return outcomes;
    },
  };
}

async function isAlreadyCut(connection: Connection, row: ResolvedDraft): Promise<boolean> {
  const before = await findCutBefore(connection, row.tenantId, row.conversationId!, row.toOrdinal!);
  return before !== undefined && before.toOrdinal! >= row.fromOrdinal!;
}

/** Converts an exported episode to a draft without ordinals. Throws `invalid_request` if it is inconsistent. */
export function episodeDraftOf(tenantId: string, episode: PortableEpisode): EpisodeDraft {
  const draft: EpisodeDraft = {
    ...episodeCodec.fromPortable(episode),
    tenantId,
    edited: episode.edited.reduce((bits, word) => bits | EDITED[word], 0),
  };
  if (draft.endedAt < draft.startedAt) throw inconsistent('endedAt', 'must not be before startedAt');
  const hasSpan = draft.conversationId !== null && draft.fromMessageId !== null;
  if (draft.cut === 1 && !hasSpan) {
    throw inconsistent('fromMessageId', 'is required in an episode that was cut from a conversation');
  }
  return draft;
}

function inconsistent(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path} ${message}.`, { errors: [{ path, message }] });
}
