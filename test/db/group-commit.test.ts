import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../src/contract/errors.ts';
import { type Connection, openConnection } from '../../src/db/connection.ts';
import { createGroupCommit, type GroupCommit, type Outcome } from '../../src/db/group-commit.ts';
import { storageError } from '../../src/db/storage-error.ts';
import { createDatabaseFolder, type DatabaseFolder } from './database-folder.ts';

let place: DatabaseFolder;
let connection: Connection;
/** What the next statement of this text fails with, once. */
let failures: Map<string, string[]>;
let batches: number[];
let writes: GroupCommit;

beforeEach(async () => {
  place = await createDatabaseFolder();
  connection = await openConnection(place.file, { busyTimeoutMs: 100 });
  failures = new Map();
  batches = [];
  writes = createGroupCommit(failing(connection), (jobs) => batches.push(jobs));
});

afterEach(async () => {
  await writes.drain();
  await connection.close();
  await place.clean();
});

/** A connection whose statements fail as asked; a failing statement does not reach the database. */
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

const settled = async (promises: Promise<unknown>[]) =>
  (await Promise.allSettled(promises)).map((result) =>
    result.status === 'fulfilled' ? result.value : (result.reason as AppError).code,
  );

/** Payloads that begin with `refuse` are refused alone; `throw` breaks the whole statement. */
async function inviteAll(on: Connection, emails: string[]): Promise<Outcome<string>[]> {
  if (emails.some((email) => email.startsWith('throw'))) throw new TypeError('a mistake of ours');
  const outcomes: Outcome<string>[] = [];
  for (const email of emails) {
    if (email.startsWith('refuse')) outcomes.push({ refused: new AppError('conflict', 'no') });
    else outcomes.push({ ok: await invite(email)(on) });
  }
  return outcomes;
}

describe('group commit', () => {
  test('what arrives together is committed together and answered after the commit', async () => {
    const answers = await Promise.all(['a', 'b', 'c'].map((email) => writes.write(invite(email))));
    expect(answers).toEqual(['a', 'b', 'c']);
    expect(batches).toEqual([3]);
    expect(await invited()).toEqual(['a', 'b', 'c']);
  });

  test('a write that refuses is undone alone, and only its caller learns of it', async () => {
    const refusing = writes.write(async (on) => {
      await invite('half')(on);
      throw new AppError('conflict', 'no');
    });
    expect(await settled([writes.write(invite('a')), refusing, writes.write(invite('b'))])).toEqual([
      'a',
      'conflict',
      'b',
    ]);
    expect(batches).toEqual([3]);
    expect(await invited()).toEqual(['a', 'b']);
  });

  test('a write that breaks a rule of the database fails alone', async () => {
    const twice = [writes.write(invite('a')), writes.write(invite('a')), writes.write(invite('b'))];
    const answers = await settled(twice);
    expect(answers.filter((answer) => answer === 'a')).toHaveLength(1);
    expect(answers[2]).toBe('b');
    expect(await invited()).toEqual(['a', 'b']);
  });

  test('in a grouped write one payload is refused and the others are done', async () => {
    const grouped = writes.grouped(inviteAll);
    expect(await settled(['a', 'refuse', 'b'].map(grouped))).toEqual(['a', 'conflict', 'b']);
    expect(await invited()).toEqual(['a', 'b']);
  });

  test('a payload that makes a grouped write throw is found and fails alone, with neighbours of other kinds unharmed', async () => {
    const grouped = writes.grouped(inviteAll);
    const results = await Promise.allSettled([grouped('a'), grouped('throw'), grouped('b'), writes.write(invite('c'))]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await invited()).toEqual(['a', 'b', 'c']);
    expect(batches).toEqual([4, 1, 1, 1, 1]);
  });

  test('a grouped write that forgets a payload keeps nothing', async () => {
    const forgetful = writes.grouped<string, string>(async (on, emails) => {
      for (const email of emails) await invite(email)(on);
      return [];
    });
    await expect(forgetful('a')).rejects.toThrow('one outcome a payload');
    expect(await invited()).toEqual([]);
  });

  test.each(['SQLITE_IOERR', 'SQLITE_FULL', 'SQLITE_ERROR'])(
    'a commit that fails with %s answers nobody with success and is not tried again',
    async (code) => {
      failures.set('COMMIT', [code]);
      const results = await Promise.allSettled([writes.write(invite('a')), writes.write(invite('b'))]);
      expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(batches).toEqual([2]);
      expect(await invited()).toEqual([]);
      expect(await writes.write(invite('c'))).toBe('c');
    },
  );

  test('a transaction that a failed ROLLBACK left open does not stop the next batch, and is not kept', async () => {
    failures.set('COMMIT', ['SQLITE_IOERR']);
    failures.set('ROLLBACK', ['SQLITE_IOERR']);
    await expect(writes.write(invite('lost'))).rejects.toMatchObject({ code: 'unavailable' });
    expect(await writes.write(invite('next'))).toBe('next');
    expect(await invited()).toEqual(['next']);
  });

  test('a full disk is storage_full for the whole batch; freed, writes go on', async () => {
    const [{ page_count: pages } = { page_count: 0 }] = await connection.all<{ page_count: number }>(
      'PRAGMA page_count',
    );
    await connection.exec(`PRAGMA max_page_count = ${pages}`);
    const big = (email: string) => writes.write(invite(email.repeat(20_000)));
    expect(await settled([big('a'), big('b')])).toEqual(['storage_full', 'storage_full']);
    expect(batches).toEqual([2]);
    expect(await invited()).toEqual([]);
    await connection.exec('PRAGMA max_page_count = 1000000');
    expect(await settled([writes.write(invite('a')), writes.write(invite('b'))])).toEqual(['a', 'b']);
  });

  test('a refusal by the code of a storage fault that is none undoes only its own write', async () => {
    const refusing = writes.write(async () => {
      throw new AppError('unavailable', 'a mail server, say');
    });
    expect(await settled([writes.write(invite('a')), refusing])).toEqual(['a', 'unavailable']);
    expect(batches).toEqual([2]);
  });

  test('a queue that is full refuses with 503 at once, and takes more when it has emptied', async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const first = writes.write(() => gate);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const waiting = Array.from({ length: 5000 }, () => writes.write(async () => 'done'));
    expect(writes.waiting()).toBe(5000);
    await expect(writes.write(async () => 'one too many')).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    release();
    await Promise.all([first, ...waiting]);
    expect(Math.max(...batches)).toBeLessThanOrEqual(64);
    expect(await writes.write(invite('later'))).toBe('later');
  });

  test('payloads with many rows are not all put into one transaction', async () => {
    const heavy = writes.grouped(inviteAll, () => 600);
    await Promise.all(['a', 'b', 'c'].map(heavy));
    expect(batches).toEqual([1, 1, 1]);
  });

  test('draining finishes what waits and refuses what comes later', async () => {
    const waiting = Array.from({ length: 200 }, (_, index) => writes.write(invite(`mail-${index}`)));
    const drained = writes.drain();
    await expect(writes.write(invite('late'))).rejects.toMatchObject({ code: 'unavailable' });
    await drained;
    expect(await invited()).toHaveLength(200);
    await Promise.all(waiting);
  });
});
