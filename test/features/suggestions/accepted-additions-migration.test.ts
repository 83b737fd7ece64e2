import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../../migrations/index.ts';
import { openConnection } from '../../../src/db/connection.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting } from './suggestion-daemon.ts';

test('the migration links what was accepted before, and erases the texts of what was erased since', async () => {
  const daemon = await startMemoryDaemon();
  const caller = await newSuggesting(daemon);
  const ids: string[] = [];
  for (const content of ['Ada sings', 'Ada rows']) {
    const { id } = await caller.suggest({ kind: 'add', content });
    await caller.decide(id, 'accept');
    ids.push(id);
  }
  const { data } = (await caller.call<{ data: { id: string; content: string }[] }>('/v1/memories')).body;
  const idOf = (content: string) => data.find((memory) => memory.content === content)!.id;
  await caller.erase(idOf('Ada rows'));
  await daemon.stop();
  const file = join(daemon.folder, 'svc.db');
  const step = MIGRATIONS.findIndex(({ name }) => name === '0045-accepted-additions');
  const connection = await openConnection(file);
  await connection.exec(
    `DELETE FROM suggestionItems; UPDATE suggestions SET content = 'before'; PRAGMA user_version = ${step}`,
  );
  await connection.close();
  await migrate(file, MIGRATIONS.slice(0, step + 1));
  const migrated = await openConnection(file);
  expect(await migrated.all('SELECT id, content FROM suggestions ORDER BY id')).toEqual([
    { id: ids[0], content: 'before' },
    { id: ids[1], content: null },
  ]);
  expect(await migrated.all('SELECT itemId, suggestionId FROM suggestionItems')).toEqual([
    { itemId: idOf('Ada sings'), suggestionId: ids[0] },
  ]);
  await migrated.close();
  await daemon.close();
});
