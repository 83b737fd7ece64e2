import { hasCode } from '../contract/named-items.ts';
import { createBoundedMap } from '../lib/bounded-map.ts';
import { type AdkEvent, storedEvents, timestampOf } from './adk-events.ts';
import { appendNew, createOnce } from './append-once.ts';
import type { Client } from './client.ts';
import { storableText } from './message-parts.ts';

export interface SvcMemoryServiceOptions {
  client: Client;
  /** How many memories a search returns at most, 10 unless given. */
  limit?: number;
}

/** What is read of a session of the ADK. */
interface Session {
  id: string;
  appName: string;
  userId: string;
  events: AdkEvent[];
}

/** What is known of a session. */
interface Stored {
  conversationId: string;
  /** The id of the last event that was stored. */
  lastId?: string | undefined;
}

const LARGEST_PAGE = 200;
const LONGEST_QUERY = 10_000;
const MOST_SESSIONS = 1000;
/** How long before the first event that is given a session may have begun: the ADK can leave out earlier ones. */
const LONGEST_SESSION_MS = 30 * 86_400_000;

/**
 * A memory service of Google's Agent Development Kit. A session is stored as a conversation of its user in the project that
 * has the name of the app, tool calls included; adding it again stores what is new in it. A search finds what belongs to
 * that user and app, and what the user's memories have without a project.
 */
export class SvcMemoryService {
  readonly #client: Client;
  readonly #limit: number;
  readonly #stored = createBoundedMap<string, Stored>(MOST_SESSIONS);
  /** The last call of each session that is going on: two at once would both append what is new. */
  readonly #adding = new Map<string, Promise<void>>();

  constructor({ client, limit = 10 }: SvcMemoryServiceOptions) {
    this.#client = client;
    this.#limit = limit;
  }

  async addSessionToMemory(session: Session): Promise<void> {
    const key = keyOf(session);
    const added = (this.#adding.get(key) ?? Promise.resolve()).then(() => this.#add(session));
    const settled = added.catch(() => {});
    this.#adding.set(key, settled);
    try {
      await added;
    } finally {
      if (this.#adding.get(key) === settled) this.#adding.delete(key);
    }
  }

  async #add(session: Session): Promise<void> {
    const messages = storedEvents(session.events);
    const [first] = session.events;
    if (messages.length === 0 || !first) return;
    const add = async () => {
      const stored = await this.#storedOf(session, first.timestamp);
      await appendNew(this.#client, stored.conversationId, messages, ({ adkEvent }) => adkEvent, stored.lastId);
      stored.lastId = messages.at(-1)?.metadata.adkEvent;
    };
    await add().catch((error) => {
      if (!hasCode(error, 'not_found')) throw error;
      // The conversation has been deleted since: what is in the session now is stored anew.
      this.#stored.delete(keyOf(session));
      return add();
    });
  }

  async searchMemory({ appName, userId, query }: { appName: string; userId: string; query: string }) {
    const asked = storableText(query, LONGEST_QUERY);
    if (asked.trim() === '') return { memories: [] };
    const request = { query: asked, user: userId, project: appName, limit: this.#limit };
    const { results } = await this.#client.search(request);
    return {
      memories: results.map((found) => {
        const isModel = found.type === 'message' && found.role !== 'user';
        const author = found.type === 'message' ? (found.name ?? (isModel ? 'model' : 'user')) : undefined;
        return {
          content: { role: isModel ? 'model' : 'user', parts: [{ text: found.content }] },
          ...(author !== undefined && { author }),
          timestamp: found.createdAt,
        };
      }),
    };
  }

  /** Returns the conversation of a session; creates it where there is none. */
  async #storedOf(session: Session, startedMs: number): Promise<Stored> {
    const key = keyOf(session);
    const known = this.#stored.get(key);
    if (known) return known;
    const conversationId = (await this.#find(session, startedMs)) ?? (await this.#create(session, startedMs));
    const stored = { conversationId };
    this.#stored.set(key, stored);
    return stored;
  }

  async #find(session: Session, startedMs: number): Promise<string | undefined> {
    const { userId: user, appName: project } = session;
    const after = timestampOf(startedMs - LONGEST_SESSION_MS);
    const filter = { user, project, projectOnly: true, after, limit: LARGEST_PAGE };
    for await (const { id, metadata } of this.#client.conversations.list(filter)) {
      if (metadata.adkSession === session.id) return id;
    }
    return undefined;
  }

  async #create(session: Session, startedMs: number): Promise<string> {
    const { id: adkSession, userId: user, appName: project } = session;
    const conversation = { user, project, createdAt: timestampOf(startedMs), metadata: { adkSession } };
    return createOnce(this.#client, conversation, JSON.stringify([keyOf(session), startedMs]));
  }
}

function keyOf({ appName, userId, id }: Session): string {
  return JSON.stringify([appName, userId, id]);
}
