import { conversationPlace, type ForeignMessage, readConversation } from './foreign-conversations.ts';
import { type ForeignItem, type ForeignReader, fault, readMemory } from './foreign-records.ts';
import { clip, type Fields, fieldsOf, kindName, objectsIn, oneLine, parseInstant, textOf } from './foreign-values.ts';
import type { ReaderOptions } from './import-reader.ts';
import { type JsonItem, readJsonItems } from './json-items.ts';
import { splitSections } from './markdown-sections.ts';
import { createOmissions, type Omissions } from './omissions.ts';

/**
 * Reads `conversations.json` and `memories.json` of Claude's account export (Settings, Privacy, Export data): a list of
 * conversations with `chat_messages`, or of accounts with the Markdown texts `conversations_memory` and, by project,
 * `project_memories`. Anthropic does not document the format; for an unofficial description see
 * https://github.com/brandtcormorant/claude-json-schema
 */
export const readClaudeExport: ForeignReader = (bytes, options) =>
  readJsonItems(bytes, { array: ['$.*'], object: ['$'] }, placeOf, ({ key, value }, place) => {
    const fields = fieldsOf(value) ?? {};
    if (Array.isArray(fields.chat_messages)) return readChat(key, fields, place, options);
    if (textOf(fields.conversations_memory) || fieldsOf(fields.project_memories)) {
      return readMemoryTexts(fields, place, options);
    }
    return [fault(place, 'Neither a Claude conversation nor Claude memories.')];
  });

const FORMAT = 'claude';

function placeOf({ key, value }: JsonItem): string {
  const fields = fieldsOf(value) ?? {};
  if (Array.isArray(fields.chat_messages)) return conversationPlace(key, textOf(fields.name));
  return key === '' ? 'the file' : `[${key}]`;
}

function readChat(index: number | string, chat: Fields, place: string, options: ReaderOptions): Iterable<ForeignItem> {
  const omissions = createOmissions();
  const title = textOf(chat.name);
  return readConversation(
    place,
    {
      format: FORMAT,
      id: textOf(chat.uuid) ?? `${index} ${title}`,
      title,
      createdMs: parseInstant(chat.created_at),
      updatedMs: parseInstant(chat.updated_at),
      messages: objectsIn(chat.chat_messages).flatMap((message) => readMessage(message, omissions) ?? []),
      omissions,
    },
    options,
  );
}

function readMessage(message: Fields, omissions: Omissions): ForeignMessage | undefined {
  const role = message.sender === 'human' ? 'user' : message.sender === 'assistant' ? 'assistant' : undefined;
  if (role === undefined) {
    omissions.add('message(s) with an unknown sender');
    return undefined;
  }
  const attached = [...objectsIn(message.attachments), ...objectsIn(message.files)];
  for (const { file_name } of attached) omissions.add('attachment(s)', textOf(file_name));
  const blocks = objectsIn(message.content);
  const others = blocks.filter(({ type }) => type !== 'text');
  for (const { type } of others) omissions.add(`part(s) of type ${kindName(type)}`);
  const texts = blocks.flatMap(({ type, text }) => (type === 'text' && textOf(text)) || []);
  // `message.text` also renders the parts that are left out, so it is only used for older exports, which have no parts.
  const text = blocks.length > 0 ? texts.join('\n\n') : (textOf(message.text) ?? '');
  if (text === '' && others.length + attached.length > 0) return undefined;
  return { id: textOf(message.uuid), role, text, createdMs: parseInstant(message.created_at) };
}

function* readMemoryTexts(fields: Fields, place: string, options: ReaderOptions): Generator<ForeignItem> {
  const account = textOf(fields.account_uuid) ?? '';
  const projects = Object.entries(fieldsOf(fields.project_memories) ?? {});
  for (const [project, text] of [[undefined, fields.conversations_memory] as const, ...projects]) {
    for (const { heading, text: content } of splitSections(textOf(text) ?? '')) {
      const where = `${place}${project === undefined ? '' : `, project ${clip(oneLine(project), 40)}`}`;
      const memory = {
        source: [FORMAT, account, project ?? '', content],
        content,
        tags: [],
        metadata: { source: FORMAT, ...(project && { project }), ...(heading && { heading }) },
      };
      yield readMemory(heading === undefined ? where : `${where}, “${clip(oneLine(heading), 60)}”`, memory, options);
    }
  }
}
