import { BaseCheckpointSaver } from '@langchain/langgraph-checkpoint';
import { hasCode } from '../contract/named-items.ts';
import { createBoundedMap } from '../lib/bounded-map.ts';
import { appendNew, createOnce } from './append-once.ts';
import type { Client } from './client.ts';
import { markOf, type ThreadMessage, threadMessages } from './langgraph-messages.ts';

export interface KeepConversationOptions {
  client: Client;
  /** The person whose threads they are; `user_id` of each run's `configurable` unless given, `default` where it has none. */
  user?: string;
  /** The channel of the state that holds the messages, `messages` unless given. */
  channel?: string;
  /** Called if svc cannot be used; the graph goes on. What it throws ends the run. Warns on the console by default. */
  onError?: (error: unknown) => void;
}

type Version = string | number;
type Saver<V extends Version> = BaseCheckpointSaver<V>;
type Put = Parameters<BaseCheckpointSaver['put']>;
type Config = Put[0];

/** What is known of a thread. */
interface Thread {
  conversationId: string;
  /** Whether the conversation has the messages of the last checkpoint. */
  isComplete: boolean;
  /** The id of the last message that was stored. */
  lastId?: string | undefined;
}

/** How many threads are known at once; of the others the last checkpoint is read. */
const MOST_THREADS = 1000;
const warn = (error: unknown) => console.warn('svc: the conversation is not kept:', error);

/**
 * Returns a checkpointer that stores what it is given in another one, and the messages of each thread in one conversation of
 * svc, whose id it adds to the checkpoints' metadata as `svcConversation`. A message is stored once, by its id, also after a
 * restart, a retry or a fork; one that is edited later is updated, if it is among the last 200.
 */
export function keepConversation<V extends Version>(saver: Saver<V>, options: KeepConversationOptions): Saver<V> {
  return new ConversationSaver(saver, options);
}

class ConversationSaver<V extends Version> extends BaseCheckpointSaver<V> {
  readonly #saver: Saver<V>;
  readonly #options: KeepConversationOptions;
  readonly #threads = createBoundedMap<string, Thread>(MOST_THREADS);
  /** The last put of each thread that is going on: two at once would both append what is new. */
  readonly #puts = new Map<string, Promise<unknown>>();

  constructor(saver: Saver<V>, options: KeepConversationOptions) {
    super(saver.serde);
    this.#saver = saver;
    this.#options = options;
  }

  override async put(...put: Put): Promise<Config> {
    const { thread_id: id, checkpoint_ns: namespace } = put[0].configurable ?? {};
    // The messages of a subgraph that belong to the conversation are those that it returns to its graph.
    if (id === undefined || namespace) return this.#saver.put(...put);
    const thread = String(id);
    const saved = (this.#puts.get(thread) ?? Promise.resolve()).then(() => this.#putThread(thread, put));
    const settled = saved.catch(() => {});
    this.#puts.set(thread, settled);
    try {
      return await saved;
    } finally {
      if (this.#puts.get(thread) === settled) this.#puts.delete(thread);
    }
  }

  async #putThread(id: string, [config, checkpoint, metadata, newVersions]: Put): Promise<Config> {
    const { channel = 'messages', onError = warn } = this.#options;
    const messages = await threadMessages(checkpoint.channel_values[channel]);
    const thread = await this.#threadOf(id, config, messages).catch(onError);
    const about = thread ? { ...metadata, svcConversation: thread.conversationId } : metadata;
    // First, so that the conversation has nothing that the thread does not have.
    const saved = await this.#saver.put(config, checkpoint, about, newVersions);
    if (thread && messages.length > 0 && (channel in newVersions || !thread.isComplete))
      await this.#keep(id, config, thread, messages).catch(onError);
    return saved;
  }

  /** Returns the thread, and creates its conversation with the first message. */
  async #threadOf(id: string, config: Config, messages: ThreadMessage[]): Promise<Thread | undefined> {
    const known = this.#threads.get(id);
    if (known) return known;
    const last = await this.#saver.getTuple({ configurable: { thread_id: id, checkpoint_ns: '' } });
    const { svcConversation } = (last?.metadata ?? {}) as { svcConversation?: string };
    if (svcConversation === undefined && messages.length === 0) return undefined;
    return this.#remember(id, svcConversation ?? (await this.#create(id, config, messages)));
  }

  #remember(id: string, conversationId: string): Thread {
    const thread = { conversationId, isComplete: false };
    this.#threads.set(id, thread);
    return thread;
  }

  async #create(id: string, config: Config, messages: ThreadMessage[]): Promise<string> {
    const user: unknown = this.#options.user ?? config.configurable?.user_id;
    const conversation = { ...(typeof user === 'string' && { user }), metadata: { langgraphThread: id } };
    const key = JSON.stringify([user, id, messages[0]?.metadata.langgraph.id]);
    return createOnce(this.#options.client, conversation, key);
  }

  async #keep(id: string, config: Config, thread: Thread, messages: ThreadMessage[]): Promise<void> {
    thread.isComplete = false;
    await this.#store(thread, messages).catch(async (error) => {
      if (!hasCode(error, 'not_found')) throw error;
      // The conversation has been deleted since: what is in the thread now is stored anew.
      this.#threads.delete(id);
      thread = this.#remember(id, await this.#create(id, config, messages));
      await this.#store(thread, messages);
    });
    thread.isComplete = true;
    thread.lastId = messages.at(-1)?.metadata.langgraph.id;
  }

  async #store({ conversationId, lastId }: Thread, messages: ThreadMessage[]): Promise<void> {
    const { client } = this.#options;
    const found = await appendNew(client, conversationId, messages, (metadata) => markOf(metadata)?.id, lastId);
    for (const { stored, given } of found) {
      if (markOf(stored.metadata)?.hash === given.metadata.langgraph.hash) continue;
      const { content, metadata } = given;
      await client.conversations.messages.update(conversationId, stored.id, { content, metadata });
    }
  }

  override getTuple(config: Config) {
    return this.#saver.getTuple(config);
  }

  override list(...list: Parameters<Saver<V>['list']>) {
    return this.#saver.list(...list);
  }

  override putWrites(...writes: Parameters<Saver<V>['putWrites']>) {
    return this.#saver.putWrites(...writes);
  }

  /** Forgets the thread. Its conversation stays in svc. */
  override async deleteThread(id: string): Promise<void> {
    this.#threads.delete(id);
    await this.#saver.deleteThread(id);
  }

  override getDeltaChannelHistory(options: Parameters<Saver<V>['getDeltaChannelHistory']>[0]) {
    return this.#saver.getDeltaChannelHistory(options);
  }

  override getNextVersion(current: V | undefined): V {
    return this.#saver.getNextVersion(current);
  }
}
