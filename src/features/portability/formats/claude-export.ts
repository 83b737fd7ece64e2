import type { ImportGiven } from '../import-items.ts';
import { conversationPlace, type ForeignMessage, readConversation } from './foreign-conversations.ts';
import { fault, type ReadRecords, type RecordRead, readMemory } from './foreign-records.ts';
import { clip, type Fields, fieldsOf, instantIn, kindName, objectsIn, oneLine, textOf } from './foreign-values.ts';
import { type JsonItem, readJsonItems } from './json-items.ts';
import { sectionsOf } from './markdown-sections.ts';
import { createOmissions, type Omissions } from './omissions.ts';

/**
 * `conversations.json` and `memories.json` of Claude's account export (Settings, Privacy, Export data): a list of
 * conversations with their `chat_messages`, or of accounts with the texts `conversations_memory` and, by project,
 * `project_memories`, which are Markdown. Anthropic does not describe the format; others do:
 * https://github.com/brandtcormorant/claude-json-schema
 */
export const readClaudeExport: ReadRecords = (bytes, given) =>
  readJsonItems(bytes, { array: ['$.*'], object: ['$'] }, placeOf, ({ key, value }, place) => {
    const fields = fieldsOf(value) ?? {};
    if (Array.isArray(fields.chat_messages)) return readChat(key, fields, place, given);
    if (textOf(fields.conversations_memory) || fieldsOf(fields.project_memories)) {
      return readMemoryTexts(fields, place, given);
    }
    return [fault(place, 'It is neither a conversation of Claude nor what Claude remembers.')];
  });

const FORMAT = 'claude';

function placeOf({ key, value }: JsonItem): string {
  const fields = fieldsOf(value) ?? {};
  if (Array.isArray(fields.chat_messages)) return conversationPlace(key, textOf(fields.name));
  return key === '' ? 'the file' : `[${key}]`;
}

function readChat(index: number | string, chat: Fields, place: string, given: ImportGiven): Iterable<RecordRead> {
  const omissions = createOmissions();
  const title = textOf(chat.name);
  return readConversation(
    place,
    {
      format: FORMAT,
      id: textOf(chat.uuid) ?? `${index} ${title}`,
      title,
      createdMs: instantIn(chat.created_at),
      updatedMs: instantIn(chat.updated_at),
      messages: objectsIn(chat.chat_messages).flatMap((message) => readMessage(message, omissions) ?? []),
      omissions,
    },
    given,
  );
}

function readMessage(message: Fields, omissions: Omissions): ForeignMessage | undefined {
  const role = message.sender === 'human' ? 'user' : message.sender === 'assistant' ? 'assistant' : undefined;
  if (role === undefined) {
    omissions.add('message(s) of an unknown sender');
    return undefined;
  }
  const attached = [...objectsIn(message.attachments), ...objectsIn(message.files)];
  for (const { file_name } of attached) omissions.add('attachment(s)', textOf(file_name));
  const blocks = objectsIn(message.content);
  const others = blocks.filter(({ type }) => type !== 'text');
  for (const { type } of others) omissions.add(`part(s) of the type ${kindName(type)}`);
  const texts = blocks.flatMap(({ type, text }) => (type === 'text' && textOf(text)) || []);
  // The text beside the parts stands for them all, also for those that are left out; older exports have nothing else.
  const text = blocks.length > 0 ? texts.join('\n\n') : (textOf(message.text) ?? '');
  if (text === '' && others.length + attached.length > 0) return undefined;
  return { id: textOf(message.uuid), role, text, createdMs: instantIn(message.created_at) };
}

function* readMemoryTexts(fields: Fields, place: string, given: ImportGiven): Generator<RecordRead> {
  const account = textOf(fields.account_uuid) ?? '';
  const projects = Object.entries(fieldsOf(fields.project_memories) ?? {});
  for (const [project, text] of [[undefined, fields.conversations_memory] as const, ...projects]) {
    for (const { heading, text: content } of sectionsOf(textOf(text) ?? '')) {
      const where = `${place}${project === undefined ? '' : `, project ${clip(oneLine(project), 40)}`}`;
      const memory = {
        source: [FORMAT, account, project ?? '', content],
        content,
        tags: [],
        metadata: { source: FORMAT, ...(project && { project }), ...(heading && { heading }) },
      };
      yield readMemory(heading === undefined ? where : `${where}, “${clip(oneLine(heading), 60)}”`, memory, given);
    }
  }
}
