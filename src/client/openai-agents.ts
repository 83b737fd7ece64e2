import type { AgentInputItem, Session } from '@openai/agents-core';
import { fromMessage, toMessage } from './agent-items.ts';
import type { Client } from './client.ts';
import { messageBatches } from './message-batches.ts';

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
 */
export class SvcSession implements Session {
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
    const id = await this.getSessionId();
    const items: AgentInputItem[] = [];
    if (limit !== undefined && limit <= 0) return items;
    for await (const message of this.#messages(id)) {
      const item = fromMessage(message);
      if (item) items.push(item);
      if (items.length === limit) break;
    }
    return items.reverse();
  }

  async addItems(items: AgentInputItem[]): Promise<void> {
    const id = await this.getSessionId();
    for (const messages of messageBatches(items.map(toMessage)))
      await this.#client.conversations.messages.append(id, messages);
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    const id = await this.getSessionId();
    for await (const message of this.#messages(id)) {
      const item = fromMessage(message);
      if (!item) continue;
      await this.#client.conversations.messages.delete(id, message.id);
      return item;
    }
    return undefined;
  }

  async clearSession(): Promise<void> {
    await this.#client.conversations.messages.deleteAll(await this.getSessionId());
  }

  /** Newest first. */
  #messages(id: string) {
    return this.#client.conversations.messages.list(id, { order: 'newest', limit: LARGEST_PAGE });
  }
}
