import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { AppError } from '../../src/contract/errors.ts';
import type { Connection, Reader } from '../../src/db/connection.ts';
import type { Database } from '../../src/db/open.ts';
import { createSession, type Session } from '../../src/db/postgres/connection.ts';
import { openPostgres } from '../../src/db/postgres/open.ts';
import { dropDatabase, ensureDatabase } from '../helpers/postgres/databases.ts';
import { startTcpRelay } from '../helpers/tcp-relay.ts';

const DAY = '2026-01-01';

let url: string;
let one: Database;
let other: Database;

const logged: string[] = [];
const log = {
  info: (_: object, message: string) => logged.push(message),
  warn: (_: object, message: string) => logged.push(message),
  error: (_: object, message: string) => logged.push(message),
};

function open({ at = url, clockErrorMs = 0 } = {}) {
  const machineNowMs = () => Date.now() + clockErrorMs;
  return openPostgres(at, { readerCount: 2, monotonicMs: () => performance.now(), machineNowMs, log });
}

beforeAll(async () => {
  const { adminUrl, template } = inject('postgres');
  url = await ensureDatabase(adminUrl, 'sessions', template);
  one = await open();
  other = await open();
  for (const tenantId of ['a', 'b']) {
    await one.writes.write('daemon', async (connection) => {
      await connection.run('INSERT INTO tenants (tenantId, email, tier, createdAt) VALUES (?, ?, ?, ?)', [
        tenantId,
        `${tenantId}@example.com`,
        'Free',
        1,
      ]);
      await connection.run(
        'INSERT INTO usageDays (tenantId, day, requests, memories, queries) VALUES (?, ?, 0, 0, 0)',
        [tenantId, DAY],
      );
    });
  }
});

afterAll(async () => {
  await one.close();
  await other.close();
  await dropDatabase(inject('postgres').adminUrl, 'sessions');
});

/** Reads and then writes, like a quota: without a lock, two at once would both see the old count. */
async function countUp(connection: Connection, tenantId: string): Promise<void> {
  const of = [tenantId, DAY];
  const row = await connection.get<{ requests: number }>(
    'SELECT requests FROM usageDays WHERE tenantId = ? AND day = ?',
    of,
  );
  await connection.run('UPDATE usageDays SET requests = ? WHERE tenantId = ? AND day = ?', [row!.requests + 1, ...of]);
}

async function countOf(tenantId: string): Promise<number> {
  const row = await one.readers
    .of(tenantId)
    .get<{ requests: number }>('SELECT requests FROM usageDays WHERE tenantId = ? AND day = ?', [tenantId, DAY]);
  return row!.requests;
}

test('reads of a tenant that belong together are one transaction, which sees the rows of that tenant alone', async () => {
  const read = async (reader: Reader) => {
    const rows = await reader.all<{ tenantId: string }>('SELECT tenantId FROM usageDays');
    return { rows, begun: (await reader.get<{ at: string }>('SELECT CAST(now() AS text) AS at'))!.at };
  };
  for (const tenantId of ['a', 'b', 'a']) {
    const [first, second] = await one.readers.together(tenantId, async (reader) => {
      const before = read(reader);
      await sleep(2);
      return Promise.all([before, read(reader)]);
    });
    expect(first).toEqual({ rows: [{ tenantId }], begun: second.begun });
    expect(second.rows).toEqual([{ tenantId }]);
    expect((await read(one.readers.of(tenantId))).begun).not.toBe(first.begun);
  }
});

test('a read that nobody waited for does not run in the transaction of the next tenant', async () => {
  let forgotten: Reader | undefined;
  await one.readers.together('a', async (reader) => {
    forgotten = reader;
  });
  await Promise.all(
    Array.from({ length: 4 }, () =>
      one.readers.together('b', async (reader) => {
        await expect(forgotten!.all('SELECT tenantId FROM usageDays')).rejects.toThrow('has ended');
        expect(await reader.all('SELECT tenantId FROM usageDays')).toEqual([{ tenantId: 'b' }]);
      }),
    ),
  );
});

test('what a write reads of its tenant stays true until it commits, whichever daemon writes', async () => {
  const before = await countOf('a');
  const writes = [one, other].flatMap((db) =>
    Array.from({ length: 200 }, () => db.writes.write('a', (connection) => countUp(connection, 'a'))),
  );
  await Promise.all(writes);
  expect(await countOf('a')).toBe(before + 400);
});

test('daemons that write for the same tenants in different order do not block each other', async () => {
  const before = (await countOf('a')) + (await countOf('b'));
  const writes = Array.from({ length: 100 }, (_, index) => {
    const tenantId = index % 2 === 0 ? 'a' : 'b';
    const reverse = index % 2 === 0 ? 'b' : 'a';
    return [
      one.writes.write(tenantId, (connection) => countUp(connection, tenantId)),
      other.writes.write(reverse, (connection) => countUp(connection, reverse)),
    ];
  });
  await Promise.all(writes.flat());
  expect((await countOf('a')) + (await countOf('b'))).toBe(before + 200);
});

