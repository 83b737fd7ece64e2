import { chown } from 'node:fs/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { serverUser } from '../helpers/postgres/programs.ts';
import { type PostgresServer, startPostgres } from '../helpers/postgres/server.ts';
import { canMount, mountSmallDisk, type SmallDisk } from '../helpers/small-disk.ts';

const mayMount = await canMount();
if (!mayMount) console.warn('No right to mount: skipped what needs a full file system.');

describe.skipIf(!mayMount)('a full disk below the tables of PostgreSQL (rows 70, 86)', () => {
  let disk: SmallDisk;
  let server: PostgresServer;
  let daemon: MemoryDaemon;
  let ada: Caller;

  beforeAll(async () => {
    disk = await mountSmallDisk(64);
    const { uid, gid } = serverUser();
    await chown(disk.folder, uid!, gid!);
    server = await startPostgres();
    const databaseUrl = await server.createDatabase();
    await asAdmin(`CREATE TABLESPACE small LOCATION '${disk.folder}'`);
    await asAdmin(`ALTER DATABASE ${new URL(databaseUrl).pathname.slice(1)} SET TABLESPACE small`);
    daemon = await startMemoryDaemon({ databaseUrl });
    ada = await daemon.account();
  });

  afterAll(async () => {
    await daemon?.close();
    await server?.close();
    await disk.unmount();
  });

  async function asAdmin(sql: string): Promise<void> {
    const client = new pg.Client(server.adminUrl);
    await client.connect();
    await client.query(sql);
    await client.end();
  }

  const memories = (name: string) =>
    Array.from({ length: 20 }, (_, index) => ({ content: `${name} ${index} ${'remembers '.repeat(300)}` }));
  const write = (name: string) => ada.call('/v1/memories/batch', { body: { memories: memories(name) } });

  /** Fills the space that the tables have already. */
  async function untilRefused(): Promise<{ stored: string[]; refused: Awaited<ReturnType<typeof write>> }> {
    const stored: string[] = [];
    for (let count = 0; count < 200; count += 1) {
      const name = `batch${count}`;
      const answer = await write(name);
      if (answer.status !== 201) return { stored, refused: answer };
      stored.push(name);
    }
    throw new Error('Every write was stored.');
  }

  test('refuses writes with 507 and stores nothing of them, serves reads, and stores again once space is freed', async () => {
    const first = await ada.add('Ada keeps the key below the mat.');
    await disk.fill();
    const { stored, refused } = await untilRefused();
    expect(refused.body).toMatchObject({ status: 507, code: 'storage_full' });
    expect((await ada.read(first.id)).body.content).toBe(first.content);
    expect(await ada.find('Where is the key?')).toContain(first.content);
    const before = await countMemories();
    expect(before).toBe(1 + stored.length * 20);
    for (let count = 0; count < 5; count += 1) expect((await write(`refused${count}`)).status).toBe(507);
    expect(await countMemories()).toBe(before);
    expect((await daemon.call(undefined, '/healthz')).status).toBe(200);

    await disk.free();
    expect((await write('afterwards')).status).toBe(201);
    expect(await countMemories()).toBe(before + 20);
    expect((await daemon.call(undefined, '/readyz')).body).toMatchObject({ status: 'ready' });
  });

  async function countMemories(): Promise<number> {
    const row = await daemon.db.readers
      .of(ada.tenantId)
      .get<{ count: number }>('SELECT COUNT(*) AS count FROM memories WHERE tenantId = ?', [ada.tenantId]);
    return row!.count;
  }
});
