import type { PortableConversation, PortableMessage } from '../../../contract/portability.ts';
import { toTimestamp } from '../../../lib/clock.ts';
import type { ImportGiven } from '../import-items.ts';
import { deriveId } from './derived-id.ts';
import { checked, type RecordRead, remark } from './foreign-records.ts';
import { clip, oneLine, storable } from './foreign-values.ts';
import type { Omissions } from './omissions.ts';

/** A conversation as another system knows it. */
export interface ForeignConversation {
  format: string;
  /** What it is called there. */
  id: string;
  title: string | undefined;
  createdMs: number | undefined;
  updatedMs: number | undefined;
  /** In their order. Those without text are left out. */
  messages: readonly ForeignMessage[];
  omissions: Omissions;
}

/** A message as another system knows it. */
export interface ForeignMessage {
  id: string | undefined;
  role: PortableMessage['role'];
  name?: string | undefined;
  text: string;
  createdMs: number | undefined;
}

/** The place of a conversation in its file, with its title for whoever looks for it. */
export function conversationPlace(index: number | string, title: string | undefined): string {
  return `conversations[${index}]${title === undefined ? '' : ` “${clip(oneLine(title), 60)}”`}`;
}

/** The conversation, then its messages, then what of it is left out. One that says nothing is left out itself. */
export function* readConversation(
  place: string,
  conversation: ForeignConversation,
  given: ImportGiven,
): Generator<RecordRead> {
  const { omissions } = conversation;
  const said = conversation.messages.filter(({ text }) => /\S/.test(storable(text)));
  if (said.length < conversation.messages.length) {
    omissions.add('empty message(s)', undefined, conversation.messages.length - said.length);
  }
  if (said.length === 0) yield remark(place, 'The conversation has no text');
  else yield* readSaid(place, conversation, said, given);
  yield* omissions.reasons(place);
}

function* readSaid(
  place: string,
  { format, id, title, createdMs, updatedMs }: ForeignConversation,
  messages: readonly ForeignMessage[],
  given: ImportGiven,
): Generator<RecordRead> {
  const times = messages.flatMap(({ createdMs }) => createdMs ?? []);
  const startMs = createdMs ?? earliest(times) ?? updatedMs;
  const conversation: PortableConversation = {
    type: 'conversation',
    id: deriveId('conv', startMs, given.user, [format, id]),
    title: title === undefined ? null : clip(oneLine(title), 500) || null,
    version: 1,
    cut: false,
    user: given.user,
    metadata: { source: format, sourceId: storable(id) },
    createdAt: toTimestamp(startMs ?? given.nowMs),
    updatedAt: toTimestamp(updatedMs ?? latest(times) ?? startMs ?? given.nowMs),
  };
  const first = checked(place, conversation, given);
  yield first;
  if (!('record' in first)) return;
  let ordinal = 1;
  let sentMs = startMs;
  for (const [index, message] of messages.entries()) {
    // One without a time was sent with the one before it, so that the times follow each other.
    sentMs = message.createdMs ?? sentMs;
    const source = message.id ?? `${index} ${message.role} ${message.text}`;
    const record: PortableMessage = {
      type: 'message',
      id: deriveId('msg', sentMs, given.user, [format, id, source]),
      conversationId: conversation.id,
      ordinal,
      role: message.role,
      name: (message.name && oneLine(message.name)) || null,
      content: storable(message.text),
      metadata: {},
      createdAt: toTimestamp(sentMs ?? given.nowMs),
    };
    const read = checked(`${place}, message ${index + 1}`, record, given);
    if ('record' in read) ordinal += 1;
    yield read;
  }
}

function earliest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : times.reduce((first, time) => Math.min(first, time));
}

function latest(times: readonly number[]): number | undefined {
  return times.length === 0 ? undefined : times.reduce((last, time) => Math.max(last, time));
}
