import { once } from 'node:events';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SpaceLogEntry } from '../../../src/contract/spaces.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { addMember, inSpace, newPerson, newSpace } from '../spaces/space-callers.ts';
import { newAccount, portable } from './portable-account.ts';

/** So many memories that an export is larger than all buffers on the way. */
const MEMORIES = 100;

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

/** Creates an account with 9 MB of memories, which no search finds. */
async function newOwner(): Promise<Caller> {
  const owner = await newAccount(daemon);
  await fill(owner.tenantId);
  return owner;
}

async function fill(tenantId: string): Promise<void> {
  await daemon.db.writes.write('daemon', (connection) =>
    connection.run(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MEMORIES})
       INSERT INTO memories (tenantId, id, version, current, scope, endUser, content, contentHash, tags, metadata,
         validFrom, createdAt, updatedAt, traits)
       SELECT ?, printf('mem_%032x', i), 1, 1, 1, 'default', i || hex(zeroblob(45000)), 'hash ' || i, '[]', '{}', 1, 1, 1, 0
       FROM n`,
      [tenantId],
    ),
  );
}

async function until(condition: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = performance.now() + 10_000; performance.now() < deadline; await sleep(20)) {
    if (await condition()) return true;
  }
  return false;
}

/** Whether no snapshot keeps the write-ahead log from being truncated. */
async function isFree(): Promise<boolean> {
  await daemon.db.probe(daemon.clock.nowMs());
  await daemon.db.checkpoint();
  return (await stat(join(daemon.folder, 'svc.db-wal'))).size === 0;
}

/** Requests an export, waits for the response to begin, and reads none of it. */
async function exportSlowly(owner: Caller, space = 'default'): Promise<Socket> {
  const socket = connect({ port: Number(new URL(daemon.baseUrl).port), host: '127.0.0.1' });
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    `GET /v1/export HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${owner.apiKey}\r\n` +
      `x-svc-space: ${space}\r\n\r\n`,
  );
  await once(socket, 'readable');
  return socket;
}

/** Reads the rest of a response until the connection ends. */
async function rest(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.resume();
  await once(socket, 'close');
  return text;
}

describe('exports that nobody reads', () => {
  test('hold neither a snapshot nor the slots of others, and are complete when they are read after all', async () => {
    const slow = await Promise.all(Array.from({ length: 4 }, newOwner));
    const fifth = await newAccount(daemon);
    await fifth.add('Served whole');
    const sockets = await Promise.all(slow.map((one) => exportSlowly(one)));
    expect((await slow[3]!.call('/v1/export')).status).toBe(503);
    expect(await until(isFree)).toBe(true);
    expect(await portable(fifth).lines()).toHaveLength(2);
    await slow[0]!.add('Written meanwhile');
    expect(await isFree()).toBe(true);
    for (const socket of sockets) {
      const text = await rest(socket);
      expect(text).toMatch(/^HTTP\/1\.1 200/);
      expect(text).toContain(`{"type":"end","memories":${MEMORIES},`);
      expect(text).not.toContain('Written meanwhile');
    }
    const again = await slow[0]!.call('/v1/export');
    expect([again.status, again.text.includes('Written meanwhile')]).toEqual([200, true]);
  });

  test('are aborted when their account is erased', async () => {
    const owner = await newOwner();
    const socket = await exportSlowly(owner);
    expect((await owner.call('/v1/export')).status).toBe(503);
    expect((await owner.call('/v1/account', { method: 'DELETE' })).status).toBe(204);
    expect(await rest(socket)).not.toContain('"type":"end"');
    expect(await until(isFree)).toBe(true);
  });
});

test('the export of a member ends when the membership ends, and that of the owner goes on', async () => {
  const [owner, member] = [await newPerson(daemon), await newPerson(daemon)];
  const space = await newSpace(owner);
  const { id } = await addMember(owner, space, member, 'reader');
  await fill(space.id);
  const socket = await exportSlowly(member, space.id);
  await owner.call(`/v1/spaces/${space.id}/members/${id}`, { method: 'DELETE' });
  daemon.clock.advance(3000);
  expect(await rest(socket)).not.toContain('"type":"end"');
  expect(await rest(await exportSlowly(owner, space.id))).toContain(`{"type":"end","memories":${MEMORIES},`);
});

test('a member who reads an export slowly keeps no other member from exporting, and is in the log once', async () => {
  const [owner, member] = [await newPerson(daemon), await newPerson(daemon)];
  const space = await newSpace(owner);
  await addMember(owner, space, member, 'reader');
  await fill(space.id);
  const socket = await exportSlowly(member, space.id);
  expect((await inSpace(daemon, member, space.id).call('/v1/export')).status).toBe(503);
  expect((await inSpace(daemon, owner, space.id).call('/v1/export')).status).toBe(200);
  const { body } = await owner.call<{ data: SpaceLogEntry[] }>(`/v1/spaces/${space.id}/log`);
  const exported = body.data.filter(({ action }) => action === 'exported').map(({ actor }) => actor);
  expect(exported).toEqual([owner.email, member.email]);
  const other = await exportSlowly(owner, space.id);
  await owner.call(`/v1/spaces/${space.id}`, { method: 'DELETE' });
  for (const one of [socket, other]) expect(await rest(one)).not.toContain('"type":"end"');
});

describe('an export that cannot be prepared', () => {
  test('is answered with a problem, and leaves its slot free', async () => {
    const own = await startMemoryDaemon();
    const owner = await newAccount(own);
    const folder = join(own.folder, 'exports');
    await writeFile(folder, 'in the way');
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const answer = await owner.call('/v1/export');
      expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'application/problem+json']);
    }
    await own.close();
  });
});

test('leftovers of a killed daemon are removed at the next start', async () => {
  const first = await startMemoryDaemon();
  await first.stop();
  const folder = join(first.folder, 'exports');
  await mkdir(folder);
  await writeFile(join(folder, 'export-0123'), 'left over');
  const second = await startMemoryDaemon({ dataDir: first.folder });
  expect(await readdir(first.folder)).not.toContain('exports');
  await second.close();
});