test('a refused write undoes itself alone', async () => {
  const before = await countOf('a');
  const [refused, done] = await Promise.allSettled([
    one.writes.write('a', async (connection) => {
      await countUp(connection, 'a');
      throw new AppError('conflict', 'no');
    }),
    one.writes.write('a', (connection) => countUp(connection, 'a')),
  ]);
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'conflict' } });
  expect(done.status).toBe('fulfilled');
  expect(await countOf('a')).toBe(before + 1);
});

test('a statement that fails takes no other write of its transaction with it', async () => {
  const before = await countOf('a');
  const [failed, done] = await Promise.allSettled([
    one.writes.write('a', (connection) => connection.run('SELECT nothing FROM nowhere')),
    one.writes.write('a', (connection) => countUp(connection, 'a')),
  ]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { code: '42P01' } });
  expect(done.status).toBe('fulfilled');
  expect(await countOf('a')).toBe(before + 1);
});

test('a write that swallows the error of a statement fails, because nothing of its transaction is stored', async () => {
  const before = await countOf('a');
  const write = one.writes.write('a', async (connection) => {
    await countUp(connection, 'a');
    await connection.run('SELECT nothing FROM nowhere').catch(() => {});
  });
  await expect(write).rejects.toMatchObject({ code: '25P02' });
  const shared = one.writes.grouped<string, void>(
    async (connection, tenantIds) => {
      await connection.run('SELECT nothing FROM nowhere').catch(() => {});
      return tenantIds.map(() => ({ ok: undefined }));
    },
    (tenantId) => ({ tenantId, rows: 1, characters: 0 }),
  );
  await expect(shared('a')).rejects.toMatchObject({ code: '25P02' });
  expect(await countOf('a')).toBe(before);
});

describe('while another daemon keeps a tenant locked', () => {
  let blocker: Session;

  beforeEach(async () => {
    blocker = createSession(url);
    await blocker.begin('all', 'longWrite');
    await blocker.all(`SELECT 1 FROM tenants WHERE tenantId = 'a' FOR UPDATE`);
  });

  afterEach(() => blocker.close());

  const count = (tenantId: string) => one.writes.write(tenantId, (connection) => countUp(connection, tenantId));

  test('its writes are refused together, and those of other tenants are stored before', async () => {
    const order: string[] = [];
    const refused = Array.from({ length: 10 }, () => count('a').catch(({ code }) => order.push(code)));
    await count('b');
    order.push('b');
    await Promise.all(refused);
    expect(order).toEqual(['b', ...refused.map(() => 'unavailable')]);
  });

  test('its writes wait, and are stored in their order once it is free, the new ones last', async () => {
    const order: string[] = [];
    const write = (name: string) =>
      one.writes.write('a', async (connection) => {
        await countUp(connection, 'a');
        order.push(name);
      });
    const first = [write('first'), write('second')];
    await count('b');
    first.push(write('third'));
    await count('b');
    expect(order).toEqual([]);
    await blocker.exec('COMMIT');
    await Promise.all(first);
    expect(order).toEqual(['first', 'second', 'third']);
  });

  test('a write of the daemon that needs it waits, and holds up no other tenant', async () => {
    const order: string[] = [];
    const needs = one.writes.write('daemon', async (connection) => {
      await connection.get(`SELECT 1 FROM tenants WHERE tenantId = 'a' FOR NO KEY UPDATE`);
      order.push('a');
    });
    await count('b');
    order.push('others');
    await blocker.exec('COMMIT');
    await needs;
    expect(order).toEqual(['others', 'a']);
  });

  test('a daemon that stops waits for its writes', async () => {
    const daemon = await open();
    const waiting = daemon.writes.write('a', (connection) => countUp(connection, 'a'));
    await daemon.writes.write('b', (connection) => countUp(connection, 'b'));
    const closing = daemon.close();
    await blocker.exec('COMMIT');
    await expect(waiting).resolves.toBeUndefined();
    await closing;
  });
});

test('a query that forgets its tenant sees the rows of the tenant that asks, and no others (row 87)', async () => {
  const all = 'SELECT tenantId FROM usageDays';
  expect(await one.readers.of('a').all(all)).toEqual([{ tenantId: 'a' }]);
  expect(await one.readers.of('nobody').all(all)).toEqual([]);
  expect(await one.writes.write('b', (connection) => connection.all(all))).toEqual([{ tenantId: 'b' }]);
  const change = 'UPDATE usageDays SET memories = 7';
  expect(await one.writes.write('b', (connection) => connection.run(change))).toEqual({ changes: 1 });
});

