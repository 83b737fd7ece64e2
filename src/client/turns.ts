import { fence, fenceMark } from '../contract/fence.ts';
import { hasCode } from '../contract/named-items.ts';
import type { Client, NewMessage } from './client.ts';
import { storableText } from './message-parts.ts';

export interface RecallOptions {
  client: Client;
  /** The person the model talks to, `default` unless given. */
  user?: string;
  /** The largest context, in tokens. */
  maxTokens?: number;
  /** From 0 to 1: leaves out what hardly answers the last message, for contexts without noise. */
  minRelevance?: number;
}

export interface TurnOptions extends RecallOptions {
  /** Where turns are appended. Unless given, a conversation is created with the first turn. */
  conversationId?: string;
  /** Whether turns are stored; they are by default. */
  store?: boolean;
  /** Called if svc cannot be used; the model then answers without memory. Warns on the console by default. */
  onError?: (error: unknown) => void;
}

const LONGEST_QUERY = 10_000;
const WEB_RANDOM = { bytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)) };
const warn = (error: unknown) => console.warn('svc: the model answers without memory:', error);

/** Returns what svc remembers about a message, fenced for a prompt, or an empty string. */
export async function recall(
  asked: string,
  { client, user, maxTokens, minRelevance }: RecallOptions,
  { exclude, signal }: { exclude?: { conversationId: string }; signal?: AbortSignal } = {},
): Promise<string> {
  const query = storableText(asked, LONGEST_QUERY).trim();
  if (query === '') return '';
  const request = {
    query,
    ...(user !== undefined && { user }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(minRelevance !== undefined && { minRelevance }),
    ...(exclude && { exclude }),
  };
  const { text } = await client.context(request, signal ? { signal } : {});
  return text === '' ? '' : fence(text, fenceMark(WEB_RANDOM));
}

/** Where messages are appended. */
interface Place {
  user: string | undefined;
  /** Without one, a conversation is created. */
  conversationId: string | undefined;
  /** The program has chosen the conversation: no other takes its place. */
  isGiven: boolean;
}

/** Appends messages to a conversation and returns its id. One that has been deleted since is replaced by a new one. */
export async function rememberIn(
  client: Client,
  messages: NewMessage[],
  { user, conversationId, isGiven }: Place,
): Promise<string> {
  const startNew = () => client.remember({ messages, ...(user !== undefined && { user }) });
  if (conversationId === undefined) return (await startNew()).conversationId;
  const stored = await client.remember({ messages, conversationId }).catch((error) => {
    if (isGiven || !hasCode(error, 'not_found')) throw error;
    return startNew();
  });
  return stored.conversationId;
}

/** The turns of one person in one conversation. Failures go to `onError`; only an aborted call rejects. */
export interface Turns {
  /** Returns what svc remembers about a message from other conversations, fenced, or an empty string. */
  recall(asked: string, signal?: AbortSignal): Promise<string>;
  /** Appends a message and its answer to the conversation, which the first turn creates. */
  add(asked: string, answer: string): Promise<void>;
}

/** Returns the calls with which an adapter gives a model its memory: read before an answer, written after it. */
export function createTurns(options: TurnOptions): Turns {
  const { client, user, store = true, onError = warn } = options;
  const isGiven = options.conversationId !== undefined;
  let { conversationId } = options;
  /** The last turn that is being stored: the first two at once would both create a conversation. */
  let adding: Promise<void> = Promise.resolve();

  async function append(asked: string, answer: string): Promise<void> {
    const messages = [
      { role: 'user' as const, content: storableText(asked) },
      { role: 'assistant' as const, content: storableText(answer) },
    ];
    conversationId = await rememberIn(client, messages, { user, conversationId, isGiven });
  }

  return {
    async recall(asked, signal) {
      // The model has the messages of the conversation.
      const request = {
        ...(conversationId !== undefined && { exclude: { conversationId } }),
        ...(signal && { signal }),
      };
      return recall(asked, options, request).catch((error) => {
        if (signal?.aborted) throw error;
        onError(error);
        return '';
      });
    },
    async add(asked, answer) {
      if (!store || asked.trim() === '' || answer.trim() === '') return;
      const added = adding.then(() => append(asked, answer));
      adding = added.catch(() => {});
      await added.catch(onError);
    },
  };
}

/** Joins the texts of the parts of a message. */
export function textOfParts(parts: readonly { type?: string; text?: unknown }[]): string {
  const isText = (part: { type?: string; text?: unknown }) => part.type === undefined || part.type === 'text';
  return parts.flatMap((part) => (isText(part) && typeof part.text === 'string' ? [part.text] : [])).join('\n');
}
