import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Memory } from '../../../src/contract/memories.ts';
import type { Config } from '../../../src/daemon/config-settings.ts';
import { checkIntegrity } from '../../../src/daemon/integrity-check.ts';
import { cancelMove, type MoveOptions, moveDatabase } from '../../../src/daemon/move.ts';
import { openConnection } from '../../../src/db/connection.ts';
import { setDatabaseState } from '../../../src/db/database-state.ts';
import { compareTenants, readDigests } from '../../../src/db/moving/compare-databases.ts';
import { MOVED_TABLES } from '../../../src/db/moving/moved-tables.ts';
import { openDatabase } from '../../../src/db/open.ts';
import { createSession } from '../../../src/db/postgres/connection.ts';
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from '../../helpers/daemon.ts';
import { MASTER_KEY } from '../../helpers/postgres/folder-databases.ts';
import { allRows, configOf, createEnds, QUIET } from './move-ends.ts';

const ends = createEnds();
const running: TestDaemon[] = [];

afterEach(async () => {
  for (const daemon of running.splice(0)) await daemon.stop();
  await ends.clean();
});

async function start(options: TestDaemonOptions): Promise<TestDaemon> {
  const daemon = await startTestDaemon(options);
  running.push(daemon);
  return daemon;
}

const onFile = (dataDir: string, more: Partial<Config> = {}) =>
  start({ dataDir, config: { databaseUrl: undefined, masterKeys: [MASTER_KEY], defaultTier: 'Enterprise', ...more } });
const onServer = async (databaseUrl: string) =>
  start({ dataDir: await ends.folder(), databaseUrl, config: { defaultTier: 'Enterprise' } });

const add = (daemon: TestDaemon, apiKey: string, content: string) =>
  daemon.call<Memory>(apiKey, '/v1/memories', { body: { content } });

const found = async (daemon: TestDaemon, apiKey: string, query: string) => {
  const { body } = await daemon.call<{ results: { memory: Memory }[] }>(apiKey, '/v1/search', { body: { query } });
  return JSON.stringify(body);
};

/** Adds memories one after the other until told to end; returns those that were acknowledged. */
function keepWriting(daemon: TestDaemon, apiKey: string, name: string) {
  const acknowledged: string[] = [];
  const refusals = new Map<number, number>();
  let isOn = true;
  const done = (async () => {
    for (let count = 1; isOn; count += 1) {
      const content = `${name} remembers ${count}`;
      const { status, headers } = await add(daemon, apiKey, content);
      if (status === 201) acknowledged.push(content);
      else refusals.set(status, (refusals.get(status) ?? 0) + 1);
      if (status !== 201 && status !== 429) expect(headers.get('retry-after')).not.toBeNull();
      await sleep(status === 201 ? 2 : 20);
    }
  })();
  return {
    async end() {
      isOn = false;
      await done;
      return { acknowledged, refusals };
    },
  };
}

