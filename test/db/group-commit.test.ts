import { EventEmitter, once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../src/contract/errors.ts';
import { withAdmission } from '../../src/db/admission.ts';
import { type Connection, openConnection } from '../../src/db/connection.ts';
import { createGroupCommit, type GroupCommit, type Outcome } from '../../src/db/group-commit.ts';
import { storageError } from '../../src/db/storage-error.ts';
import type { Writer } from '../../src/db/transactions.ts';
import { createDatabaseFolder, type DatabaseFolder } from './database-folder.ts';

let folder: DatabaseFolder;
let connection: Connection;
/** SQLite error codes by statement text: the next executions of it fail with these. */
let failures: Map<string, string[]>;
let batches: number[];
let writes: GroupCommit;

beforeEach(async () => {
  folder = await createDatabaseFolder();
  connection = await openConnection(folder.file, { busyTimeoutMs: 100 });
  failures = new Map();
  batches = [];
  writes = createGroupCommit(failing(connection), { onBatch: (jobs) => batches.push(jobs) });
});

afterEach(async () => {
  await writes.drain();
  await connection.close();
  await folder.clean();
});

/** Wraps a connection so that statements fail as listed in `failures`, without reaching the database. */
function failing(real: Connection): Connection {
  return {
    ...real,
    async exec(sql) {
      const code = failures.get(sql)?.shift();
      if (code !== undefined) throw storageError(Object.assign(new Error(code), { code }));
      await real.exec(sql);
    },
  };
}

const invite = (email: string) => async (on: Connection) => {
  await on.run('INSERT INTO invitations (email, createdAt) VALUES (?, 1)', [email]);
  return email;
};

async function invited(): Promise<string[]> {
  const rows = await connection.all<{ email: string }>('SELECT email FROM invitations ORDER BY email');
  return rows.map(({ email }) => email);
}

/** Keeps the writer busy until `release` is called. */
async function holdWriter() {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const started = new EventEmitter();
  const first = writes.write('daemon', () => {
    started.emit('work');
    return gate;
  });
  await once(started, 'work');
  return { first, release };
}

const settled = async (promises: Promise<unknown>[]) =>
  (await Promise.allSettled(promises)).map((result) =>
    result.status === 'fulfilled' ? result.value : (result.reason as AppError).code,
  );

/** Payloads that begin with `refuse` are refused individually; one that begins with `throw` fails the whole call. */
async function inviteAll(on: Connection, emails: string[]): Promise<Outcome<string>[]> {
  if (emails.some((email) => email.startsWith('throw'))) throw new TypeError('a bug');
  const outcomes: Outcome<string>[] = [];
  for (const email of emails) {
    if (email.startsWith('refuse')) outcomes.push({ refused: new AppError('conflict', 'no') });
    else outcomes.push({ ok: await invite(email)(on) });
  }
  return outcomes;
}

const ofOne = () => ({ tenantId: 'one', rows: 1, characters: 0 });

test('work between transactions runs while none is open, and before the writes that wait', async () => {
  const order: string[] = [];
  const insert = (name: string) =>
    writes.write('one', async (on) => {
      order.push(name);
      await on.run('SELECT 1');
    });
  const first = insert('first');
  await new Promise((resolve) => setImmediate(resolve));
  const second = insert('second');
  const between = writes.between(async () => {
    order.push('between');
    await connection.exec('BEGIN IMMEDIATE; ROLLBACK');
    return 'done';
  });
  await Promise.all([first, second]);
  expect([await between, order]).toEqual(['done', ['first', 'between', 'second']]);
  await expect(writes.between(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await writes.between(async () => 'idle')).toBe('idle');
});

describe('group commit', () => {
  test('commits writes that arrive together in one batch and resolves after the commit', async () => {
    const answers = await Promise.all(['a', 'b', 'c'].map((email) => writes.write('daemon', invite(email))));
    expect(answers).toEqual(['a', 'b', 'c']);
    expect(batches).toEqual([3]);
    expect(await invited()).toEqual(['a', 'b', 'c']);
  });

  test('refuses a write whose admission one before it in the same batch has ended', async () => {
    const admission = {
      tenantId: 'one',
      key: 'member',
      async check(on: Connection) {
        const ended = await on.get('SELECT 1 FROM invitations WHERE email = ?', ['ended']);
        if (ended) throw new AppError('not_found', 'no member');
      },
    };
    const admitted = (email: string) => withAdmission(admission, () => writes.write('one', invite(email)));
    const grouped = writes.grouped(inviteAll, ofOne);
    const outcomes = [
      ...[admitted('before'), writes.write('one', invite('ended')), admitted('after')],
      ...[withAdmission(admission, () => grouped('grouped')), grouped('anybody')],
    ];
    expect(await settled(outcomes)).toEqual(['before', 'ended', 'not_found', 'not_found', 'anybody']);
    expect(batches).toEqual([5]);
    expect(await invited()).toEqual(['anybody', 'before', 'ended']);
  });

  test('tells listeners after each commit whose writes it has', async () => {
    const heard: string[][] = [];
    writes.onCommit((writers) => heard.push([...writers].sort()));
    await Promise.all([writes.write('one', invite('a')), writes.write('two', invite('b'))]);
    const broken = writes.write('one', () => Promise.reject(new Error('broken')));
    await expect(broken).rejects.toThrow('broken');
    expect(heard).toEqual([['one', 'two']]);
  });

  test('undoes only the write that throws an AppError, and rejects only its caller', async () => {
    const refusing = writes.write('daemon', async (on) => {
      await invite('half')(on);
      throw new AppError('conflict', 'no');
    });
    expect(await settled([writes.write('daemon', invite('a')), refusing, writes.write('daemon', invite('b'))])).toEqual(
      ['a', 'conflict', 'b'],
    );
    expect(batches).toEqual([3]);
    expect(await invited()).toEqual(['a', 'b']);
  });

  test('fails only the write that violates a constraint', async () => {
    const twice = [
      writes.write('daemon', invite('a')),
      writes.write('daemon', invite('a')),
      writes.write('daemon', invite('b')),
    ];
    const answers = await settled(twice);
    expect(answers.filter((answer) => answer === 'a')).toHaveLength(1);
    expect(answers[2]).toBe('b');
    expect(await invited()).toEqual(['a', 'b']);
  });

  test('refuses one payload of a grouped write and stores the others', async () => {
    const grouped = writes.grouped(inviteAll, ofOne);
    expect(await settled(['a', 'refuse', 'b'].map(grouped))).toEqual(['a', 'conflict', 'b']);
    expect(await invited()).toEqual(['a', 'b']);
  });

  test('isolates a payload that makes a grouped write throw, without affecting other writes in the batch', async () => {
    const grouped = writes.grouped(inviteAll, ofOne);
    const results = await Promise.allSettled([
      grouped('a'),
      grouped('throw'),
      grouped('b'),
      writes.write('daemon', invite('c')),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await invited()).toEqual(['a', 'b', 'c']);
    expect(batches).toEqual([4, 1, 1, 1, 1]);
  });

  test('stores nothing if a grouped write returns too few outcomes', async () => {
    const forgetful = writes.grouped<string, string>(async (on, emails) => {
      for (const email of emails) await invite(email)(on);
      return [];
    }, ofOne);
    await expect(forgetful('a')).rejects.toThrow('one outcome per payload');
    expect(await invited()).toEqual([]);
  });

  test.each(['SQLITE_IOERR', 'SQLITE_FULL', 'SQLITE_ERROR'])(
    'rejects every write of a commit that fails with %s, and does not retry it',
    async (code) => {
      failures.set('COMMIT', [code]);
      const results = await Promise.allSettled([
        writes.write('daemon', invite('a')),
        writes.write('daemon', invite('b')),
      ]);
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(batches).toEqual([2]);
      expect(await invited()).toEqual([]);
      expect(await writes.write('daemon', invite('c'))).toBe('c');
    },
  );

  test('discards a transaction that a failed ROLLBACK left open and continues with the next batch', async () => {
    failures.set('COMMIT', ['SQLITE_IOERR']);
    failures.set('ROLLBACK', ['SQLITE_IOERR']);
    await expect(writes.write('daemon', invite('lost'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(await writes.write('daemon', invite('next'))).toBe('next');
    expect(await invited()).toEqual(['next']);
  });

  test('rejects the whole batch with storage_full on a full disk, and recovers once space is freed', async () => {
    const [{ page_count: pages } = { page_count: 0 }] = await connection.all<{ page_count: number }>(
      'PRAGMA page_count',
    );
    await connection.exec(`PRAGMA max_page_count = ${pages}`);
    const big = (email: string) => writes.write('daemon', invite(email.repeat(20_000)));
    expect(await settled([big('a'), big('b')])).toEqual(['storage_full', 'storage_full']);
    expect(batches).toEqual([2]);
    expect(await invited()).toEqual([]);
    await connection.exec('PRAGMA max_page_count = 1000000');
    expect(await settled([writes.write('daemon', invite('a')), writes.write('daemon', invite('b'))])).toEqual([
      'a',
      'b',
    ]);
  });

  test('undoes only one write for an AppError with the code of a storage error but another cause', async () => {
    const refusing = writes.write('daemon', async () => {
      throw new AppError('unavailable', 'a mail server, say');
    });
    expect(await settled([writes.write('daemon', invite('a')), refusing])).toEqual(['a', 'unavailable']);
    expect(batches).toEqual([2]);
  });

  test('rejects writes with 503 while the queue is full, and accepts them again afterwards', async () => {
    const { first, release } = await holdWriter();
    const waiting = Array.from({ length: 5000 }, () => writes.write('daemon', async () => 'done'));
    expect(writes.waiting()).toBe(5000);
    await expect(writes.write('daemon', async () => 'one too many')).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
    });
    release();
    await Promise.all([first, ...waiting]);
    expect(Math.max(...batches)).toBeLessThanOrEqual(64);
    expect(await writes.write('daemon', invite('later'))).toBe('later');
  });

  test('splits payloads with many rows over several transactions', async () => {
    const heavy = writes.grouped(inviteAll, () => ({ tenantId: 'one', rows: 600, characters: 0 }));
    await Promise.all(['a', 'b', 'c'].map(heavy));
    expect(batches).toEqual([1, 1, 1]);
  });

  test('splits payloads with many characters over several transactions', async () => {
    const heavy = writes.grouped(inviteAll, () => ({ tenantId: 'one', rows: 1, characters: 200_000 }));
    await Promise.all(['a', 'b', 'c'].map(heavy));
    expect(batches).toEqual([1, 1, 1]);
  });

  test('lets tenants take turns, however many writes one of them queued', async () => {
    const order: string[] = [];
    const append = writes.grouped<string, string>(
      async (_, tenants) => {
        order.push(...tenants);
        return tenants.map((tenant) => ({ ok: tenant }));
      },
      (tenantId) => ({ tenantId, rows: 500, characters: 100_000 }),
    );
    const loud = Array.from({ length: 100 }, () => append('loud'));
    const quiet = [append('quiet'), append('other'), append('quiet')];
    await Promise.all([...loud, ...quiet]);
    expect(order).toHaveLength(103);
    expect(order.lastIndexOf('quiet')).toBeLessThan(8);
    expect(order.indexOf('other')).toBeLessThan(4);
  });

  test('gives every fourth turn to the writes of the daemon itself, however many tenants write', async () => {
    const order: string[] = [];
    const write = (of: Writer, name: string) =>
      writes.write(of, async () => {
        order.push(name);
      });
    const tenants = Array.from({ length: 200 }, (_, index) => write(`ten_${index}`, 'tenant'));
    const daemon = Array.from({ length: 40 }, () => write('daemon', 'daemon'));
    await Promise.all([...tenants, ...daemon]);
    expect(order.slice(0, 64).filter((name) => name === 'daemon')).toHaveLength(16);
  });

  test('lets the daemon and the tenants lead a transaction in turn, so that writes that fill one never wait forever', async () => {
    const order: string[] = [];
    const fill = writes.grouped<string, string>(
      async (_, tenants) => {
        order.push(...tenants);
        return tenants.map((tenant) => ({ ok: tenant }));
      },
      (tenantId) => ({ tenantId, rows: 1000, characters: 0 }),
    );
    const daemon: Promise<void>[] = [];
    /** Queues a write of the daemon while the one before is carried out, so that one always waits. */
    function follow(left: number): void {
      const work = async () => {
        order.push('daemon');
        if (left > 0) follow(left - 1);
      };
      daemon.push(writes.write('daemon', work));
    }
    follow(20);
    await Promise.all(['one', 'two', 'three'].map(fill));
    expect(order).toEqual(['daemon', 'one', 'daemon', 'two', 'daemon', 'three']);
    for (const write of daemon) await write;
  });

  test('lets a small write pass one that no longer fits into the transaction', async () => {
    const order: string[] = [];
    const write = writes.grouped<[tenant: string, rows: number], string>(
      async (_, payloads) => {
        order.push(payloads.map(([tenant]) => tenant).join(' '));
        return payloads.map(([tenant]) => ({ ok: tenant }));
      },
      ([tenantId, rows]) => ({ tenantId, rows, characters: 0 }),
    );
    await Promise.all([write(['a', 900]), write(['b', 900]), write(['c', 10])]);
    expect(order).toEqual(['a c', 'b']);
  });

  test('refuses a tenant for its own queue only', async () => {
    const { first, release } = await holdWriter();
    const loud = Array.from({ length: 5000 }, () => writes.write('loud', async () => 'done'));
    await expect(writes.write('loud', async () => 'no')).rejects.toMatchObject({ code: 'unavailable' });
    const quiet = writes.write('quiet', async () => 'yes');
    release();
    expect(await quiet).toBe('yes');
    await Promise.all([first, ...loud]);
  });

  test('finishes queued writes and refuses new ones while draining', async () => {
    const waiting = Array.from({ length: 200 }, (_, index) => writes.write('daemon', invite(`mail-${index}`)));
    const drained = writes.drain();
    await expect(writes.write('daemon', invite('late'))).rejects.toMatchObject({ code: 'unavailable' });
    await drained;
    expect(await invited()).toHaveLength(200);
    await Promise.all(waiting);
  });
});
