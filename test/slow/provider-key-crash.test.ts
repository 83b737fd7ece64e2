import { existsSync, watch } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterEach, expect, test } from 'vitest';
import { type Connection, openConnection } from '../../src/db/connection.ts';
import { type DataKeyRow, insertDataKey } from '../../src/features/envelope/envelope-store.ts';
import { type MasterKey, masterKeyOf, unwrap, wrap } from '../../src/features/envelope/master-key.ts';
import { systemRandom } from '../../src/lib/random.ts';
import { BIN, callAt, createWorkplaces, type DaemonProcess, runCommand, signInAt } from '../helpers/process.ts';
import { type ProviderServer, startProviderServer } from '../helpers/providers/server.ts';
import { createSeededRandom } from '../helpers/seeded-random.ts';

const CRASHES = Number(process.env.TEST_CRASHES ?? 10);
const TENANTS = 4;
const PROVIDERS = ['openai', 'mistral', 'openai-compatible'] as const;
/** Enough additional data keys for a rotation to take several transactions. */
const MORE_DATA_KEYS = 350;
const SEED = 4242;
const random = createSeededRandom(SEED);

const places = createWorkplaces();
afterEach(places.clean);

/** A stored key and its allowed values: the last acknowledged one, or the one requested after it. */
interface Place {
  apiKey: string;
  path: string;
  name: string;
  /** `undefined`: no key. */
  acknowledged: string | undefined;
  unanswered: { key: string | undefined }[];
  puts: number;
}

type Call = (place: Place, path: string, options?: { method?: string; body?: unknown }) => ReturnType<typeof callAt>;

const callOf =
  ({ url }: DaemonProcess): Call =>
  ({ apiKey }, path, options) =>
    callAt(url, apiKey, path, options);

async function createPlaces(daemon: DaemonProcess): Promise<Place[]> {
  const all: Place[] = [];
  for (let tenant = 0; tenant < TENANTS; tenant += 1) {
    const apiKey = await signInAt(daemon, `ada-${tenant}@example.com`);
    for (const provider of PROVIDERS) {
      const path = `/v1/provider-keys/${provider}`;
      all.push({ apiKey, path, name: `${tenant}-${provider}`, acknowledged: undefined, unanswered: [], puts: 0 });
    }
  }
  return all;
}

/**
 * Puts, replaces and deletes one key continuously until the daemon dies. Returns the number of acknowledged requests.
 */
async function write(call: Call, place: Place, { baseUrl }: ProviderServer): Promise<number> {
  for (let acknowledged = 0; ; acknowledged += 1) {
    const deleting = place.acknowledged !== undefined && random.fraction() < 0.3;
    place.puts += 1;
    const key = deleting ? undefined : `sk-of-${place.name}-number-${place.puts}`;
    place.unanswered = [{ key }];
    const options = deleting ? { method: 'DELETE' } : { method: 'PUT', body: { key, baseUrl } };
    const answer = await call(place, place.path, options).catch(() => undefined);
    if (answer === undefined) return acknowledged;
    expect(answer.status, JSON.stringify(answer.body)).toBe(deleting ? 204 : 200);
    place.acknowledged = key;
    place.unanswered = [];
  }
}

/**
 * The key that the provider receives when this one is checked; `undefined` if there is none. Any other outcome throws.
 */
async function keyAt(call: Call, place: Place, server: ProviderServer): Promise<string | undefined> {
  const before = server.requests.length;
  const { status, body } = await call(place, `${place.path}/validate`, { method: 'POST' });
  if (status === 404) return undefined;
  expect({ status, checked: body.status }, JSON.stringify(body)).toEqual({ status: 200, checked: 'valid' });
  const seen = server.requests.slice(before).map(({ headers }) => headers.authorization!.replace('Bearer ', ''));
  const [own, ...more] = seen.filter((key) => key.startsWith(`sk-of-${place.name}-number-`));
  expect({ own, more }).toEqual({ own: expect.any(String), more: [] });
  return own;
}

async function expectWhole(call: Call, place: Place, server: ProviderServer): Promise<void> {
  const key = await keyAt(call, place, server);
  const allowed = [place.acknowledged, ...place.unanswered.map((one) => one.key)];
  expect(allowed, place.name).toContain(key);
  Object.assign(place, { acknowledged: key, unanswered: [] });
}

/** Rotates the master key repeatedly with the command, one process per rotation. */
function startRotating(dataDir: string) {
  const counts = { whole: 0 };
  let stopped = false;
  let running = spawnRotation(dataDir);
  const over = (async () => {
    for (; ; running = spawnRotation(dataDir)) {
      const { exitCode, signal, stdout, stderr } = await running;
      if (exitCode === 0) counts.whole += 1;
      else if (signal !== 'SIGKILL') throw new Error(`The master key cannot be changed: ${stdout}${stderr}`);
      if (stopped) return;
    }
  })();
  over.catch(() => {
    // The caller awaiting it already got this error.
  });
  const stop = async () => {
    stopped = true;
    await over;
  };
  return {
    counts,
    /** Resolves when the next rotation starts its work. */
    begins: () => Promise.race([untilWritten(dataDir, 'rotation.pid'), over]),
    kill: () => running.kill('SIGKILL'),
    stop,
    async end() {
      running.kill('SIGKILL');
      await stop().catch(() => {
        // Already reported.
      });
    },
  };
}