describe('a move while a daemon writes', () => {
  test('loses no write that was acknowledged, there and back', async () => {
    const folder = await ends.folder();
    const url = await ends.database();
    const daemon = await onFile(folder);
    const people = ['ada', 'bob', 'eve'];
    const keys = await Promise.all(people.map(async (name) => (await daemon.signIn(`${name}@example.com`)).apiKey));
    for (const [index, name] of people.entries()) await add(daemon, keys[index]!, `${name} likes tea`);

    const writers = people.map((name, index) => keepWriting(daemon, keys[index]!, name));
    await sleep(500);
    const report = await moveDatabase(configOf(folder), { url }, QUIET);
    await sleep(300);
    const written = await Promise.all(writers.map((writer) => writer.end()));
    expect(report.tenants).toBe(3);
    expect([...written[0]!.refusals.keys()]).toContain(503);
    const moved = (await allRows({ url })).memories!.map(({ content }) => content);
    expect(written.flatMap(({ acknowledged }) => acknowledged).filter((content) => !moved.includes(content))).toEqual(
      [],
    );
    expect(moved).toHaveLength(3 + written.flatMap(({ acknowledged }) => acknowledged).length);
    await daemon.stop();

    const next = await onServer(url);
    expect(await found(next, keys[1]!, 'tea')).toContain('bob likes tea');
    expect(await checkIntegrity(configOf(folder, { databaseUrl: url }))).toEqual([]);
    const again = people.map((name, index) => keepWriting(next, keys[index]!, `${name} again`));
    await sleep(500);
    const back = await ends.folder();
    await moveDatabase(configOf(back, { databaseUrl: url }), 'sqlite', QUIET);
    await sleep(300);
    const rewritten = await Promise.all(again.map((writer) => writer.end()));
    const returned = (await allRows({ file: join(back, 'svc.db') })).memories!.map(({ content }) => content);
    const all = rewritten.flatMap(({ acknowledged }) => acknowledged);
    expect(all.filter((content) => !returned.includes(content))).toEqual([]);
    expect(returned).toHaveLength(moved.length + all.length);
    expect(await checkIntegrity(configOf(back))).toEqual([]);

    const last = await onFile(back);
    expect(await found(last, keys[2]!, 'tea')).toContain('eve likes tea');
    expect((await add(last, keys[0]!, 'ada is home')).status).toBe(201);
  }, 60_000);

  test('resumes where it was interrupted, and copies what was changed and deleted since', async () => {
    const [folder, url] = [await ends.folder(), await ends.database()];
    const daemon = await onFile(folder);
    const { apiKey } = await daemon.signIn('ada@example.com');
    const ids: string[] = [];
    for (const name of ['tea', 'coffee', 'milk']) ids.push((await add(daemon, apiKey, `Ada likes ${name}`)).body.id);
    const stop = new AbortController();
    const onProgress: MoveOptions['onProgress'] = (stage) => stage === 'comparing' && stop.abort(new Error('killed'));
    const interrupted = moveDatabase(configOf(folder), { url }, { onProgress, signal: stop.signal });
    await expect(interrupted).rejects.toThrow('killed');
    expect((await allRows({ url })).memories).toHaveLength(3);
    await expect(onServer(url)).rejects.toThrow('has not finished');

    await daemon.call(apiKey, `/v1/memories/${ids[0]}`, { method: 'PATCH', body: { content: 'Ada likes cocoa' } });
    await daemon.call(apiKey, `/v1/memories/${ids[1]}`, { method: 'DELETE' });
    await add(daemon, apiKey, 'Ada likes water');
    await moveDatabase(configOf(folder), { url }, QUIET);
    expect(await allRows({ url })).toEqual(await allRows({ file: join(folder, 'svc.db') }));
    expect(await checkIntegrity(configOf(folder, { databaseUrl: url }))).toEqual([]);
    const next = await onServer(url);
    expect(await found(next, apiKey, 'cocoa')).toContain('Ada likes cocoa');
    expect(await found(next, apiKey, 'coffee')).not.toContain('Ada likes coffee');
  });

  test('that was killed after the source had stopped serving ends with a target that serves', async () => {
    const [folder, url] = [await ends.folder(), await ends.database()];
    const daemon = await onFile(folder);
    const { apiKey } = await daemon.signIn('ada@example.com');
    await add(daemon, apiKey, 'Ada likes tea');
    const { from } = await moveDatabase(configOf(folder), { url }, QUIET);
    const session = createSession(url);
    await setDatabaseState(session, { state: 'arriving', otherEnd: from, at: 1 });
    await session.close();
    await expect(onServer(url)).rejects.toThrow('has not finished');
    await moveDatabase(configOf(folder), { url }, QUIET);
    expect(await found(await onServer(url), apiKey, 'tea')).toContain('Ada likes tea');
  });

  test('after it, new rows get numbers that no row had before', async () => {
    const [folder, url] = [await ends.folder(), await ends.database()];
    const daemon = await onFile(folder);
    const { apiKey } = await daemon.signIn('ada@example.com');
    const { body } = await add(daemon, apiKey, 'Ada likes tea');
    const last = (await allRows({ file: join(folder, 'svc.db') })).memories![0]!.number as number;
    await daemon.call(apiKey, `/v1/memories/${body.id}`, { method: 'DELETE' });
    await moveDatabase(configOf(folder), { url }, QUIET);
    const next = await onServer(url);
    await add(next, apiKey, 'Ada likes milk');
    expect((await allRows({ url })).memories![0]!.number).toBeGreaterThan(last);
    expect((await next.call(apiKey, '/v1/conversations', { body: {} })).status).toBe(201);
  });
});

