import type {
  AgentInputItem,
  SessionHistoryRewriteArgs,
  SessionHistoryRewriteAwareSession,
  SessionHistoryTransactionArgs,
  SessionHistoryTransactionAwareSession,
} from '@openai/agents-core';
import { canonical, changeMessage, changeOf, type Entry, entriesOf, isSame } from './agent-history.ts';
import { toMessage } from './agent-items.ts';
import type { Client, NewMessage } from './client.ts';
import { messageBatches } from './message-batches.ts';
import { sha256 } from './sha256.ts';

export { SvcMemoryStore, type SvcMemoryStoreOptions } from './agent-files.ts';

export interface SvcSessionOptions {
  client: Client;
  /** The person the agent talks to, `default` unless given. */
  user?: string;
  /** Continues this conversation. Unless given, one is created when it is first needed. */
  conversationId?: string;
}

const LARGEST_PAGE = 200;

/**
 * A session of the OpenAI Agents SDK that keeps its history in a conversation of svc, where it is searchable and
 * survives restarts. Items come back exactly as they were added. One with more than 100,000 characters is rejected.
 * Compaction shortens the history that the model reads, not the conversation.
 */
export class SvcSession implements SessionHistoryTransactionAwareSession, SessionHistoryRewriteAwareSession {
  readonly #client: Client;
  readonly #user: string | undefined;
  #conversation: Promise<string> | undefined;

  constructor({ client, user, conversationId }: SvcSessionOptions) {
    this.#client = client;
    this.#user = user;
    if (conversationId !== undefined) this.#conversation = Promise.resolve(conversationId);
  }

  /** Returns the id of the conversation. */
  async getSessionId(): Promise<string> {
    const created = () => this.#client.conversations.create(this.#user === undefined ? {} : { user: this.#user });
    this.#conversation ??= created().then(({ id }) => id);
    return this.#conversation.catch((error) => {
      this.#conversation = undefined;
      throw error;
    });
  }

  async getItems(limit?: number): Promise<AgentInputItem[]> {
    return (await this.#entries(limit)).map(({ item }) => item);
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    const id = await this.getSessionId();
    for (const messages of messageBatches(items.map(toMessage)))
      await this.#client.conversations.messages.append(id, messages);
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    const [entry] = await this.#entries(1);
    if (entry) await this.#delete([entry.message]);
    return entry?.item;
  }

  /** Replaces the history in one step; what was before stays in the conversation, where a search finds it. */
  async replaceHistoryWithCompaction(items: AgentInputItem[]): Promise<void> {
    const last = await this.#lastOrdinal();
    await this.#append([changeMessage({ drops: [1, last] }), ...items.map(toMessage)]);
  }

  /** Replaces the calls of tools by their ids; of several calls with one id, the first remains. */
  async applyHistoryMutations({ mutations }: SessionHistoryRewriteArgs): Promise<void> {
    const id = await this.getSessionId();
    for (const { callId, replacement } of mutations) {
      const [first, ...others] = (await this.#entries()).filter(
        ({ item }) => item.type === 'function_call' && item.callId === callId,
      );
      if (!first) continue;
      const { content, metadata = {} } = toMessage(replacement);
      await this.#client.conversations.messages.update(id, first.message.id, { content, metadata });
      await this.#delete(others.map(({ message }) => message));
    }
  }

  /**
   * Appends items, or replaces the last ones, in one step and once for each operation. Throws without a change if the
   * operation was used for another transaction, or if the last items are others.
   */
  async applyHistoryTransaction({ operationId, transaction }: SessionHistoryTransactionArgs): Promise<void> {
    const hash = await sha256(canonical(transaction));
    // Read first, so that the same operation of another process gets the same key.
    const { version } = await this.#client.conversations.get(await this.getSessionId());
    const key = JSON.stringify([operationId, version]);
    const applied = await this.#hashOf(operationId);
    if (applied === hash) return;
    if (applied !== undefined) throw new Error(`The operation ${operationId} was applied with another transaction.`);
    const operation = { operation: operationId, hash };
    if (transaction.type === 'append_items') {
      await this.#append([changeMessage(operation), ...transaction.items.map(toMessage)], key);
      return;
    }
    const { expectedSuffix, replacement } = transaction;
    const last = await this.#lastOrdinal();
    const suffix = await this.#entries(expectedSuffix.length);
    const requireSame = (same: boolean) => {
      if (!same) throw new Error('The last items of the history are not those that the transaction replaces.');
    };
    requireSame(
      isSame(
        suffix.map(({ item }) => item),
        expectedSuffix,
      ),
    );
    const [first] = suffix;
    const change = changeMessage({ ...operation, ...(first && { drops: [first.message.ordinal, last] }) });
    const added = await this.#append([change, ...replacement.map(toMessage)], key);
    const isLast = await this.#isOnlyAfter(last, added);
    if (!isLast) await this.#delete(added);
    requireSame(isLast);
    await this.#delete(suffix.map(({ message }) => message));
  }

  async clearSession(): Promise<void> {
    await this.#client.conversations.messages.deleteAll(await this.getSessionId());
  }

  /** Returns the last items, oldest first. */
  async #entries(limit = Number.POSITIVE_INFINITY): Promise<Entry[]> {
    const found: Entry[] = [];
    if (limit <= 0) return found;
    for await (const entry of entriesOf(this.#messages(await this.getSessionId()))) {
      found.push(entry);
      if (found.length === limit) break;
    }
    return found.reverse();
  }

  /** Appends all messages or none, with a key once. */
  async #append(messages: NewMessage[], key?: string): Promise<{ id: string; ordinal: number }[]> {
    const id = await this.getSessionId();
    const batches = [...messageBatches(messages)];
    if (batches.length > 1) throw new Error('The change is too large: at most 499 items and 900 kB are one step.');
    const once = key === undefined ? {} : { idempotencyKey: await sha256(id + key) };
    return (await this.#client.conversations.messages.append(id, messages, once)).data;
  }

  async #delete(messages: { id: string }[]): Promise<void> {
    const id = await this.getSessionId();
    for (const message of messages) await this.#client.conversations.messages.delete(id, message.id);
  }

  async #lastOrdinal(): Promise<number> {
    for await (const { ordinal } of this.#messages(await this.getSessionId(), 1)) return ordinal;
    return 0;
  }

  /** Returns the hash of the transaction that an operation was applied with. */
  async #hashOf(operationId: string): Promise<string | undefined> {
    for await (const message of this.#messages(await this.getSessionId())) {
      const change = changeOf(message);
      if (change?.operation === operationId) return change.hash;
    }
    return undefined;
  }

  /** Whether nothing but these messages comes after an ordinal. */
  async #isOnlyAfter(last: number, added: { id: string }[]): Promise<boolean> {
    const ids = new Set(added.map(({ id }) => id));
    for await (const { id, ordinal } of this.#messages(await this.getSessionId())) {
      if (ordinal <= last) return true;
      if (!ids.has(id)) return false;
    }
    return true;
  }

  /** Newest first. */
  #messages(id: string, limit = LARGEST_PAGE) {
    return this.#client.conversations.messages.list(id, { order: 'newest', limit });
  }
}
