import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { MASTER_KEY } from '../helpers/postgres/folder-databases.ts';
import { startPostgres } from '../helpers/postgres/server.ts';
import { callAt, createWorkplaces, type DaemonProcess, runCommand, signInAt } from '../helpers/process.ts';

/** `TEST_CRASHES=3` is enough while developing. */
const KILLS = Number(process.env.TEST_CRASHES ?? 6);
const TENANTS = 3;
/** Of each tenant, at each daemon. */
const WRITERS = 2;

const places = createWorkplaces();
afterEach(places.clean);

/** What a writer was told is stored. */
interface Written {
  apiKey: string;
  path: string;
  content: string;
}

interface Load {
  written: Written[];
  refused: number;
  stopping: boolean;
}

/** Repeats a write under one idempotency key until it is acknowledged; what a dead server answered does not count. */
async function writeOnce(load: Load, url: () => string, apiKey: string, path: string, body: object, key: string) {
  while (true) {
    const headers = { 'idempotency-key': key };
    const answer = await callAt(url(), apiKey, path, { body, headers }).catch(() => undefined);
    if (answer?.status === 201) return answer.body;
    if (answer !== undefined) {
      expect(answer.status, JSON.stringify(answer.body)).toBe(503);
      expect(answer.headers.has('retry-after')).toBe(true);
    }
    load.refused += 1;
    await sleep(100);
  }
}

/** Memories, and conversations with messages, until the load stops. */
async function writeAll(load: Load, url: () => string, apiKey: string, name: string): Promise<void> {
  for (let count = 0; !load.stopping; count += 1) {
    const content = `what ${name} remembers as number ${count}`;
    const memory = await writeOnce(load, url, apiKey, '/v1/memories', { content }, `${name}-m-${count}`);
    load.written.push({ apiKey, path: `/v1/memories/${memory.id}`, content });
    if (count % 4 > 0) continue;
    const { id } = await writeOnce(load, url, apiKey, '/v1/conversations', { title: name }, `${name}-c-${count}`);
    const messages = { messages: [{ role: 'user', content: `said: ${content}` }] };
    const path = `/v1/conversations/${id}/messages`;
    const { data } = await writeOnce(load, url, apiKey, path, messages, `${name}-a-${count}`);
    const [message] = data as { id: string }[];
    load.written.push({ apiKey, path: `${path}/${message!.id}`, content: `said: ${content}` });
  }
}

async function untilWritten(load: Load, count: number): Promise<void> {
  const goal = load.written.length + count;
  for (const deadline = performance.now() + 60_000; load.written.length < goal; await sleep(5)) {
    if (performance.now() > deadline) throw new Error(`only ${load.written.length} of ${goal} writes in a minute`);
  }
}

async function countRows(databaseUrl: string): Promise<unknown> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query(`SET svc.tenants = '*'`);
    const counts = `SELECT (SELECT COUNT(*) FROM memories)::int AS memories, (SELECT COUNT(*) FROM messages)::int AS messages`;
    return (await client.query(counts)).rows[0];
  } finally {
    await client.end();
  }
}

test(`kill -9 of PostgreSQL or of a daemon, ${KILLS} times under load, loses no acknowledged write and stores none twice (row 86)`, async () => {
  const server = await startPostgres({ isDurable: true });
  places.endLater({ end: server.close });
  const databaseUrl = await server.createDatabase();
  const env = {
    SVC_DATABASE_URL: databaseUrl,
    SVC_MASTER_KEY: MASTER_KEY.toString('base64'),
    SVC_DEFAULT_TIER: 'Enterprise',
  };
  const folders = [await places.folder(), await places.folder()];
  const daemons: DaemonProcess[] = await Promise.all(folders.map((dataDir) => places.start({ dataDir, env })));
  const apiKeys: string[] = [];
  for (let tenant = 0; tenant < TENANTS; tenant += 1) {
    apiKeys.push(await signInAt(daemons[tenant % 2]!, `ada-${tenant}@example.com`));
  }

  const load: Load = { written: [], refused: 0, stopping: false };
  const writers = apiKeys.flatMap((apiKey, tenant) =>
    folders.flatMap((_, at) =>
      Array.from({ length: WRITERS }, (_, index) =>
        writeAll(load, () => daemons[at]!.url, apiKey, `writer-${tenant}-${at}-${index}`),
      ),
    ),
  );
  const killed = { server: 0, daemon: 0 };
  for (let kill = 0; kill < KILLS; kill += 1) {
    await untilWritten(load, 20 + Math.random() * 60);
    await sleep(Math.random() * 20);
    if (kill % 2 === 0) {
      await server.kill();
      await sleep(Math.random() * 300);
      await server.start();
      killed.server += 1;
    } else {
      const at = Math.floor(kill / 2) % daemons.length;
      daemons[at]!.kill('SIGKILL');
      await daemons[at]!.exited;
      daemons[at] = await places.start({ dataDir: folders[at]!, env });
      killed.daemon += 1;
    }
  }
  await untilWritten(load, 20);
  load.stopping = true;
  await Promise.all(writers);

  console.info(
    `killed ${JSON.stringify(killed)}: ${load.written.length} acknowledged, ${load.refused} refused and repeated`,
  );
  for (const { apiKey, path, content } of load.written) {
    const { status, body } = await callAt(daemons[0]!.url, apiKey, path);
    expect({ status, content: body.content }).toEqual({ status: 200, content });
  }
  const isMemory = ({ path }: Written) => path.startsWith('/v1/memories/');
  expect(await countRows(databaseUrl)).toEqual({
    memories: load.written.filter(isMemory).length,
    messages: load.written.filter((one) => !isMemory(one)).length,
  });
  const check = await runCommand({ dataDir: folders[0]!, env, args: ['admin', 'check', '--json'] });
  expect(JSON.parse(check.stdout)).toEqual({ sound: true, problems: [] });
});
