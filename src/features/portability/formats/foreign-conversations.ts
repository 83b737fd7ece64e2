import type { PortableConversation, PortableMessage } from '../../../contract/portability.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import { deriveId } from './derived-id.ts';
import { checkedRecord, type ItemSteps, skipped } from './foreign-records.ts';
import { clip, type Fields, isText, MAX_STORED_LENGTH, oneLine, storable } from './foreign-values.ts';
import type { ReaderOptions } from './import-reader.ts';
import type { Omissions } from './omissions.ts';

/** A conversation as another system describes it. */
export interface ForeignConversation {
  format: string;
  /** Its id in the other system. */
  id: string;
  title: string | undefined;
  createdMs: number | undefined;
  updatedMs: number | undefined;
  /** Messages in order, without those that have no text. */
  messages: readonly ForeignMessage[];
  omissions: Omissions;
}

/** A message as another system describes it. */
export interface ForeignMessage {
  id: string | undefined;
  role: PortableMessage['role'];
  name?: string | undefined;
  text: string;
  createdMs: number | undefined;
}

/** Describes the location of a conversation in its file. */
export function conversationPlace(index: number | string, title: string | undefined): string {
  return `conversations[${index}]${title === undefined ? '' : ` “${clip(oneLine(title), 60)}”`}`;
}

/** Returns the nodes of a tree from the root to `leaf`; a cycle ends them. */
export function* branchTo(
  leaf: Fields | undefined,
  parentOf: (node: Fields) => Fields | undefined,
): Generator<undefined, Fields[]> {
  const branch = new Set<Fields>();
  for (let node = leaf; node !== undefined && !branch.has(node); node = parentOf(node)) {
    yield undefined;
    branch.add(node);
  }
  return [...branch].reverse();
}

/** Counts the messages of a conversation that are not on the imported branch. */
export function omitBranches(omissions: Omissions, count: number): void {
  omissions.add('message(s) on other branches', undefined, count);
}

/** Yields the conversation, its messages, then what was left out. A conversation without text is skipped. */
export function* readConversation(place: string, conversation: ForeignConversation, options: ReaderOptions): ItemSteps {
  const { omissions } = conversation;
  const withText: ForeignMessage[] = [];
  for (const message of conversation.messages) {
    yield undefined;
    if (isText(message.text)) withText.push(message);
  }
  if (withText.length < conversation.messages.length) {
    omissions.add('empty message(s)', undefined, conversation.messages.length - withText.length);
  }
  if (withText.length === 0) yield skipped(place, 'The conversation has no text');
  else yield* readWithText(place, conversation, withText, options);
  yield* omissions.reasons(place);
}

function* readWithText(
  place: string,
  { format, id, title, createdMs, updatedMs }: ForeignConversation,
  messages: readonly ForeignMessage[],
  options: ReaderOptions,
): ItemSteps {
  let earliestMs: number | undefined;
  let latestMs: number | undefined;
  for (const { createdMs: sentMs } of messages) {
    yield undefined;
    if (sentMs === undefined) continue;
    earliestMs = Math.min(sentMs, earliestMs ?? sentMs);
    latestMs = Math.max(sentMs, latestMs ?? sentMs);
  }
  const startMs = createdMs ?? earliestMs ?? updatedMs;
  const conversation: PortableConversation = {
    type: 'conversation',
    id: deriveId('conv', startMs, options.user, [format, id]),
    title: title === undefined ? null : clip(oneLine(title), 500) || null,
    version: 1,
    cut: false,
    user: options.user,
    metadata: { source: format, sourceId: storable(id.slice(0, MAX_STORED_LENGTH)) },
    createdAt: toTimestamp(startMs ?? options.nowMs),
    updatedAt: toTimestamp(updatedMs ?? latestMs ?? startMs ?? options.nowMs),
  };
  const converted = checkedRecord(place, conversation, options);
  yield converted;
  if (!('record' in converted)) return;
  let ordinal = 1;
  let sentMs = startMs;
  for (const [index, message] of messages.entries()) {
    // A message without a time gets that of the previous one, which keeps the times in order.
    sentMs = message.createdMs ?? sentMs;
    const text = storable(message.text.slice(0, MAX_STORED_LENGTH));
    const source = message.id ?? `${index} ${message.role} ${message.text.slice(0, MAX_STORED_LENGTH)}`;
    const record: PortableMessage = {
      type: 'message',
      id: deriveId('msg', sentMs, options.user, [format, id, source]),
      conversationId: conversation.id,
      ordinal,
      role: message.role,
      name: (message.name && oneLine(message.name)) || null,
      content: text,
      metadata: {},
      createdAt: toTimestamp(sentMs ?? options.nowMs),
    };
    const item = checkedRecord(`${place}, message ${index + 1}`, record, options);
    if ('record' in item) ordinal += 1;
    yield item;
  }
}
