import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Connection, Reader } from '../../src/db/connection.ts';
import type { Database } from '../../src/db/open.ts';
import { createBatchedRead, createReaders } from '../../src/db/readers.ts';
import { createDatabaseFolder, type DatabaseFolder } from './database-folder.ts';

let folder: DatabaseFolder;
let db: Database;

beforeEach(async () => {
  folder = await createDatabaseFolder();
  db = await folder.open({ readerCount: 2 });
});

afterEach(() => folder.clean());

function gate() {
  let open = () => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

async function findInvitations(reader: Reader, emails: string[]): Promise<Map<string, { email: string }>> {
  const marks = emails.map(() => '?').join(',');
  const rows = await reader.all<{ email: string }>(`SELECT email FROM invitations WHERE email IN (${marks})`, emails);
  return new Map(rows.map((row) => [row.email, row]));
}

describe('the pool of readers', () => {
  test('runs one statement at a time on each connection', async () => {
    const inUse = new Set<Reader>();
    await Promise.all(
      Array.from({ length: 50 }, () =>
        db.readers.use(async (reader) => {
          expect(inUse.has(reader)).toBe(false);
          inUse.add(reader);
          expect(inUse.size).toBeLessThanOrEqual(2);
          await sleep(1);
          inUse.delete(reader);
        }),
      ),
    );
  });

  test('releases the reader if the work throws', async () => {
    for (let count = 0; count < 10; count += 1) {
      await expect(db.readers.use(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    }
    expect(await db.readers.get('SELECT 1 AS one')).toEqual({ one: 1 });
  });

  test('rejects with 503 while the queue is full, and recovers once readers are free', async () => {
    const { open, passed } = gate();
    const held = [db.readers.use(() => passed), db.readers.use(() => passed)];
    const waiting = Array.from({ length: 2000 }, () => db.readers.get('SELECT 1 AS one'));
    expect(db.readers.waiting()).toBe(2000);
    await expect(db.readers.get('SELECT 1')).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    open();
    await Promise.all([...held, ...waiting]);
    expect(db.readers.waiting()).toBe(0);
    expect(await db.readers.get('SELECT 1 AS one')).toEqual({ one: 1 });
  });

  test('rejects queued work when the pool closes', async () => {
    const connection = { close: async () => {} } as Connection;
    const readers = createReaders([connection]);
    const { open, passed } = gate();
    const held = readers.use(() => passed);
    const waiting = readers.use(async () => 'read');
    const refused = expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
    await readers.close();
    await refused;
    open();
    await held;
    await expect(readers.use(async () => 'read')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('prepares the same new statement several times at once without leaking any', async () => {
    await db.readers.use((reader) => Promise.all([1, 2, 3].map(() => reader.all('SELECT email FROM invitations'))));
  });
});

describe('tenants that share the readers', () => {
  /** Queues reads that record their tenant as they start, behind readers that are held until `open` is called. */
  function queueReads(tenants: readonly string[]) {
    const { open, passed } = gate();
    const started: string[] = [];
    const connection = (): Connection =>
      ({
        async all(sql: string) {
          if (sql === 'hold') return passed;
          started.push(sql);
        },
      }) as unknown as Connection;
    const readers = createReaders([connection(), connection()]);
    const held = [readers.use((reader) => reader.all('hold')), readers.use((reader) => reader.all('hold'))];
    const reads = tenants.map((tenant) => readers.of(tenant).all(tenant));
    const finish = async () => {
      open();
      await Promise.all([...held, ...reads]);
    };
    return { started, finish };
  }

  test('are served in turn, however many reads one of them queued', async () => {
    const { started, finish } = queueReads([...Array<string>(500).fill('loud'), 'quiet', 'quiet', 'other']);
    await finish();
    expect(started).toHaveLength(503);
    expect(started.lastIndexOf('quiet')).toBeLessThan(8);
    expect(started.indexOf('other')).toBeLessThan(5);
  });

  test('leave a reader to the others', async () => {
    const { open, passed } = gate();
    const connection = (): Connection =>
      ({ all: (sql: string) => (sql === 'hold' ? passed : Promise.resolve([])) }) as unknown as Connection;
    const readers = createReaders([connection(), connection()]);
    const loud = Array.from({ length: 100 }, () => readers.of('loud').all('hold'));
    expect(readers.waiting()).toBe(99);
    await readers.of('quiet').all('read');
    expect(readers.waiting()).toBe(99);
    open();
    await Promise.all(loud);
    expect(readers.waiting()).toBe(0);
  });

  test('are refused only for their own queue', async () => {
    const { open, passed } = gate();
    const held = [db.readers.use(() => passed), db.readers.use(() => passed)];
    const loud = Array.from({ length: 2000 }, () => db.readers.of('loud').get('SELECT 1 AS one'));
    await expect(db.readers.of('loud').get('SELECT 1')).rejects.toMatchObject({ code: 'unavailable' });
    const quiet = db.readers.of('quiet').get('SELECT 2 AS two');
    open();
    expect(await quiet).toEqual({ two: 2 });
    await Promise.all([...held, ...loud]);
  });

  test('look up keys while two thousand reads of others wait', async () => {
    const { open, passed } = gate();
    const held = [db.readers.use(() => passed), db.readers.use(() => passed)];
    const loud = Array.from({ length: 2000 }, () => db.readers.of('loud').get('SELECT 1 AS one'));
    const find = createBatchedRead(db.lookups, findInvitations);
    await db.writes.write('daemon', (connection) => connection.run("INSERT INTO invitations VALUES ('a', 1)"));
    expect(await find('a')).toEqual({ email: 'a' });
    expect(db.readers.waiting()).toBe(2000);
    open();
    await Promise.all([...held, ...loud]);
  });
});

describe('batched reads', () => {
  test('share few statements between many callers, each of whom gets its own row', async () => {
    let statements = 0;
    const find = createBatchedRead(db.readers, (reader, keys) => {
      statements += 1;
      return findInvitations(reader, keys);
    });
    await db.writes.write('daemon', (connection) =>
      connection.run("INSERT INTO invitations VALUES ('a', 1), ('b', 1)"),
    );
    const pending = Array.from({ length: 300 }, (_, index) => find(['a', 'b', 'none'][index % 3]!));
    const found = await Promise.all(pending);
    expect(statements).toBeLessThan(10);
    expect(found.slice(0, 3)).toEqual([{ email: 'a' }, { email: 'b' }, undefined]);
  });

  test('never return a state older than the request', async () => {
    const find = createBatchedRead(db.readers, findInvitations);
    let reading = true;
    const noise = Array.from({ length: 20 }, async () => {
      while (reading) await find('noise');
    });
    for (let round = 0; round < 200; round += 1) {
      const email = `mail-${round}`;
      await db.writes.write('daemon', (connection) => connection.run('INSERT INTO invitations VALUES (?, 1)', [email]));
      expect(await find(email)).toEqual({ email });
      await db.writes.write('daemon', (connection) =>
        connection.run('DELETE FROM invitations WHERE email = ?', [email]),
      );
      expect(await find(email)).toBeUndefined();
    }
    reading = false;
    await Promise.all(noise);
  });

  test('resolve more distinct keys at once than fit into one statement', async () => {
    const find = createBatchedRead(db.readers, findInvitations);
    await db.writes.write('daemon', (connection) => connection.run("INSERT INTO invitations VALUES ('key-39999', 1)"));
    const found = await Promise.all(Array.from({ length: 40_000 }, (_, index) => find(`key-${index}`)));
    expect(found.filter((row) => row !== undefined)).toEqual([{ email: 'key-39999' }]);
  });

  test('reject the callers of a failed batch, but not later ones', async () => {
    let broken = true;
    const find = createBatchedRead(db.readers, async (reader, keys) => {
      if (broken) throw new Error('broken');
      return findInvitations(reader, keys);
    });
    await expect(Promise.all([find('a'), find('b')])).rejects.toThrow('broken');
    broken = false;
    expect(await find('a')).toBeUndefined();
  });
});
