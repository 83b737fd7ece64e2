import { isId } from './agent-items.ts';
import type { SourceMessage } from './append-once.ts';
import type { NewMessage } from './client.ts';
import { contentOf, LONGEST_TEXT, storableParts } from './message-parts.ts';
import { sha256 } from './sha256.ts';
import { textOfParts } from './turns.ts';

/** Identifies a message of a thread: `id` stays when the message is edited, `hash` changes. */
interface Mark {
  id: string;
  hash: string;
}

/** The message that stores one of a thread. */
export type ThreadMessage = SourceMessage & { metadata: { langgraph: Mark } };

/** What is read of a message of LangChain, or of an object with a role that stands for one. */
interface GivenMessage {
  type?: string;
  role?: string;
  id?: string | undefined;
  content?: string | readonly { type: string; text?: unknown }[];
  tool_calls?: readonly { id?: string; name: string; args: unknown }[];
  tool_call_id?: string;
  additional_kwargs?: { lc_source?: unknown };
}

const ROLES: Readonly<Record<string, 'user' | 'assistant'>> = {
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
};
/** A message has at most 256 parts and 400 KiB of them, in which a character takes up to three bytes. */
const MOST_CALLS = 200;
const LARGEST_BYTES = 390_000;

/**
 * Returns the messages that store those of a thread: what a person or a model wrote, calls of tools and results.
 * Instructions, and summaries of messages that were stored, are left out.
 */
export async function threadMessages(value: unknown): Promise<ThreadMessage[]> {
  const found: ThreadMessage[] = [];
  const repeats = new Map<string, number>();
  for (const message of Array.isArray(value) ? (value as GivenMessage[]) : []) {
    const stored = toMessage(message);
    if (!stored) continue;
    const hash = await sha256(JSON.stringify(stored));
    const repeat = (repeats.get(hash) ?? 0) + 1;
    repeats.set(hash, repeat);
    found.push({ ...stored, metadata: { langgraph: { id: message.id ?? `${hash}:${repeat}`, hash } } });
  }
  return found;
}

/** Returns the mark of a message, or `undefined` if it does not come from a thread. */
export function markOf(metadata: Record<string, unknown>): Mark | undefined {
  return metadata.langgraph as Mark | undefined;
}

function toMessage(message: GivenMessage): NewMessage | undefined {
  const { type, role: givenRole, content = '', tool_calls = [], tool_call_id, additional_kwargs } = message;
  if (additional_kwargs?.lc_source === 'summarization') return undefined;
  const kind = type ?? givenRole ?? '';
  const text = typeof content === 'string' ? content : textOfParts(content);
  if (kind === 'tool') {
    if (!isId(tool_call_id)) return undefined;
    const isShort = typeof content === 'string' || JSON.stringify(content).length <= LONGEST_TEXT;
    const result = { type: 'tool_result' as const, toolCallId: tool_call_id, content: isShort ? content : text };
    return { role: 'tool', content: storableParts([result]) };
  }
  const role = ROLES[kind];
  const calls = tool_calls.slice(0, MOST_CALLS).map(({ id = '', name, args }) => ({ id, name, input: args }));
  const stored = fits(calls) ? contentOf(text, calls) : contentOf(text || calls.map(({ name }) => name).join('\n'));
  return role && stored !== undefined ? { role, content: stored } : undefined;
}

function fits(content: unknown): boolean {
  return new TextEncoder().encode(JSON.stringify(content)).length <= LARGEST_BYTES;
}