test('a session that never said whose rows it reads sees none (row 87)', async () => {
  const { default: pg } = await import('pg');
  const client = new pg.Client(url);
  await client.connect();
  try {
    expect((await client.query('SELECT "tenantId" FROM "usageDays"')).rows).toEqual([]);
    expect((await client.query('SELECT "tenantId" FROM tenants')).rows).toEqual([]);
  } finally {
    await client.end();
  }
});

test('a snapshot does not see what is written after it was opened', async () => {
  const snapshot = await one.snapshot();
  const before = await countOf('a');
  await one.writes.write('a', (connection) => countUp(connection, 'a'));
  const row = await snapshot.get('SELECT requests FROM usageDays WHERE tenantId = ? AND day = ?', ['a', DAY]);
  await snapshot.close();
  expect(row).toEqual({ requests: before });
});

test('while the server is away reads and writes are refused with a time to try again, and work when it is back', async () => {
  const relay = await startTcpRelay(Number(new URL(url).port));
  const through = new URL(url);
  through.port = String(relay.port);
  const db = await open({ at: through.href });
  const count = () => db.writes.write('a', (connection) => countUp(connection, 'a'));
  const read = () => db.readers.of('a').get('SELECT requests FROM usageDays WHERE tenantId = ?', ['a']);
  try {
    await count();
    logged.length = 0;
    relay.disturb({ refuses: true });
    relay.cut();
    await expect(count()).rejects.toMatchObject({ code: 'unavailable', options: { retryAfterSeconds: 5 } });
    await expect(read()).rejects.toMatchObject({ code: 'unavailable', options: { retryAfterSeconds: 5 } });
    relay.disturb({});
    const before = await countOf('a');
    for (let tries = 0; tries < 50; tries += 1) {
      const outcome = await count().catch((error: unknown) => error);
      if (outcome === undefined) break;
      await sleep(50);
    }
    expect(await countOf('a')).toBe(before + 1);
    expect(await read()).toEqual({ requests: before + 1 });
    const about = logged.filter((message) => /away|back/.test(message));
    expect(about).toEqual(['PostgreSQL is away', 'PostgreSQL is back']);
  } finally {
    await db.close();
    await relay.close();
  }
});

test('reads behind a network that swallows everything are refused within seconds, and work when it is back', async () => {
  const relay = await startTcpRelay(Number(new URL(url).port));
  const through = new URL(url);
  through.port = String(relay.port);
  const db = await open({ at: through.href });
  const read = () => db.readers.of('a').get('SELECT requests FROM usageDays WHERE tenantId = ?', ['a']);
  try {
    await read();
    relay.disturb({ blackHole: true });
    await expect(read()).rejects.toMatchObject({ code: 'unavailable', options: { retryAfterSeconds: 5 } });
    relay.disturb({});
    expect(await read()).toEqual({ requests: await countOf('a') });
  } finally {
    relay.disturb({});
    await db.close();
    await relay.close();
  }
}, 30_000);

test("reports the offset of the server's clock", async () => {
  const late = await open({ clockErrorMs: -3000 });
  try {
    expect(Math.abs(await one.clockOffsetMs!())).toBeLessThan(1000);
    expect(Math.round((await late.clockOffsetMs!()) / 1000)).toBe(3);
  } finally {
    await late.close();
  }
});

test('a session with a server that became read-only is given up, and the next one reaches the server that took over', async () => {
  const { default: pg } = await import('pg');
  const admin = new pg.Client(inject('postgres').adminUrl);
  await admin.connect();
  const setReadOnly = (isReadOnly: boolean) =>
    admin.query(`ALTER DATABASE sessions SET default_transaction_read_only = ${isReadOnly}`);
  try {
    // Sessions take the setting over when they open.
    await setReadOnly(true);
    const db = await open();
    const count = () => db.writes.write('a', (connection) => countUp(connection, 'a'));
    await expect(count()).rejects.toMatchObject({ code: 'unavailable', options: { retryAfterSeconds: 5 } });
    await setReadOnly(false);
    await count();
    await db.close();
  } finally {
    await setReadOnly(false);
    await admin.end();
  }
});

test('an operator is warned of a server that can lose acknowledged writes in a crash', async () => {
  const before = logged.length;
  const db = await open();
  await db.close();
  expect(logged.slice(before)).toEqual([expect.stringContaining('can lose acknowledged writes in a crash')]);
});

test('an operator is warned of a user for whom row-level security does not hold', async () => {
  const superuser = new URL(inject('postgres').adminUrl);
  superuser.pathname = 'sessions';
  const before = logged.length;
  const db = await open({ at: superuser.href });
  await db.close();
  expect(logged.slice(before)).toContainEqual(expect.stringContaining('row-level security does not hold'));
});
