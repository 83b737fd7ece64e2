import type {
  AppendedMessage,
  ConversationAppend,
  ConversationAppended,
  NewConversation,
  NewMessage,
} from '../../contract/conversations.ts';
import { AppError } from '../../contract/errors.ts';
import type { Connection } from '../../db/connection.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import type { Claim, Created } from '../idempotency/idempotency.ts';
import type { Principal } from '../keys/keys.ts';
import { type PreparedTerms, writeWithTerms } from '../text/prepared-terms.ts';
import type { Scopes } from '../text/scopes.ts';
import { type AppendingParts, createAppending, noConversation } from './message-append.ts';
import { type DraftMessage, draftsInSteps } from './message-append-plan.ts';
import type { ConversationRow } from './message-row.ts';
import { loadConversation } from './messages.ts';

/** A conversation, or the fields of a new one. */
type AppendTarget = Omit<ConversationAppend, 'messages'>;

/** Appending to conversations, all messages or none. They are searchable when it resolves. */
export interface ConversationAppending {
  appendOnce(
    principal: Principal,
    id: string,
    messages: readonly NewMessage[],
    claim: Claim | undefined,
  ): Promise<Created<{ data: AppendedMessage[] }>>;
  /**
   * Appends to the given conversation, or to a new one, in one transaction. `extend` runs in it too, and what it returns is
   * part of the answer.
   */
  appendTo<T>(
    principal: Principal,
    body: AppendTarget & { messages: readonly NewMessage[] },
    claim: Claim | undefined,
    extend: (connection: Connection, conversationId: string) => Promise<T>,
  ): Promise<Created<{ conversationId: string; messages: AppendedMessage[] } & T>>;
  /** Like `appendTo`, for assistants. */
  append(principal: Principal, body: ConversationAppend): Promise<ConversationAppended>;
}

interface Parts extends AppendingParts {
  scopes: Scopes;
  /** Creates a conversation in the caller's transaction. */
  insertNew(connection: Connection, tenantId: string, body: NewConversation): Promise<ConversationRow>;
}

export function createConversationAppending(parts: Parts): ConversationAppending {
  const { db, clock, usage, idempotency, scopes, portions, insertNew } = parts;
  const { append, appendWithin } = createAppending(parts);

  /** Drafts messages and finds their terms, ahead of the transaction in which `write` stores them. */
  async function writeMessages<T>(
    { tenantId, author = null }: Principal,
    messages: readonly NewMessage[],
    write: (drafts: readonly DraftMessage[], terms: PreparedTerms) => Promise<T>,
  ): Promise<T> {
    const drafts = await runInSlices(draftsInSteps(messages, author, clock.nowMs()), tenantId);
    const texts = drafts.map(({ content }) => [content]);
    return writeWithTerms(tenantId, texts, async (terms) => {
      const written = await write(drafts, terms);
      await portions.finish(tenantId, texts, terms);
      return written;
    });
  }

  /** The conversation to append to: the one named, or a new one. */
  async function findOrInsert(
    connection: Connection,
    tenantId: string,
    { conversationId, ...fields }: AppendTarget,
  ): Promise<ConversationRow> {
    if (conversationId === undefined) {
      return usage.storage.within(connection, tenantId, () => insertNew(connection, tenantId, fields));
    }
    const { title, user, project } = fields;
    if (title !== undefined) throw notSettable('title', 'is allowed only for a new conversation');
    const row = await loadConversation(connection, tenantId, conversationId);
    if (user !== undefined && user !== row.endUser) throw noConversation();
    if (project !== undefined && project !== row.project) {
      throw notSettable('project', 'differs from the project of the conversation');
    }
    return row;
  }

  const appendTo: ConversationAppending['appendTo'] = async (principal, request, claim, extend) => {
    const { tenantId } = principal;
    const { messages, ...target } = request;
    const created = await writeMessages(principal, messages, (drafts, terms) =>
      db.writes.write(tenantId, (connection) =>
        idempotency.replayOrRun(connection, claim, async () => {
          const { id } = await findOrInsert(connection, tenantId, target);
          const job = { append: { tenantId, conversationId: id, messages: drafts }, terms, claim: undefined };
          const { data } = (await appendWithin(connection, job)).body;
          const body = { conversationId: id, messages: data, ...(await extend(connection, id)) };
          return { status: 201, body, resourceIds: [id, ...data.map((message) => message.id)] };
        }),
      ),
    );
    if (target.conversationId === undefined) scopes.confirm([{ tenantId, endUser: target.user ?? 'default' }]);
    return created;
  };

  return {
    appendOnce: (principal, conversationId, messages, claim) =>
      writeMessages(principal, messages, (drafts, terms) =>
        append({ append: { tenantId: principal.tenantId, conversationId, messages: drafts }, terms, claim }),
      ),
    appendTo,
    async append(principal, body) {
      const { conversationId, messages } = (await appendTo(principal, body, undefined, async () => ({}))).body;
      const isPartlyIndexed = messages.some((message) => message.partlyIndexed);
      const messageIds = messages.map(({ id }) => id);
      return { conversationId, messageIds, ...(isPartlyIndexed && { partlyIndexed: true }) };
    },
  };
}

function notSettable(field: string, message: string): AppError {
  const errors = [{ path: `/${field}`, message }];
  return new AppError('invalid_request', `The ${field} of an existing conversation cannot be set here.`, { errors });
}
