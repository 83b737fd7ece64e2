import type {
  Conversation,
  ConversationChange,
  ConversationsQuery,
  NewConversation,
} from '../../contract/conversations.ts';
import { projectFilterOf } from '../../contract/project.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import { parseInstant } from '../../db/row-codec.ts';
import type { Clock } from '../../lib/clock.ts';
import { versionTagOf } from '../../lib/entity-tag.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Claim, Created, Idempotency } from '../idempotency/idempotency.ts';
import { requireMatch } from '../idempotency/precondition.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import type { Cursors } from '../text/page-cursor.ts';
import type { Scopes } from '../text/scopes.ts';
import type { TextEntry, TextIndex } from '../text/text-indices.ts';
import { createTextPortions } from '../text/text-portions.ts';
import { type ConversationAppending, createConversationAppending } from './conversation-append.ts';
import { createConversationErasing, type MessageObserver } from './conversation-erasure.ts';
import { type ConversationTransfer, createConversationTransfer } from './conversation-import-export.ts';
import {
  countConversations,
  insertConversations,
  listConversations,
  nextNumbers,
  updateConversation,
} from './conversations-store.ts';
import { type ConversationRow, conversationCodec, textEntryOf, toConversation } from './message-row.ts';
import { createMessages, loadConversation, type Messages } from './messages.ts';
import { findMessageRows, findOpenings } from './messages-store.ts';

export type { MessageObserver } from './conversation-erasure.ts';
export type { MessageReading } from './message-reading.ts';
export { type ConversationRow, type MessageRow, toMessage } from './message-row.ts';

const MAX_CHARACTERS = 120;

/** Converts conversations of a tenant to those of the API, each with its preview. */
async function withPreviews(
  reader: Reader,
  tenantId: string,
  rows: readonly ConversationRow[],
): Promise<Conversation[]> {
  const openings = await findOpenings(
    reader,
    tenantId,
    rows.map(({ number }) => number),
  );
  return rows.map((row) => ({ ...toConversation(row), preview: previewOf(openings.get(row.number)) }));
}

async function withPreview(reader: Reader, row: ConversationRow): Promise<Conversation> {
  const [conversation] = await withPreviews(reader, row.tenantId, [row]);
  return conversation!;
}

/** The first words of a text, on one line; null if there are none. */
function previewOf(text: string | undefined): string | null {
  const line = (text ?? '').replaceAll(/\s+/gu, ' ').trim();
  const characters = Array.from(line);
  if (characters.length <= MAX_CHARACTERS) return line === '' ? null : line;
  const head = characters.slice(0, MAX_CHARACTERS).join('');
  const end = head.lastIndexOf(' ');
  return `${end > MAX_CHARACTERS / 2 ? head.slice(0, end) : head}…`;
}

/** Conversations and their messages, in append order. Unknown ids and those of other tenants throw `not_found`. */
export interface Conversations extends ConversationAppending, Messages {
  createOnce(principal: Principal, body: NewConversation, claim: Claim | undefined): Promise<Created<Conversation>>;
  get(principal: Principal, id: string): Promise<Conversation>;
  list(
    principal: Principal,
    query: ConversationsQuery,
  ): Promise<{ data: Conversation[]; nextCursor: string | null; total?: number }>;
  change(principal: Principal, id: string, change: ConversationChange, ifMatch?: string): Promise<Conversation>;
  /** Hides the conversation at once, then deletes its rows in batches before it resolves. */
  remove(principal: Principal, id: string, ifMatch?: string): Promise<void>;
  transfer: ConversationTransfer;
  /** Indexes what an interrupted append left. */
  resume(): Promise<void>;
  /** Finishes interrupted erasures and purges erased words from the disk. */
  sweep(): Promise<void>;
  /** Erases all conversations of an owner in small transactions, so that other writes can interleave. */
  erase(owner: Owner): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  usage: Usage;
  idempotency: Idempotency;
  scopes: Scopes;
  cursors: Cursors;
  text: TextIndex;
  observers: readonly MessageObserver[];
}

/** Finds what the full-text index stores of messages, by their row numbers. */
export async function findMessageEntries(
  reader: Reader,
  tenantId: string,
  numbers: readonly number[],
): Promise<TextEntry[]> {
  return (await findMessageRows(reader, tenantId, numbers)).map(textEntryOf);
}

