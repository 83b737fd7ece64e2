import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { MIGRATIONS } from '../../../migrations/index.ts';
import { openConnection } from '../../../src/db/connection.ts';
import { ensureDatabaseFile } from '../../../src/db/database-file.ts';
import { migrate } from '../../../src/db/migrate.ts';

let folder: string;
afterEach(() => rm(folder, { recursive: true, force: true }));

test('the rows of a database from before stored bytes are counted, and no longer when they are deleted', async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-storage-'));
  const file = await ensureDatabaseFile(folder);
  const before = MIGRATIONS.findIndex(({ name }) => name === '0012-stored-bytes');
  await migrate(file, MIGRATIONS.slice(0, before));
  const connection = await openConnection(file);
  for (const tenantId of ['ten_a', 'ten_b', 'ten_none']) {
    await connection.run(`INSERT INTO tenants (tenantId, email, tier, createdAt) VALUES (?1, ?1, 'Free', 1)`, [
      tenantId,
    ]);
  }
  for (const [tenantId, text, number] of [
    ['ten_a', 'Zoë', 1],
    ['ten_b', 'tea', 2],
  ] as const) {
    await connection.exec(`
      INSERT INTO memories (tenantId, id, version, current, scope, endUser, content, contentHash, tags, metadata, source,
        validFrom, createdAt, updatedAt, traits)
        VALUES ('${tenantId}', 'm', 1, 0, 1, 'u', '${text}', 'h', '["a"]', '{}', NULL, 1, 1, 1, 0),
        ('${tenantId}', 'm', 2, 1, 1, 'u', '${text} 2', 'h', '[]', '{}', '{"messageId":"x"}', 1, 1, 1, 0);
      INSERT INTO conversations (tenantId, id, number, scope, endUser, title, metadata, version, messageCount, lastOrdinal,
        createdAt, updatedAt) VALUES ('${tenantId}', 'c', ${number}, 1, 'u', NULL, '{}', 1, 1, 1, 1, 1);
      INSERT INTO messages (tenantId, conversationId, ordinal, id, scope, role, name, content, metadata, createdAt, traits)
        VALUES ('${tenantId}', 'c', 1, 'g', 1, 'user', '${text}', 'hi', '{}', 1, 0);
      INSERT INTO episodes (tenantId, id, scope, endUser, title, summary, memoryIds, metadata, cut, edited, version,
        startedAt, endedAt, createdAt, updatedAt, traits)
        VALUES ('${tenantId}', 'e', 1, 'u', '${text}', 'long', '["m"]', '{}', 0, 0, 1, 1, 1, 1, 1, 0)`);
  }
  await connection.close();
  await migrate(file);

  const migrated = await openConnection(file);
  const totals = () => migrated.all('SELECT tenantId, storedBytes FROM tenants ORDER BY tenantId');
  const bytes = (text: number) => text + 7 + (text + 2) + 21 + 2 + (text + 4) + (text + 4 + 5 + 2);
  expect(await totals()).toEqual([
    { tenantId: 'ten_a', storedBytes: bytes(4) },
    { tenantId: 'ten_b', storedBytes: bytes(3) },
    { tenantId: 'ten_none', storedBytes: 0 },
  ]);
  for (const table of ['memories', 'conversations', 'messages', 'episodes']) {
    await migrated.exec(`DELETE FROM ${table} WHERE tenantId = 'ten_a'`);
  }
  expect((await totals())[0]).toEqual({ tenantId: 'ten_a', storedBytes: 0 });
  expect((await totals())[1]).toEqual({ tenantId: 'ten_b', storedBytes: bytes(3) });
  await migrated.close();
});