test('one changed letter makes exactly one tenant differ', async () => {
  const [folder, copy] = [await ends.folder(), await ends.folder()];
  const url = await ends.database();
  const daemon = await onFile(folder);
  for (const name of ['ada', 'bob', 'eve']) {
    const { apiKey } = await daemon.signIn(`${name}@example.com`);
    for (const what of ['tea', 'milk']) await add(daemon, apiKey, `${name} likes ${what}`);
  }
  await daemon.stop();
  await moveDatabase(configOf(folder), { url }, QUIET);
  await moveDatabase(configOf(copy, { databaseUrl: url }), 'sqlite', QUIET);
  const connection = await openConnection(join(copy, 'svc.db'));
  await connection.run(`UPDATE memories SET content = 'bob likes silk' WHERE content = 'bob likes milk'`);
  const bob = (await connection.get<{ tenantId: string }>(`SELECT tenantId FROM tenants WHERE email LIKE 'bob%'`))!;
  await connection.close();
  const open = (path: string) => openDatabase(join(path, 'svc.db'), { readerCount: 1, monotonicMs: () => 0 });
  const [before, after] = [await open(folder), await open(copy)];
  const different: Record<string, string[]> = {};
  for (const table of MOVED_TABLES) {
    const { tenantIds } = await compareTenants(before.readers, await readDigests(after.readers, table), table);
    if (tenantIds.length > 0) different[table.name] = tenantIds;
  }
  await Promise.all([before.close(), after.close()]);
  expect(different).toEqual({ memories: [bob.tenantId] });
});

describe('a move is refused', () => {
  test('into a database that has data, or into that of another move', async () => {
    const [folder, other] = [await ends.folder(), await ends.folder()];
    const url = await ends.database();
    for (const path of [folder, other]) await (await onFile(path)).stop();
    await moveDatabase(configOf(folder), { url }, QUIET);
    await expect(moveDatabase(configOf(other), { url }, QUIET)).rejects.toThrow(
      'is not empty. Create an empty database',
    );
    const back = moveDatabase(configOf(other, { databaseUrl: url }), 'sqlite', QUIET);
    await expect(back).rejects.toThrow('is not empty. Move that file away');

    const [free, stop] = [await ends.database(), new AbortController()];
    const onProgress = () => stop.abort(new Error('killed'));
    const killed = moveDatabase(configOf(other), { url: free }, { onProgress, signal: stop.signal });
    await expect(killed).rejects.toThrow('killed');
    const third = await ends.folder();
    await (await onFile(third)).stop();
    const second = moveDatabase(configOf(third), { url: free }, QUIET);
    await expect(second).rejects.toThrow(`is being filled by a move from sqlite:${other}`);
  });

  test('without the master key of the source', async () => {
    const [folder, url] = [await ends.folder(), await ends.database()];
    await (await onFile(folder, { masterKeys: undefined })).stop();
    const key = await readFile(join(folder, 'master.key'), 'utf8');
    await writeFile(join(folder, 'master.key'), `${Buffer.alloc(32, 5).toString('base64')}\n`);
    const config = configOf(folder, { masterKeys: undefined });
    await expect(moveDatabase(config, { url }, QUIET)).rejects.toThrow('The master key does not match this database');
    await writeFile(join(folder, 'master.key'), key);
    expect(await moveDatabase(config, { url }, QUIET)).toMatchObject({ masterKeyFile: join(folder, 'master.key') });
  });

  test('once it is done, until it is canceled', async () => {
    const [folder, url] = [await ends.folder(), await ends.database()];
    await (await onFile(folder)).stop();
    await expect(cancelMove(configOf(folder))).rejects.toThrow('was not moved');
    await moveDatabase(configOf(folder), { url }, QUIET);
    await expect(moveDatabase(configOf(folder), { url }, QUIET)).rejects.toThrow(
      'This database was moved to postgres://',
    );
    await expect(onFile(folder)).rejects.toThrow('run svc admin move --cancel');
    expect((await cancelMove(configOf(folder))).movedTo).toMatch(/^postgres:\/\/svc:\*+@/);
    const daemon = await onFile(folder);
    const { apiKey } = await daemon.signIn('ada@example.com');
    expect((await add(daemon, apiKey, 'Ada likes tea')).status).toBe(201);
  });
});
