import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DatabaseLocation, withReader } from '../../src/daemon/database-location.ts';
import { type PostgresServer, startPostgres } from '../helpers/postgres/server.ts';
import { BIN, callAt, createWorkplaces, type DaemonProcess, runCommand, signInAt } from '../helpers/process.ts';
import { createSeededRandom } from '../helpers/seeded-random.ts';

/** In each direction. `TEST_CRASHES=3` is enough while developing. */
const KILLS = Number(process.env.TEST_CRASHES ?? 8);
const MEMORIES = 3000;
const PEOPLE = ['ada', 'bob', 'eve'];
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

const places = createWorkplaces();
const random = createSeededRandom(14);
let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});

afterAll(async () => {
  await places.clean();
  await server.close();
});

/** Where a daemon and an admin command find their database. */
interface Place {
  dataDir: string;
  env: Record<string, string>;
  location: DatabaseLocation;
}

const placeOnFile = async (): Promise<Place> => {
  const dataDir = await places.folder();
  return { dataDir, env: { SVC_MASTER_KEY: MASTER_KEY }, location: { file: join(dataDir, 'svc.db') } };
};

const start = ({ dataDir, env }: Place): Promise<DaemonProcess> =>
  places.start({ dataDir, env: { ...env, SVC_DEFAULT_TIER: 'Enterprise' } });

/** What the daemon acknowledged to a person: contents of memories by id, and the ids that were deleted. */
interface Acknowledged {
  contents: Map<string, string>;
  deleted: Set<string>;
}

/** Adds, changes and deletes memories until told to end; returns how often that was refused. */
function keepWriting(daemon: DaemonProcess, apiKey: string, { contents, deleted }: Acknowledged) {
  let isOn = true;
  let refused = 0;
  const send = (path: string, method: string, body?: object) => callAt(daemon.url, apiKey, path, { method, body });
  async function writeOnce(count: number): Promise<number> {
    const [id] = contents.keys();
    const content = `this is what came as number ${count}`;
    if (count % 4 === 2 && id !== undefined) {
      const { status } = await send(`/v1/memories/${id}`, 'DELETE');
      if (status === 204) {
        contents.delete(id);
        deleted.add(id);
      }
      return status;
    }
    const isChange = count % 4 === 1 && id !== undefined;
    const [path, method] = isChange ? [`/v1/memories/${id}`, 'PATCH'] : ['/v1/memories', 'POST'];
    const { status, body } = await send(path, method, { content });
    if (status < 300) contents.set(String(body.id), content);
    return status;
  }
  const done = (async () => {
    for (let count = 0; isOn; count += 1) {
      const status = await writeOnce(count);
      if (status >= 400) refused += 1;
      expect([200, 201, 204, 429, 503]).toContain(status);
      await sleep(status < 300 ? 5 : 50);
    }
  })();
  return async () => {
    isOn = false;
    await done;
    return refused;
  };
}

/** Moves while the daemon writes; kills the command again and again, and lets it end at last. */
async function moveWithKills(from: Place, to: string, dataDir: string): Promise<number> {
  const args = ['admin', 'move', '--to', to, '--json'];
  const options = { dataDir, env: from.env, args };
  let kills = 0;
  for (; kills < KILLS; kills += 1) {
    const child = execa(BIN, args, {
      cwd: dataDir,
      extendEnv: false,
      env: { PATH: process.env.PATH ?? '', HOME: dataDir, SVC_DATA_DIR: dataDir, ...from.env },
      reject: false,
      stdin: 'ignore',
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), random.between(300, 1800));
    const { exitCode, stderr } = await child;
    clearTimeout(timer);
    if (exitCode === 0) return kills;
    expect(stderr).toBe('');
  }
  const { exitCode, stdout, stderr } = await runCommand(options);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  console.info(`moved to ${to.replace(/\/\/.*@/, '//')} after ${kills} kills: ${stdout.replace(/\s+/g, ' ')}`);
  return kills;
}

async function expectAll(location: DatabaseLocation, everybody: readonly Acknowledged[]): Promise<void> {
  const rows = await withReader(location, (reader) =>
    reader.all<{ id: string; content: string }>('SELECT id, content FROM memories WHERE current = 1'),
  );
  const stored = new Map(rows.map(({ id, content }) => [id, content]));
  for (const { contents, deleted } of everybody) {
    expect([...contents].filter(([id, content]) => stored.get(id) !== content)).toEqual([]);
    expect([...deleted].filter((id) => stored.has(id))).toEqual([]);
  }
  expect(stored.size).toBe(MEMORIES + everybody.reduce((sum, { contents }) => sum + contents.size, 0));
}

test('a move killed at random points resumes and loses no acknowledged write, there and back (row 89)', async () => {
  const file = await placeOnFile();
  const daemon = await start(file);
  const keys: string[] = [];
  for (const name of PEOPLE) keys.push(await signInAt(daemon, `${name}@example.com`));
  for (let count = 0; count < MEMORIES; count += 100) {
    const memories = Array.from({ length: 100 }, (_, index) => ({ content: `memory number ${count + index} of many` }));
    const { status } = await callAt(daemon.url, keys[0]!, '/v1/memories/batch', { body: { memories } });
    expect(status).toBe(201);
  }
  const everybody = PEOPLE.map((): Acknowledged => ({ contents: new Map(), deleted: new Set() }));

  const url = await server.createDatabase();
  const ending = everybody.map((own, index) => keepWriting(daemon, keys[index]!, own));
  await moveWithKills(file, url, file.dataDir);
  await sleep(200);
  for (const end of ending) expect(await end()).toBeGreaterThan(0);
  await daemon.end();
  await expectAll({ url }, everybody);

  const shared: Place = { ...(await placeOnFile()), location: { url } };
  shared.env.SVC_DATABASE_URL = url;
  const next = await start(shared);
  const back = await placeOnFile();
  const endingAgain = everybody.map((own, index) => keepWriting(next, keys[index]!, own));
  await moveWithKills(shared, 'sqlite', back.dataDir);
  await sleep(200);
  for (const end of endingAgain) expect(await end()).toBeGreaterThan(0);
  await next.end();
  await expectAll(back.location, everybody);
  const checked = await runCommand({ ...back, args: ['admin', 'check'] });
  expect(checked).toMatchObject({ exitCode: 0, stdout: 'The database is sound.\n' });
}, 600_000);
