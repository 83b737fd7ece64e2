import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { textEntryOf } from '../../../src/features/conversations/message-row.ts';
import { findMessageRows } from '../../../src/features/conversations/messages-store.ts';
import { textIndices } from '../../../src/features/text/text-indices.ts';
import { insertToIndex } from '../../../src/features/text/text-portions-store.ts';
import { conversing } from '../conversations/conversation-caller.ts';
import { type Caller, createCaller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newAccount } from '../portability/portable-account.ts';
import { expectIndexEqualsRows } from './index-rows.ts';

let daemon: MemoryDaemon;
let ada: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  ada = await newAccount(daemon);
});
afterAll(() => daemon.close());

/** Of long words: fewer to compare with their rows. */
const FILLER = `${'oolong'.repeat(6)} `.repeat(53);
/** Some 80 texts of 2 KB: several transactions. */
const contentsOf = (name: string) => Array.from({ length: 80 }, (_, index) => `${name}${index} ${FILLER}`);

async function expectSearchable(name: string, type: 'memory' | 'message'): Promise<void> {
  for (const index of [0, 1, 40, 78, 79]) {
    const { results } = (await ada.search(`${name}${index}`, { types: [type] })).body;
    expect(results[0]?.content.slice(0, 20), `${name}${index}`).toContain(`${name}${index} `);
  }
}

async function expectIndexed(): Promise<void> {
  expect(await daemon.db.readers.all('SELECT * FROM textsToIndex')).toEqual([]);
  await expectIndexEqualsRows(daemon);
}

describe('a write of long texts is searchable whole when it is answered', () => {
  test('as messages of a conversation, alone and beside another of the same account', async () => {
    const { begin, append } = conversing(ada);
    const { id } = await begin();
    const messages = (name: string) => contentsOf(name).map((content) => ({ role: 'user', content }));
    const first = append(id, messages('kayak')).then(() => expectSearchable('kayak', 'message'));
    await Promise.all([first, append(id, messages('canoe'))]);
    await expectSearchable('canoe', 'message');
    await expectIndexed();
  });

  test('as messages of a new conversation', async () => {
    const messages = contentsOf('kayak').map((content) => ({ role: 'user', content }));
    expect((await ada.call('/v1/remember', { body: { messages } })).status).toBeLessThan(300);
    await expectSearchable('kayak', 'message');
    await expectIndexed();
  });

  test('as a batch of memories', async () => {
    await ada.addAll(contentsOf('kayak').map((content) => ({ content })));
    await expectSearchable('kayak', 'memory');
    await expectIndexed();
  });
});

/** Leaves messages as a write does whose daemon ends before it has indexed them. */
async function leaveToIndex(ids: readonly string[], isIndexed = false): Promise<void> {
  await daemon.db.writes.write(ada.tenantId, async (connection) => {
    const rows = await connection.all<{ number: number }>(
      'SELECT number FROM messages WHERE id IN (SELECT value FROM texts(?))',
      [JSON.stringify(ids)],
    );
    const numbers = rows.map(({ number }) => number);
    const entries = (await findMessageRows(connection, ada.tenantId, numbers)).map(textEntryOf);
    if (!isIndexed) await textIndices.message.remove(connection, entries);
    await insertToIndex(connection, 'message', entries);
  });
}

async function restart(): Promise<void> {
  await daemon.stop();
  daemon = await startMemoryDaemon({ dataDir: daemon.folder });
  ada = createCaller(daemon.call, ada.apiKey, ada.tenantId);
}

describe('what a write left to be indexed when the daemon ended', () => {
  test('is indexed at the next start', async () => {
    const { begin, say } = conversing(ada);
    const { id } = await begin();
    const said = await say(id, 'a kayak', ...contentsOf('canoe'));
    await leaveToIndex(said.map((message) => message.id));
    expect((await ada.search('kayak')).body.results).toEqual([]);
    await restart();
    expect((await ada.search('kayak')).body.results[0]).toMatchObject({ content: 'a kayak' });
    await expectSearchable('canoe', 'message');
    await expectIndexed();
  });

  test('is not indexed twice if it was changed meanwhile, and not at all if it was erased', async () => {
    const { begin, say } = conversing(ada);
    const { id } = await begin();
    const [changed, erased, indexed] = await say(id, 'a kayak', 'a canoe', 'a raft');
    await leaveToIndex([changed!.id, erased!.id]);
    await leaveToIndex([indexed!.id], true);
    const at = (message: { id: string }) => `/v1/conversations/${id}/messages/${message.id}`;
    expect((await ada.call(at(changed!), { method: 'PATCH', body: { content: 'a ferry' } })).status).toBe(200);
    expect((await ada.call(at(erased!), { method: 'DELETE' })).status).toBe(204);
    await restart();
    expect((await ada.search('kayak canoe ferry raft')).body.results.map(({ content }) => content).sort()).toEqual([
      'a ferry',
      'a raft',
    ]);
    await expectIndexed();
  });
});