function spawnRotation(dataDir: string) {
  const env = { PATH: process.env.PATH ?? '', HOME: dataDir, SVC_DATA_DIR: dataDir };
  const options = { cwd: dataDir, extendEnv: false, env, reject: false, stdin: 'ignore' } as const;
  return execa(BIN, ['admin', 'rotate-master-key', '--json'], options);
}

function untilWritten(folder: string, name: string): Promise<void> {
  return new Promise((resolve) => {
    const watching = watch(folder, (_event, file) => {
      // It is reported, too, when it is removed.
      if (file !== name || !existsSync(join(folder, name))) return;
      watching.close();
      resolve();
    });
  });
}

const masterKeysIn = async (dataDir: string): Promise<MasterKey[]> =>
  (await readFile(join(dataDir, 'master.key'), 'utf8'))
    .trim()
    .split('\n')
    .map((line) => masterKeyOf(Buffer.from(line, 'base64')));

async function inDatabase<T>(dataDir: string, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await openConnection(join(dataDir, 'svc.db'));
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** Inserts data keys of non-existent tenants. */
async function plantDataKeys(dataDir: string): Promise<Map<string, Buffer>> {
  const [masterKey] = await masterKeysIn(dataDir);
  const planted = new Map(
    Array.from({ length: MORE_DATA_KEYS }, (_, index) => [`ten_planted_${index}`, systemRandom.bytes(32)] as const),
  );
  await inDatabase(dataDir, async (connection) => {
    for (const [tenantId, dataKey] of planted) {
      await insertDataKey(connection, wrap(dataKey, tenantId, masterKey!, systemRandom));
    }
  });
  return planted;
}

/** Completes a rotation and asserts that one master key is left and unwraps every data key. */
async function expectRotated(dataDir: string, planted: ReadonlyMap<string, Buffer>, all: readonly Place[]) {
  const rotated = await runCommand({ dataDir, args: ['admin', 'rotate-master-key', '--json'] });
  expect(rotated.exitCode, rotated.stderr).toBe(0);
  const [masterKey, ...others] = await masterKeysIn(dataDir);
  expect(others).toEqual([]);
  expect(JSON.parse(rotated.stdout)).toMatchObject({ masterKeyId: masterKey!.id, lost: 0 });
  const rows = await inDatabase(dataDir, (connection) => connection.all<DataKeyRow>('SELECT * FROM dataKeys'));
  for (const row of rows) {
    const dataKey = unwrap(row, masterKey!);
    if (planted.has(row.tenantId)) expect(dataKey.equals(planted.get(row.tenantId)!)).toBe(true);
  }
  const withKeys = new Set(all.filter(({ acknowledged }) => acknowledged !== undefined).map(({ apiKey }) => apiKey));
  expect(rows).toHaveLength(planted.size + withKeys.size + 1);
  expect((await readdir(dataDir)).filter((name) => /rotation\.pid|^\.svc-draft/.test(name))).toEqual([]);
}

test(`kill -9 ${CRASHES} times while keys are written and the master key is rotated: every key is intact or absent`, {
  timeout: 900_000,
}, async () => {
  const server = await startProviderServer('openai');
  places.endLater({ end: server.close });
  const dataDir = await places.folder();
  const env = { SVC_DEFAULT_TIER: 'Enterprise', SVC_PROVIDER_HOSTS: '127.0.0.1' };
  let daemon = await places.start({ dataDir, env });
  const all = await createPlaces(daemon);
  const planted = await plantDataKeys(dataDir);
  const rotating = startRotating(dataDir);
  places.endLater(rotating);

  let written = 0;
  let kills = 0;
  /** Kills that left two master keys in the file. */
  let halfway = 0;
  while (kills < CRASHES) {
    const writing = Promise.all(all.map((place) => write(callOf(daemon), place, server)));
    for (let more = random.oneOf([0, 1, 2]); more > 0; more -= 1) {
      await rotating.begins();
      await sleep(random.between(0, 40));
      if (!rotating.kill()) continue;
      kills += 1;
      if ((await masterKeysIn(dataDir)).length === 2) halfway += 1;
    }
    await (random.fraction() < 0.5 ? rotating.begins() : sleep(random.between(0, 200)));
    await sleep(random.between(0, 40));
    daemon.kill('SIGKILL');
    kills += 1;
    for (const acknowledged of await writing) written += acknowledged;
    await daemon.exited;
    daemon = await places.start({ dataDir, env });
    await Promise.all(all.map((place) => expectWhole(callOf(daemon), place, server)));
  }
  await rotating.stop();
  expect(written).toBeGreaterThan(CRASHES);
  expect(rotating.counts.whole).toBeGreaterThan(CRASHES / 10);
  expect(halfway).toBeGreaterThan(CRASHES / 50 - 1);

  await expectRotated(dataDir, planted, all);
  await Promise.all(all.map((place) => expectWhole(callOf(daemon), place, server)));
  await daemon.end();
  const check = await runCommand({ dataDir, args: ['admin', 'check', '--json'] });
  expect(JSON.parse(check.stdout)).toEqual({ sound: true, problems: [] });
  daemon = await places.start({ dataDir, env });
  await Promise.all(all.map((place) => expectWhole(callOf(daemon), place, server)));
});
