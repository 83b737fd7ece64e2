import {
  EXPORT_VERSION,
  type ExportEnd,
  type ExportHead,
  type PortableConversation,
  type PortableRecord,
} from '../../contract/portability.ts';
import type { Reader } from '../../db/connection.ts';
import { toTimestamp } from '../../lib/clock.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { Episodes } from '../episodes/episodes.ts';
import type { ExtractionTransfer } from '../extraction/extraction-import-export.ts';
import type { Learning } from '../learning/learning.ts';
import type { Memories } from '../memories/memories.ts';
import type { Suggestions } from '../suggestions/suggestions.ts';

export interface ExportParts {
  memories: Memories;
  conversations: Conversations;
  episodes: Episodes;
  extraction: Pick<ExtractionTransfer, 'read'>;
  learning: Pick<Learning, 'transfer'>;
  suggestions: Pick<Suggestions, 'transfer'>;
}

/** Selects what to export; without `user`, all users of the tenant. */
export interface ExportScope {
  tenantId: string;
  user: string | undefined;
  nowMs: number;
}

/** Few, because a page is converted at once, and its rows may be 100 KB each. */
const PAGE_ROWS = 50;

/** Yields the lines of an export, read page by page from one snapshot. */
export async function* exportRecords(
  parts: ExportParts,
  reader: Reader,
  scope: ExportScope,
): AsyncGenerator<PortableRecord | ExportHead | ExportEnd> {
  yield { type: 'svc-export', format: 'svc', version: EXPORT_VERSION, exportedAt: toTimestamp(scope.nowMs) };
  const end: ExportEnd = {
    type: 'end',
    memories: 0,
    conversations: 0,
    messages: 0,
    episodes: 0,
    learned: 0,
    suggestions: 0,
  };
  let previousId: string | undefined;
  for await (const version of allVersions(parts, reader, scope)) {
    if (version.id !== previousId) end.memories += 1;
    previousId = version.id;
    yield version;
  }
  for await (const record of allConversations(parts, reader, scope)) {
    end[record.type === 'message' ? 'messages' : 'conversations'] += 1;
    yield record;
  }
  for await (const episode of allEpisodes(parts, reader, scope)) {
    end.episodes += 1;
    yield episode;
  }
  for await (const learned of allLearned(parts, reader, scope)) {
    end.learned += 1;
    yield learned;
  }
  for await (const suggestion of allSuggestions(parts, reader, scope)) {
    end.suggestions += 1;
    yield suggestion;
  }
  yield end;
}

async function* allVersions({ memories }: ExportParts, reader: Reader, scope: ExportScope) {
  const read = (after: { id: string; version: number }) =>
    memories.transfer.read(reader, { ...scope, after, limit: PAGE_ROWS });
  yield* pages(read, { id: '', version: 0 });
}

async function* allConversations({ conversations, extraction }: ExportParts, reader: Reader, scope: ExportScope) {
  const { tenantId } = scope;
  const read = async (after: { id: string }): Promise<PortableConversation[]> => {
    const page = await conversations.transfer.readConversations(reader, {
      ...scope,
      afterId: after.id,
      limit: PAGE_ROWS,
    });
    const ids = page.map(({ id }) => id);
    const extracted = await extraction.read(reader, tenantId, ids);
    const through = new Map(extracted.map(({ conversationId, throughOrdinal }) => [conversationId, throughOrdinal]));
    return page.map((one) => ({ ...one, ...(through.has(one.id) && { extractedThrough: through.get(one.id)! }) }));
  };
  for await (const conversation of pages(read, { id: '' })) {
    yield conversation;
    const key = { tenantId, conversationId: conversation.id };
    const readMessages = (after: { ordinal: number }) =>
      conversations.transfer.readMessages(reader, key, after.ordinal, PAGE_ROWS);
    yield* pages(readMessages, { ordinal: 0 });
  }
}

async function* allEpisodes({ episodes }: ExportParts, reader: Reader, scope: ExportScope) {
  const read = (after: { id: string }) =>
    episodes.transfer.read(reader, { ...scope, afterId: after.id, limit: PAGE_ROWS });
  yield* pages(read, { id: '' });
}

async function* allLearned({ learning }: ExportParts, reader: Reader, scope: ExportScope) {
  const read = (after: { user: string }) =>
    learning.transfer.read(reader, { ...scope, afterUser: after.user, limit: PAGE_ROWS });
  yield* pages(read, { user: '' });
}

async function* allSuggestions({ suggestions }: ExportParts, reader: Reader, scope: ExportScope) {
  const read = (after: { id: string }) =>
    suggestions.transfer.read(reader, { ...scope, afterId: after.id, limit: PAGE_ROWS });
  yield* pages(read, { id: '' });
}

/** Yields the items of all pages; each page starts after the last item of the previous one. */
async function* pages<P, T extends P>(read: (after: P) => Promise<T[]>, first: P): AsyncGenerator<T> {
  let after: P = first;
  for (;;) {
    const page = await read(after);
    yield* page;
    if (page.length < PAGE_ROWS) return;
    after = page.at(-1)!;
  }
}