/** Composes appending, reading, erasing and transferring conversations. */
export function createConversations(parts: Parts): Conversations {
  const { db, clock, ids, usage, idempotency, scopes, cursors, text, observers } = parts;
  const portions = createTextPortions({
    db,
    type: 'message',
    text,
    findEntries: findMessageEntries,
  });
  const erasing = createConversationErasing(parts);

  async function insertNew(connection: Connection, tenantId: string, body: NewConversation): Promise<ConversationRow> {
    await usage.requireTenant(connection, tenantId);
    const owner = { tenantId, endUser: body.user ?? 'default' };
    const scopeOf = await scopes.ensure(connection, [owner]);
    const [number] = await nextNumbers(connection, 1);
    const identity = { ...owner, scope: scopeOf(owner), id: ids.next('conv'), number: number! };
    const row = newRow(identity, body, clock.nowMs());
    await insertConversations(connection, [row]);
    return row;
  }

  async function createOnce({ tenantId }: Principal, body: NewConversation, claim: Claim | undefined) {
    const created = await db.writes.write(tenantId, (connection) =>
      idempotency.replayOrRun(connection, claim, async () => {
        const row = await usage.storage.within(connection, tenantId, () => insertNew(connection, tenantId, body));
        return { status: 201, body: { ...toConversation(row), preview: null }, resourceIds: [row.id] };
      }),
    );
    scopes.confirm([{ tenantId, endUser: body.user ?? 'default' }]);
    return created;
  }

  return {
    createOnce,
    get: async ({ tenantId }, id) => withPreview(db.lookups, await loadConversation(db.lookups, tenantId, id)),
    async list({ tenantId }, { limit = 50, cursor, order = 'desc', total = false, ...query }) {
      const { after, before, project, projectOnly, user } = query;
      const boundTo = ['conversations', tenantId, order, Object.entries(query).sort()];
      const filter = {
        tenantId,
        user,
        project: projectFilterOf({ project, projectOnly }, ''),
        afterMs: parseInstant(after, 'after'),
        beforeMs: parseInstant(before, 'before'),
      };
      const afterId = cursor === undefined ? undefined : cursors.read(cursor, boundTo);
      const reader = db.readers.of(tenantId);
      const [rows, count] = await Promise.all([
        listConversations(reader, filter, { order, afterId, limit: limit + 1 }),
        total ? countConversations(reader, filter) : undefined,
      ]);
      const { data, nextCursor } = cursors.page(rows, limit, boundTo, ({ id }) => id);
      const previewed = await withPreviews(reader, tenantId, data);
      return { data: previewed, nextCursor, ...(count !== undefined && { total: count }) };
    },
    change: ({ tenantId }, id, change, ifMatch) =>
      db.writes.write(tenantId, async (connection) => {
        const row = await loadConversation(connection, tenantId, id);
        requireMatch(ifMatch, versionTagOf(toConversation(row)), 'conversation');
        const next = changedRow(row, change, clock.nowMs());
        if (next !== row) {
          await usage.storage.within(connection, tenantId, () => updateConversation(connection, next));
        }
        if (next.project !== row.project) {
          for (const observer of observers) await observer.moved?.(connection, next, row.project);
        }
        return withPreview(connection, next);
      }),
    async remove({ tenantId }, id, ifMatch) {
      const erased = await db.writes.write(tenantId, async (connection) => {
        const row = await loadConversation(connection, tenantId, id);
        requireMatch(ifMatch, versionTagOf(toConversation(row)), 'conversation');
        await erasing.begin(connection, tenantId, id);
        return row;
      });
      await erasing.eraseRows(erased);
    },
    ...createConversationAppending({ ...parts, portions, insertNew }),
    ...createMessages({ ...parts, erasing }),
    transfer: createConversationTransfer(parts),
    resume: portions.resume,
    sweep: erasing.sweep,
    erase: erasing.erase,
  };
}

function newRow(
  identity: Pick<ConversationRow, 'tenantId' | 'endUser' | 'scope' | 'id' | 'number'>,
  body: NewConversation,
  nowMs: number,
): ConversationRow {
  const fields = conversationCodec.fromNew(body, '');
  return {
    ...fields,
    ...identity,
    version: 1,
    messageCount: 0,
    lastOrdinal: 0,
    cutThrough: null,
    lastMessageAt: null,
    createdAt: fields.createdAt ?? nowMs,
    updatedAt: nowMs,
    erasedAt: null,
  };
}

/** Returns the same row if the change has no effect. */
function changedRow(row: ConversationRow, change: ConversationChange, nowMs: number): ConversationRow {
  const changed = conversationCodec.changed(row, change);
  return changed ? { ...changed, version: row.version + 1, updatedAt: nowMs } : row;
}
