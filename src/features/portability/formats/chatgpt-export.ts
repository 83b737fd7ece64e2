import {
  branchTo,
  conversationPlace,
  type ForeignMessage,
  omitBranches,
  readConversation,
} from './foreign-conversations.ts';
import { type ForeignReader, fault, type ItemSteps } from './foreign-records.ts';
import {
  type Fields,
  fieldsOf,
  kindName,
  listOf,
  MAX_STORED_LENGTH,
  parseUnixSeconds,
  textOf,
} from './foreign-values.ts';
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
    options,
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

/** A name that the user saw, between markers and with what it refers to. */
const NAMED_REFERENCE =
  /\ue200(?:entity\ue202\["[^"\ue200]*", ?"|(?:url|link_title)\ue202)([^"\\\ue200-\ue202]+)(?=["\ue201\ue202])[^\ue200\ue201]*\ue201/g;
/** References that the user saw as buttons, if at all, with the space before them and a character that needs none. */
const REFERENCES = /( ?)(?:\ue200[^\ue200\ue201]*\ue201|【\d[\d:]*†[^【】\n]*】|[\ue203\ue204])+(?=([\s.,;:!?)]|$)|)/g;

function* readTree(
  index: number | string,
  conversation: Fields | undefined,
  place: string,
  options: ReaderOptions,
): ItemSteps {
  const mapping = fieldsOf(conversation?.mapping);
  if (conversation === undefined || mapping === undefined) {
    return yield fault(place, 'Not a ChatGPT conversation: it has no “mapping” of messages.');
  }
  const title = textOf(conversation.title);
  const omissions = createOmissions();
  const shown = yield* shownBranch(mapping, conversation.current_node);
  let hiddenCount = -shown.length;
  for (const id of Object.keys(mapping)) {
    yield undefined;
    if (fieldsOf(fieldsOf(mapping[id])?.message)) hiddenCount += 1;
  }
  const messages: ForeignMessage[] = [];
  for (const given of shown) {
    yield undefined;
    const message = yield* readMessage(given, omissions);
    if (message) messages.push(message);
  }
  omitBranches(omissions, hiddenCount);
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
function* shownBranch(mapping: Fields, currentNode: unknown): Generator<undefined, Fields[]> {
  const nodeOf = (id: unknown) =>
    typeof id === 'string' && Object.hasOwn(mapping, id) ? fieldsOf(mapping[id]) : undefined;
  const leaf = nodeOf(currentNode) ?? nodeOf(Object.keys(mapping).at(-1));
  const branch = yield* branchTo(leaf, ({ parent }) => nodeOf(parent));
  return branch.map(({ message }) => fieldsOf(message)).filter((message) => message !== undefined);
}

function* readMessage(message: Fields, omissions: Omissions): Generator<undefined, ForeignMessage | undefined> {
  const author = fieldsOf(message.author);
  const content = fieldsOf(message.content) ?? {};
  const role = roleOf(author?.role);
  // ChatGPT starts each conversation with empty system messages: not worth reporting.
  if (role === 'system' && !(yield* hasText(content))) return undefined;
  const kind = omittedKind(message, role, content.content_type);
  if (kind !== undefined || role === undefined) {
    omissions.add(kind ?? 'message(s) with an unknown role');
    return undefined;
  }
  for (const attachment of listOf(fieldsOf(message.metadata)?.attachments)) {
    yield undefined;
    const { name, mime_type } = fieldsOf(attachment) ?? {};
    if (!textOf(mime_type)?.startsWith('image/')) omissions.add('attachment(s)', textOf(name));
  }
  const { text, hasOtherParts } = yield* textOfContent(content, omissions);
  if (textOf(text) === undefined && hasOtherParts) return undefined;
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
  if (role === 'tool' && fieldsOf(message.author)?.name !== 'python') return 'tool result(s)';
  return TEXT_TYPES.has(type) ? undefined : `message(s) of type ${kindName(type)}`;
}

/** Joins the texts of a message, and counts its parts of other types as omissions. */
function* textOfContent(
  content: Fields,
  omissions: Omissions,
): Generator<undefined, { text: string; hasOtherParts: boolean }> {
  if (!Array.isArray(content.parts)) return { text: textOf(content.text) ?? '', hasOtherParts: false };
  let text = '';
  let hasOtherParts = false;
  for (const part of content.parts) {
    yield undefined;
    const { content_type: type, text: transcript } = fieldsOf(part) ?? {};
    if (typeof part !== 'string') hasOtherParts = true;
    const said = type === 'audio_transcription' ? transcript : part;
    if (typeof said !== 'string') omissions.add(PART_KINDS.get(type) ?? `part(s) of type ${kindName(type)}`);
    else if (said !== '' && text.length <= MAX_STORED_LENGTH) {
      const shown = withoutReferences(said);
      text += text === '' ? shown : `\n\n${shown}`;
    }
  }
  return { text, hasOtherParts };
}

/** Removes the markup of citations from a text that is not too long to be stored. */
function withoutReferences(text: string): string {
  if (text.length > MAX_STORED_LENGTH) return text;
  return text
    .replace(NAMED_REFERENCE, '$1')
    .replace(REFERENCES, (_, space: string, next: string | undefined) => (next === undefined ? space : ''));
}

function* hasText({ parts, text }: Fields): Generator<undefined, boolean> {
  if (textOf(text) !== undefined) return true;
  for (const part of listOf(parts)) {
    yield undefined;
    if (textOf(part) !== undefined) return true;
  }
  return false;
}

function roleOf(role: unknown): ForeignMessage['role'] | undefined {
  return role === 'user' || role === 'assistant' || role === 'system' || role === 'tool' ? role : undefined;
}
