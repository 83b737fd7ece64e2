import type { AgentInputItem } from '@openai/agents-core';
import { fromMessage } from './agent-items.ts';
import type { Message, NewMessage } from './client.ts';

/** A change of the history, in its own message before those that it adds. */
interface Change {
  operation?: string;
  /** Of the transaction, to recognize another one with the same operation. */
  hash?: string;
  /** The first and last ordinal of the messages that are no longer part of the history. */
  drops?: [number, number];
}

/** An item of the history and the message that stores it. */
export interface Entry {
  message: Message;
  item: AgentInputItem;
}

/** Returns the message that records a change; it is no item. */
export function changeMessage(change: Change): NewMessage {
  const metadata = { agentItem: { form: 'none', rest: null }, agentChange: change };
  return { role: 'system', content: '(history changed)', metadata };
}

export function changeOf({ metadata }: Message): Change | undefined {
  return metadata.agentChange as Change | undefined;
}

/** Yields what is still part of the history from the messages of a conversation, both newest first. */
export async function* entriesOf(messages: AsyncIterable<Message>): AsyncGenerator<Entry> {
  const dropped: [number, number][] = [];
  for await (const message of messages) {
    const { ordinal } = message;
    const within = dropped.filter(([first, last]) => first <= ordinal && ordinal <= last);
    if (within.some(([first]) => first === 1)) return;
    const item = within.length > 0 ? undefined : fromMessage(message);
    if (item) yield { message, item };
    const { drops } = changeOf(message) ?? {};
    if (drops) dropped.push(drops);
  }
}

/** Whether two values are the same as JSON, whatever the order of members. */
export function isSame(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other);
}

/** Returns the JSON of a value with its members in order. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
