import { conversationPlace, type ForeignMessage, readConversation } from './foreign-conversations.ts';
import { type ForeignItem, type ForeignReader, fault } from './foreign-records.ts';
import { type Fields, fieldsOf, kindName, objectsIn, parseUnixSeconds, textOf } from './foreign-values.ts';
import type { ReaderOptions } from './import-reader.ts';
import { readJsonItems } from './json-items.ts';
import { createOmissions, type Omissions } from './omissions.ts';

/**
 * Reads `conversations.json`, or its parts `conversations-000.json` and so on, of ChatGPT's account export (Settings, Data
 * controls, Export data): a list of conversations, or an object with one. Each is a tree of messages, of which the user
 * saw the branch that ends in `current_node`. OpenAI does not document the format; for an unofficial description see
 * https://github.com/mohamed-chs/convoviz/blob/main/docs/dev/chatgpt-spec.md
 */
export const readChatgptExport: ForeignReader = (bytes, options) =>
  readJsonItems(
    bytes,
    { array: ['$.*'], object: ['$.conversations.*'] },
    ({ key, value }) => conversationPlace(key, textOf(fieldsOf(value)?.title)),
    ({ key, value }, place) => readTree(key, fieldsOf(value), place, options),
  );

const FORMAT = 'chatgpt';
const TEXT_TYPES = new Set<unknown>(['text', 'multimodal_text', 'code', 'execution_output']);
/** Names for the parts of a message that are not text, by content type. */
const PART_KINDS = new Map<unknown, string>([
  ['image_asset_pointer', 'image(s)'],
  ['audio_asset_pointer', 'audio recording(s)'],
  ['real_time_user_audio_video_asset_pointer', 'audio recording(s)'],
]);

function* readTree(
  index: number | string,
  conversation: Fields | undefined,
  place: string,
  options: ReaderOptions,
): Generator<ForeignItem> {
  const mapping = fieldsOf(conversation?.mapping);
  if (conversation === undefined || mapping === undefined) {
    return yield fault(place, 'Not a ChatGPT conversation: it has no “mapping” of messages.');
  }
  const title = textOf(conversation.title);
  const omissions = createOmissions();
  const shown = shownBranch(mapping, conversation.current_node);
  const hiddenCount = Object.values(mapping).filter((node) => fieldsOf(fieldsOf(node)?.message)).length - shown.length;
  const messages = shown.flatMap((message) => readMessage(message, omissions) ?? []);
  omissions.add('message(s) on other branches', undefined, hiddenCount);
  yield* readConversation(
    place,
    {
      format: FORMAT,
      id: textOf(conversation.conversation_id) ?? textOf(conversation.id) ?? `${index} ${title}`,
      title,
      createdMs: parseUnixSeconds(conversation.create_time),
      updatedMs: parseUnixSeconds(conversation.update_time),
      messages,
      omissions,
    },
    options,
  );
}

/** Returns the messages from the root to the current node, or to the last node if none is current. */
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
  // ChatGPT starts each conversation with empty system messages: not worth reporting.
  if (role === 'system' && !hasText(content)) return undefined;
  const kind = omittedKind(message, role, content.content_type);
  if (kind !== undefined || role === undefined) {
    omissions.add(kind ?? 'message(s) with an unknown role');
    return undefined;
  }
  for (const { name, mime_type } of objectsIn(fieldsOf(message.metadata)?.attachments)) {
    if (!textOf(mime_type)?.startsWith('image/')) omissions.add('attachment(s)', textOf(name));
  }
  const text = textOfContent(content, omissions);
  if (!/\S/.test(text) && hasOtherParts(content)) return undefined;
  const name = role === 'tool' ? textOf(author?.name) : undefined;
  return { id: textOf(message.id), role, name, text, createdMs: parseUnixSeconds(message.create_time) };
}

/** Returns the kind of omission for a message that the user did not see or that is not text; else `undefined`. */
function omittedKind(message: Fields, role: ForeignMessage['role'] | undefined, type: unknown): string | undefined {
  const { recipient, weight } = message;
  if (fieldsOf(message.metadata)?.is_visually_hidden_from_conversation === true || weight === 0) {
    return 'hidden message(s)';
  }
  // Code sent to Python and its output stay: the answer makes no sense without them.
  if (typeof recipient === 'string' && recipient !== 'all' && recipient !== 'python') return 'tool call(s)';
  if (role === 'tool' && type === 'text') return 'tool result(s)';
  return TEXT_TYPES.has(type) ? undefined : `message(s) of type ${kindName(type)}`;
}

function textOfContent(content: Fields, omissions: Omissions): string {
  if (!Array.isArray(content.parts)) return textOf(content.text) ?? '';
  const texts = content.parts.map((part: unknown) => {
    if (typeof part === 'string') return part;
    const { content_type: type, text } = fieldsOf(part) ?? {};
    if (type === 'audio_transcription' && typeof text === 'string') return text;
    omissions.add(PART_KINDS.get(type) ?? `part(s) of type ${kindName(type)}`);
    return '';
  });
  return texts.filter((text) => text !== '').join('\n\n');
}

/** Whether the message has parts other than text, which are already counted as omissions. */
function hasOtherParts({ parts }: Fields): boolean {
  return Array.isArray(parts) && parts.some((part: unknown) => typeof part !== 'string');
}

function hasText({ parts, text }: Fields): boolean {
  return textOf(text) !== undefined || (Array.isArray(parts) && parts.some((part: unknown) => textOf(part)));
}

function roleOf(role: unknown): ForeignMessage['role'] | undefined {
  return role === 'user' || role === 'assistant' || role === 'system' || role === 'tool' ? role : undefined;
}
