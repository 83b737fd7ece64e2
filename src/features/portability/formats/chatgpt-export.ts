import type { ImportGiven } from '../import-items.ts';
import { conversationPlace, type ForeignMessage, readConversation } from './foreign-conversations.ts';
import { fault, type ReadRecords, type RecordRead } from './foreign-records.ts';
import { type Fields, fieldsOf, instantOfSeconds, kindName, objectsIn, textOf } from './foreign-values.ts';
import { readJsonItems } from './json-items.ts';
import { createOmissions, type Omissions } from './omissions.ts';

/**
 * `conversations.json` of ChatGPT's account export (Settings, Data controls, Export data), also in the parts
 * `conversations-000.json` and so on: a list of conversations, or an object with one. Each is a tree of messages, of
 * which the branch that ends in `current_node` is what its user saw. OpenAI does not describe the format; others do:
 * https://github.com/mohamed-chs/convoviz/blob/main/docs/dev/chatgpt-spec.md
 */
export const readChatgptExport: ReadRecords = (bytes, given) =>
  readJsonItems(
    bytes,
    { array: ['$.*'], object: ['$.conversations.*'] },
    ({ key, value }) => conversationPlace(key, textOf(fieldsOf(value)?.title)),
    ({ key, value }, place) => readTree(key, fieldsOf(value), place, given),
  );

const FORMAT = 'chatgpt';
const TEXT_TYPES = new Set<unknown>(['text', 'multimodal_text', 'code', 'execution_output']);
/** A part of a message that is no text, by what it says it is. */
const PART_KINDS = new Map<unknown, string>([
  ['image_asset_pointer', 'image(s)'],
  ['audio_asset_pointer', 'audio recording(s)'],
  ['real_time_user_audio_video_asset_pointer', 'audio recording(s)'],
]);

function* readTree(
  index: number | string,
  conversation: Fields | undefined,
  place: string,
  given: ImportGiven,
): Generator<RecordRead> {
  const mapping = fieldsOf(conversation?.mapping);
  if (conversation === undefined || mapping === undefined) {
    return yield fault(place, 'It is no conversation of ChatGPT: it has no “mapping” of messages.');
  }
  const title = textOf(conversation.title);
  const omissions = createOmissions();
  const shown = shownBranch(mapping, conversation.current_node);
  const others = Object.values(mapping).filter((node) => fieldsOf(fieldsOf(node)?.message)).length - shown.length;
  const messages = shown.flatMap((message) => readMessage(message, omissions) ?? []);
  omissions.add('message(s) of branches that were not shown', undefined, others);
  yield* readConversation(
    place,
    {
      format: FORMAT,
      id: textOf(conversation.conversation_id) ?? textOf(conversation.id) ?? `${index} ${title}`,
      title,
      createdMs: instantOfSeconds(conversation.create_time),
      updatedMs: instantOfSeconds(conversation.update_time),
      messages,
      omissions,
    },
    given,
  );
}

/** The messages from the root to the current node; to the last one where no node is said to be current. */
function shownBranch(mapping: Fields, currentNode: unknown): Fields[] {
  const messages: Fields[] = [];
  const seen = new Set<string>();
  let id = textOf(currentNode);
  if (id === undefined || !Object.hasOwn(mapping, id)) id = Object.keys(mapping).at(-1);
  while (id !== undefined && Object.hasOwn(mapping, id) && !seen.has(id)) {
    seen.add(id);
    const node = fieldsOf(mapping[id]);
    const message = fieldsOf(node?.message);
    if (message) messages.push(message);
    id = textOf(node?.parent);
  }
  return messages.reverse();
}

function readMessage(message: Fields, omissions: Omissions): ForeignMessage | undefined {
  const author = fieldsOf(message.author);
  const content = fieldsOf(message.content) ?? {};
  const role = roleOf(author?.role);
  // Each conversation begins with some that ChatGPT made for itself: nobody misses them.
  if (role === 'system' && !hasText(content)) return undefined;
  const kind = kindLeftOut(message, role, content.content_type);
  if (kind !== undefined || role === undefined) {
    omissions.add(kind ?? 'message(s) of an unknown role');
    return undefined;
  }
  for (const { name, mime_type } of objectsIn(fieldsOf(message.metadata)?.attachments)) {
    if (!textOf(mime_type)?.startsWith('image/')) omissions.add('attachment(s)', textOf(name));
  }
  const text = textOfContent(content, omissions);
  if (!/\S/.test(text) && hasOtherParts(content)) return undefined;
  const name = role === 'tool' ? textOf(author?.name) : undefined;
  return { id: textOf(message.id), role, name, text, createdMs: instantOfSeconds(message.create_time) };
}

/** As what a message is left out that its user did not see as a message, or that is no text. */
function kindLeftOut(message: Fields, role: ForeignMessage['role'] | undefined, type: unknown): string | undefined {
  const { recipient, weight } = message;
  if (fieldsOf(message.metadata)?.is_visually_hidden_from_conversation === true || weight === 0) {
    return 'hidden message(s)';
  }
  // What goes to Python is shown, and so is what comes back: the answer makes no sense without it.
  if (typeof recipient === 'string' && recipient !== 'all' && recipient !== 'python') return 'call(s) to tools';
  if (role === 'tool' && type === 'text') return 'answer(s) of tools';
  return TEXT_TYPES.has(type) ? undefined : `message(s) of the type ${kindName(type)}`;
}

function textOfContent(content: Fields, omissions: Omissions): string {
  if (!Array.isArray(content.parts)) return textOf(content.text) ?? '';
  const texts = content.parts.map((part: unknown) => {
    if (typeof part === 'string') return part;
    const { content_type: type, text } = fieldsOf(part) ?? {};
    if (type === 'audio_transcription' && typeof text === 'string') return text;
    omissions.add(PART_KINDS.get(type) ?? `part(s) of the type ${kindName(type)}`);
    return '';
  });
  return texts.filter((text) => text !== '').join('\n\n');
}

/** Whether a message without text had something else, which is counted already. */
function hasOtherParts({ parts }: Fields): boolean {
  return Array.isArray(parts) && parts.some((part: unknown) => typeof part !== 'string');
}

function hasText({ parts, text }: Fields): boolean {
  return textOf(text) !== undefined || (Array.isArray(parts) && parts.some((part: unknown) => textOf(part)));
}

function roleOf(role: unknown): ForeignMessage['role'] | undefined {
  return role === 'user' || role === 'assistant' || role === 'system' || role === 'tool' ? role : undefined;
}
