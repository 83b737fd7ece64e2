import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, openConnection, type Reader } from '../../../src/db/connection.ts';
import * as topics from '../../../src/features/topics/topics-store.ts';
import { createDatabaseFolder, type DatabaseFolder } from '../../db/database-folder.ts';
import { plannedBy } from '../../db/statement-plan.ts';

const OWNER = { tenantId: 'ten_1', endUser: 'default' };
const FIRST = { startOfWord: 'ad', isHidden: 0, after: undefined, limit: 9 } as const;

let place: DatabaseFolder;
let connection: Connection;

beforeAll(async () => {
  place = await createDatabaseFolder();
  connection = await openConnection(place.file, { readOnly: true });
});

afterAll(async () => {
  await connection.close();
  await place.clean();
});

test.each<[string, (reader: Reader) => Promise<unknown>]>([
  ['by ids', (reader) => topics.findTopics(reader, 'ten_1', ['top_1'])],
  ['in a list', (reader) => topics.listTopics(reader, { ...OWNER, ...FIRST, sort: 'memories' })],
  ['by names', (reader) => topics.findNames(reader, OWNER, ['ada'])],
  ['with their names', (reader) => topics.listNamesOf(reader, 'ten_1', ['top_1'])],
  ['with given names', (reader) => topics.listGivenNames(reader, OWNER, 9)],
  ['that memories mention', (reader) => topics.findMentionsIn(reader, 'ten_1', ['mem_1'])],
  ['with the memories that mention them', (reader) => topics.listMentioning(reader, 'ten_1', 'top_1', 9)],
  ['with times', (reader) => topics.listMentionTimes(reader, 'ten_1', 'top_1')],
  ['beside another', (reader) => topics.listRelated(reader, OWNER, 'top_1', 9)],
  ['without names that are said', (reader) => topics.listUnmentioned(reader, 'ten_1', ['top_1'])],
])('topics %s are read by an index of their tenant, never by scanning', async (_what, ask) => {
  const plan = await plannedBy(connection, ask);
  const reads = plan.filter((line) => /^(?:SEARCH|SCAN) (?!t VIRTUAL|json_each|newest|m$|own)/.test(line));
  expect(reads.filter((line) => !/^SEARCH \w+ USING .*\(tenantId=\?/.test(line))).toEqual([]);
  expect(reads.length).toBeGreaterThan(0);
});
