import { AppError } from '../../contract/errors.ts';
import { MAX_EXTRACTED_CHARACTERS } from '../../contract/extraction-portions.ts';
import type { Decision } from '../../contract/jobs.ts';
import type { Tier } from '../../contract/limits.ts';
import type { Memory } from '../../contract/memories.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { ConversationRow, MessageReading } from '../conversations/conversations.ts';
import type { MeteredTenant } from '../limits/usage.ts';
import type { Memories } from '../memories/memories.ts';
import type { RelatedMemories } from '../search/related-memories.ts';
import type { PreparedTerms } from '../text/prepared-terms.ts';
import { applyProposals, type Extractor } from './apply-proposals.ts';
import { type Chunk, isUnchanged, toChunk } from './conversation-chunk.ts';
import { updateThrough } from './extraction-store.ts';
import type { Proposal } from './proposals.ts';

/** Messages of a conversation, after one ordinal and up to another. After `failures` fewer are read. */
export interface ChunkRange {
  fromOrdinal: number;
  /** How far the first of them was read before. */
  partlyRead: string | null;
  toOrdinal: number;
  failures: number;
}

/** What a model is shown: a part of a conversation, and what is known about the same. */
export interface Shown {
  conversation: ConversationRow;
  range: ChunkRange;
  chunk: Chunk;
  known: readonly Memory[];
}

/** Reads what a model is shown of a conversation, and stores what it extracts from that. */
export interface ShownChunks {
  read(reader: Reader, conversation: ConversationRow, range: ChunkRange): Promise<Chunk>;
  /** Finds memories about the same, but none whose text the model may not replace. */
  knownOf(conversation: ConversationRow, chunk: Chunk): Promise<Memory[]>;
  /** Throws `not_found`. */
  tenantOf(reader: Reader, tenantId: string): Promise<MeteredTenant>;
  /**
   * Stores proposals and how far the conversation was read, in the caller's transaction; `undefined` if anything that the model was shown has changed or been erased,
   * because its output may repeat that. Throws `quota_exceeded` and `TermsMissing`.
   */
  apply(
    connection: Connection,
    shown: Shown,
    proposals: readonly Proposal[],
    by: { extractor: Extractor; terms: PreparedTerms },
  ): Promise<Decision[] | undefined>;
}

interface Parts {
  reading: MessageReading;
  memories: Memories;
  related: RelatedMemories;
  /** The tenant's tier, or `undefined` if the tenant does not exist. */
  tierOf(reader: Reader, tenantId: string): Promise<Tier | undefined>;
}

/** Messages scanned for one chunk. */
const CHUNK_PAGE = 100;
const EARLIER_MESSAGES = 12;

/** Whether the model may replace the text of a memory: it writes no longer one. */
export function isShort({ content }: Memory): boolean {
  return content.length <= MAX_EXTRACTED_CHARACTERS;
}

/** Composes reading, finding what is known, and storing. */
export function createShownChunks({ reading, memories, related, tierOf }: Parts): ShownChunks {
  async function read(reader: Reader, conversation: ConversationRow, range: ChunkRange): Promise<Chunk> {
    const { fromOrdinal, partlyRead, toOrdinal, failures } = range;
    const page = { order: 'oldest', beyond: fromOrdinal, limit: CHUNK_PAGE } as const;
    const messages = (await reading.readMessages(reader, conversation, page)).filter(
      ({ ordinal }) => ordinal <= toOrdinal,
    );
    const earlierPage = { order: 'newest', beyond: fromOrdinal + 1, limit: EARLIER_MESSAGES } as const;
    const earlier = fromOrdinal === 0 ? [] : await reading.readMessages(reader, conversation, earlierPage);
    return toChunk(messages, earlier.toReversed(), failures, partlyRead);
  }

  async function tenantOf(reader: Reader, tenantId: string): Promise<MeteredTenant> {
    const tier = await tierOf(reader, tenantId);
    if (tier === undefined) throw new AppError('not_found', 'The account does not exist.');
    return { tenantId, tier };
  }

  return {
    read,
    tenantOf,
    async knownOf({ tenantId, endUser, project }, { messages }) {
      const texts = messages.map(({ text }) => text);
      const found = await related({ tenantId, endUser, project }, texts);
      return found.filter(isShort);
    },
    async apply(connection, { conversation, range, chunk, known }, proposals, by) {
      const { tenantId, id: conversationId } = conversation;
      const now = await reading.requireConversation(connection, tenantId, conversationId);
      const knownIds = [...new Set(known.map(({ id }) => id))];
      if ((await memories.findRowsWithin(connection, tenantId, knownIds)).length < knownIds.length) return undefined;
      if (!isUnchanged(chunk, await read(connection, now, range))) return undefined;
      const { endUser, project } = now;
      const tenant = await tenantOf(connection, tenantId);
      const context = { ...by, tenant, endUser, project, conversationId };
      const decisions = await applyProposals(connection, memories, proposals, context);
      if (!by.extractor.isDryRun) await updateThrough(connection, { tenantId, conversationId }, chunk);
      return decisions;
    },
  };
}
