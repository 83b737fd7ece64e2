import {
  branchTo,
  conversationPlace,
  type ForeignMessage,
  omitBranches,
  readConversation,
} from './foreign-conversations.ts';
import { type ForeignReader, fault, type ItemSteps, readMemory, skipped } from './foreign-records.ts';
import {
  clip,
  type Fields,
  fieldsOf,
  kindName,
  listOf,
  MAX_STORED_LENGTH,
  oneLine,
  parseInstant,
  textOf,
} from './foreign-values.ts';
import type { ReaderOptions } from './import-reader.ts';
import { type JsonItem, readJsonItems } from './json-items.ts';
import { BOLD_HEADING, HEADING, splitSections } from './markdown-sections.ts';
import { createOmissions, type Omissions } from './omissions.ts';

/**
 * Reads `conversations.json` and `memories.json` of Claude's account export (Settings, Privacy, Export data): a list of
 * conversations with `chat_messages`, or of accounts with the Markdown texts `conversations_memory` and, by project,
 * `project_memories`, and those of `memory_files` by path. Anthropic does not document the format; for an unofficial
 * description see https://github.com/brandtcormorant/claude-json-schema
 */
export const readClaudeExport: ForeignReader = (bytes, options) =>
  readJsonItems(bytes, options, { array: ['$.*'], object: ['$'] }, placeOf, ({ key, value }, place) => {
    const fields = fieldsOf(value) ?? {};
    if (Array.isArray(fields.chat_messages)) return readChat(key, fields, place, options);
    if (MEMORY_FIELDS.some((name) => fields[name] !== undefined)) {
      return readMemoryTexts(fields, place, options);
    }
    return [fault(place, 'Neither a Claude conversation nor Claude memories.')];
  });

const FORMAT = 'claude';
/** Claude writes its headings in bold. */
const HEADINGS = [HEADING, BOLD_HEADING];
const MEMORY_FIELDS = ['conversations_memory', 'project_memories', 'memory_files'];

function placeOf({ key, value }: JsonItem): string {
  const fields = fieldsOf(value) ?? {};
  if (Array.isArray(fields.chat_messages)) return conversationPlace(key, textOf(fields.name));
  return key === '' ? 'the file' : `[${key}]`;
}

function* readChat(index: number | string, chat: Fields, place: string, options: ReaderOptions): ItemSteps {
  const omissions = createOmissions();
  const title = textOf(chat.name);
  const messages: ForeignMessage[] = [];
  const all: Fields[] = [];
  for (const given of listOf(chat.chat_messages)) {
    yield undefined;
    const fields = fieldsOf(given);
    if (fields) all.push(fields);
  }
  const shown = yield* shownBranch(all, chat.current_leaf_message_uuid);
  for (const given of shown) {
    yield undefined;
    const message = yield* readMessage(given, omissions);
    if (message) messages.push(message);
  }
  omitBranches(omissions, all.length - shown.length);
  yield* readConversation(
    place,
    {
      format: FORMAT,
      id: textOf(chat.uuid) ?? `${index} ${title}`,
      title,
      createdMs: parseInstant(chat.created_at),
      updatedMs: parseInstant(chat.updated_at),
      messages,
      omissions,
    },
    options,
  );
}

/**
 * Returns the messages from the root to the current leaf, or to the latest one if none is current: edited and regenerated
 * messages have siblings. Older exports name no parents; all their messages are shown.
 */
function* shownBranch(messages: readonly Fields[], currentLeaf: unknown): Generator<undefined, readonly Fields[]> {
  const byId = new Map<unknown, Fields>();
  const parents = new Set<unknown>();
  for (const message of messages) {
    yield undefined;
    if (textOf(message.uuid) !== undefined) byId.set(message.uuid, message);
    if (textOf(message.parent_message_uuid) !== undefined) parents.add(message.parent_message_uuid);
  }
  if (parents.size === 0) return messages;
  let leaf = byId.get(currentLeaf);
  let latestMs = 0;
  for (const message of leaf ? [] : messages) {
    yield undefined;
    const createdMs = parseInstant(message.created_at) ?? 0;
    if (parents.has(message.uuid) || createdMs < latestMs) continue;
    leaf = message;
    latestMs = createdMs;
  }
  return yield* branchTo(leaf ?? messages.at(-1), (message) => byId.get(message.parent_message_uuid));
}

function* readMessage(message: Fields, omissions: Omissions): Generator<undefined, ForeignMessage | undefined> {
  const role = message.sender === 'human' ? 'user' : message.sender === 'assistant' ? 'assistant' : undefined;
  if (role === undefined) {
    omissions.add('message(s) with an unknown sender');
    return undefined;
  }
  let hasOthers = false;
  for (const files of [message.attachments, message.files]) {
    for (const file of listOf(files)) {
      yield undefined;
      if (!fieldsOf(file)) continue;
      hasOthers = true;
      omissions.add('attachment(s)', textOf(fieldsOf(file)?.file_name));
    }
  }
  let text: string | undefined;
  for (const block of listOf(message.content)) {
    yield undefined;
    const { type, text: said } = fieldsOf(block) ?? {};
    if (!fieldsOf(block)) continue;
    text ??= '';
    if (type !== 'text') {
      hasOthers = true;
      omissions.add(`part(s) of type ${kindName(type)}`);
    } else if (textOf(said) !== undefined && text.length <= MAX_STORED_LENGTH) {
      text += text === '' ? said : `\n\n${said}`;
    }
  }
  // `message.text` also renders the parts that are left out, so it is only used for older exports, which have no parts.
  text ??= textOf(message.text) ?? '';
  if (text === '' && hasOthers) return undefined;
  return { id: textOf(message.uuid), role, text, createdMs: parseInstant(message.created_at) };
}

/** A Markdown text that Claude remembers: of an account, of a project by its id, or of a file by its path. */
interface MemoryText {
  kind?: 'project' | 'path';
  name?: string | undefined;
  text: unknown;
  updatedMs?: number | undefined;
}

function memoryTexts(fields: Fields): MemoryText[] {
  const files = listOf(fields.memory_files).map((file) => fieldsOf(file) ?? {});
  return [
    { text: fields.conversations_memory },
    ...Object.entries(fieldsOf(fields.project_memories) ?? {}).map(
      ([name, text]) => ({ kind: 'project', name, text }) as const,
    ),
    ...files.map(
      ({ path, content: text, updated_at: updated }) =>
        ({ kind: 'path', name: textOf(path), text, updatedMs: parseInstant(updated) }) as const,
    ),
  ];
}

function* readMemoryTexts(fields: Fields, place: string, options: ReaderOptions): ItemSteps {
  const account = textOf(fields.account_uuid) ?? '';
  let isEmpty = true;
  for (const { kind, name, text, updatedMs } of memoryTexts(fields)) {
    const where = name === undefined ? place : `${place}, ${kind} ${clip(oneLine(name), 40)}`;
    for (const section of splitSections(textOf(text) ?? '', HEADINGS)) {
      yield undefined;
      if (!section) continue;
      isEmpty = false;
      const { heading, text: content } = section;
      const memory = {
        source: [FORMAT, account, name ?? '', content],
        content,
        tags: [],
        metadata: { source: FORMAT, ...(kind && name && { [kind]: name }), ...(heading && { heading }) },
        occurredMs: updatedMs,
      };
      yield readMemory(heading === undefined ? where : `${where}, “${clip(oneLine(heading), 60)}”`, memory, options);
    }
  }
  if (isEmpty) yield skipped(place, 'Claude remembers nothing in it');
}
