import { Type } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { conversationFields, messageFields } from '../../src/contract/conversations.ts';
import { episodeFields } from '../../src/contract/episodes.ts';
import {
  boolean,
  type Fields,
  json,
  newProperties,
  portableProperties,
  text,
  timestamp,
} from '../../src/contract/fields.ts';
import { memoryFields } from '../../src/contract/memories.ts';
import { type Connection, openConnection } from '../../src/db/connection.ts';
import { createRowCodec } from '../../src/db/row-codec.ts';
import { CONVERSATION_COLUMNS, MESSAGE_COLUMNS } from '../../src/features/conversations/message-row.ts';
import { EPISODE_COLUMNS } from '../../src/features/episodes/episode-row.ts';
import { MEMORY_COLUMNS } from '../../src/features/memories/memory-row.ts';
import { createDatabaseFolder, type DatabaseFolder } from './database-folder.ts';

let folder: DatabaseFolder;
let connection: Connection;

beforeAll(async () => {
  folder = await createDatabaseFolder();
  connection = await openConnection(folder.file, { readOnly: true });
});
afterAll(async () => {
  await connection.close();
  await folder.clean();
});

test.each<[string, readonly string[], readonly string[]]>([
  ['memories', MEMORY_COLUMNS, ['number', 'bytes']],
  ['conversations', CONVERSATION_COLUMNS, ['bytes']],
  ['messages', MESSAGE_COLUMNS, ['bytes']],
  ['episodes', EPISODE_COLUMNS, ['number', 'traits', 'dates', 'bytes']],
])('the table of fields of %s names every column of the database', async (table, columns, others) => {
  const found = await connection.all<{ name: string }>(`PRAGMA table_info(${table})`);
  expect([...columns, ...others].sort()).toEqual(found.map(({ name }) => name).sort());
});

const fields = {
  title: text(Type.String(), { create: 'required', change: 'set' }),
  user: text(Type.String(), { column: 'endUser', create: 'optional', default: 'default', alwaysExported: true }),
  tags: json(Type.Array(Type.String()), {
    answer: Type.Array(Type.String()),
    create: 'optional',
    change: 'set',
    default: [],
  }),
  origin: json(Type.Object({ a: Type.Optional(Type.String()) }), {
    answer: Type.Object({}),
    nullable: true,
    create: 'optional',
  }),
  until: timestamp({ nullable: true, create: 'optional', change: 'set-or-clear' }),
  done: boolean({ create: 'optional', change: 'set', default: false }),
};
const codec = createRowCodec(fields);
const row = codec.fromNew({ title: 'Tea', until: '2026-01-02T03:04:05Z', done: true }, '');

test('a row holds what was given and the defaults of the rest', () => {
  expect(row).toEqual({ title: 'Tea', endUser: 'default', tags: '[]', origin: null, until: 1767323045000, done: 1 });
  expect(codec.columns).toEqual(Object.keys(row));
});

test('an answer shows the values of a row in the order of the table', () => {
  const answer = codec.toAnswer(row);
  expect(answer).toEqual({
    ...{ title: 'Tea', user: 'default', tags: [], origin: null },
    ...{ until: '2026-01-02T03:04:05.000Z', done: true },
  });
  expect(Object.keys(answer)).toEqual(Object.keys(fields));
});

test('what is exported is restored to the same row', () => {
  expect(codec.fromPortable(codec.toPortable(row))).toEqual(row);
});

test('a change sets, clears or leaves each field, and is none where nothing differs', () => {
  expect(codec.changed(row, { title: 'Green tea', until: null })).toEqual({ ...row, title: 'Green tea', until: null });
  expect(codec.changed(row, { done: true, tags: [] })).toBeUndefined();
});

test('an empty object in a column that may be empty is stored as nothing', () => {
  expect(codec.fromNew({ title: 'Tea', origin: {} }, '').origin).toBeNull();
});

test('a timestamp that names no instant is refused with its path', () => {
  const give = () => codec.fromNew({ title: 'Tea', until: '2026-02-30T00:00:00Z' }, '/memories/3');
  expect(give).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  expect(give).toThrow('/memories/3/until');
});

test('an export of before a field existed is accepted if the field has a default', () => {
  const { required } = Type.Object(portableProperties(fields));
  expect(required).toEqual(['title', 'user', 'origin', 'until']);
  expect(Type.Object(newProperties(fields)).required).toEqual(['title']);
});

test.each<[string, Fields]>([
  ['memory', memoryFields],
  ['conversation', conversationFields],
  ['message', messageFields],
  ['episode', episodeFields],
])('a field of a %s that an export lacks has a value to restore it with', (_, table) => {
  const bare = Object.values(table).filter((field) => field.portable === false && field.default === undefined);
  expect(bare.every(({ nullable }) => nullable)).toBe(true);
});
