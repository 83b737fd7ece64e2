import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../../migrations/index.ts';
import { type Connection, openConnection } from '../../../src/db/connection.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { conversing, SPAN } from '../conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { expectFileEqualsRows } from './index-rows.ts';

/** Rows of every kind: versions, superseded and erased memories, long texts, gaps in conversations, cut episodes. */
async function fill(caller: Caller, user: string): Promise<void> {
  const { id } = await caller.add('My kayak is red', { user, tags: ['boats'] });
  await caller.change(id, { content: 'My kayak is blue' });
  await caller.add('My kayak is sold', { user, supersedes: id });
  await caller.add('word '.repeat(20_000), { user });
  await caller.erase((await caller.add('A mistake', { user })).id);
  const talk = conversing(caller);
  const conversation = await talk.begin({ user });
  const said = await talk.say(conversation.id, ...Array.from({ length: 200 }, (_, at) => `turn ${at} of the river`));
  const at = `/v1/conversations/${conversation.id}/messages`;
  const erased = said.slice(64, 140).map(({ id }) => caller.call(`${at}/${id}`, { method: 'DELETE' }));
  await Promise.all(erased);
  await talk.cut(conversation.id);
  await talk.episode({ title: 'River trip', user, ...SPAN });
}

async function on<T>(daemon: MemoryDaemon, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await openConnection(join(daemon.folder, 'svc.db'));
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

const totals = (daemon: MemoryDaemon) =>
  on(daemon, (connection) =>
    connection.all(
      'SELECT tenantId, scope, type, documents, words, passages FROM wordTotals ORDER BY tenantId, scope, type',
    ),
  );

test('the migration counts the totals of existing rows', { timeout: 60_000 }, async () => {
  const daemon = await startMemoryDaemon();
  const caller = await daemon.account();
  await fill(caller, 'ann');
  await fill(caller, 'bob');
  await fill(await daemon.account(), 'ann');
  await daemon.stop();
  const before = await totals(daemon);
  expect(before).toHaveLength(9);
  const indices = ['memoryText', 'messageText', 'episodeText'];
  const drops = ['wordTotals', ...indices.map((index) => `${index}Instances`)].map((name) => `DROP TABLE ${name};`);
  const step = MIGRATIONS.findIndex(({ name }) => name === '0011-word-totals');
  await on(daemon, (connection) => connection.exec(`${drops.join('')} PRAGMA user_version = ${step}`));
  await migrate(join(daemon.folder, 'svc.db'), MIGRATIONS.slice(0, step + 1));
  expect(await totals(daemon)).toEqual(before);
  await expectFileEqualsRows(join(daemon.folder, 'svc.db'));
  await daemon.close();
});
