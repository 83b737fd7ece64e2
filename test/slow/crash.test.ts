import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { openConnection } from '../../src/db/connection.ts';
import { callAt, createWorkplaces, type DaemonProcess, runCommand, signInAt } from '../helpers/process.ts';
import { startProviderServer } from '../helpers/providers/server.ts';
import { addressOf, type Check, type Site, WRITES } from './crash-writes.ts';

/** `TEST_CRASHES=1000` takes half an hour. */
const CRASHES = Number(process.env.TEST_CRASHES ?? 6);
const TENANTS = 2;
/** Of each tenant, for memories alone. */
const WRITERS = 3;

const places = createWorkplaces();
afterEach(places.clean);

interface Written {
  site: Site;
  key: string;
  content: string;
  id: string;
}

/** Writes without a response: each may be stored or not, but at most once. */
type Unanswered = Omit<Written, 'id'>;

interface Round {
  written: Written[];
  unanswered: Unanswered[];
  /** What was acknowledged, with how to check it. */
  checks: { kind: string; name: string; site: Site; check: Check }[];
}

/** Adds memories continuously until the daemon dies. */
async function addMemories(site: Site, name: string, round: Round): Promise<void> {
  for (let count = 0; ; count += 1) {
    const key = `${name}-${count}`;
    const content = `what ${name} remembers as number ${count}`;
    const answer = await unlessDead(
      callAt(site.daemon.url, site.apiKey, '/v1/memories', { body: { content }, headers: { 'idempotency-key': key } }),
    );
    if (answer === undefined) {
      round.unanswered.push({ site, key, content });
      return;
    }
    expect(answer.status).toBe(201);
    round.written.push({ site, key, content, id: String(answer.body.id) });
  }
}

let writes = 0;

/** Writes of one kind continuously until the daemon dies. */
async function write(kind: string, site: Site, name: string, round: Round): Promise<void> {
  for (;;) {
    writes += 1;
    const unique = `${name}-${writes}`;
    // A write that waits for a mail would wait on after the daemon's end.
    const check = await unlessDead(Promise.race([WRITES[kind]!(site, unique), rejectsAtEnd(site.daemon)]));
    if (check === undefined) return;
    round.checks.push({ kind, name: unique, site, check });
  }
}

async function rejectsAtEnd({ exited }: DaemonProcess): Promise<never> {
  await exited;
  throw new Error('The daemon ended.');
}

/** Resolves with `undefined` if the daemon dies first. */
async function unlessDead<T>(request: Promise<T>): Promise<T | undefined> {
  return request.catch((error: Error) => {
    if (error.name === 'AssertionError') throw error;
    return undefined;
  });
}

/** Resolves once that many writes are acknowledged, and at least one of each of the kinds. */
async function untilBusy({ written, checks }: Round, kinds: readonly string[], count: number): Promise<void> {
  const isBusy = () =>
    written.length + checks.length >= count && kinds.every((kind) => checks.some((one) => one.kind === kind));
  for (const deadline = performance.now() + 60_000; !isBusy() && performance.now() < deadline; await sleep(1));
}

async function crashUnderLoad(sites: readonly Site[], count: number): Promise<Round> {
  const round: Round = { written: [], unanswered: [], checks: [] };
  const { daemon } = sites[0]!;
  const writers = sites.flatMap((site, tenant) => [
    ...Array.from({ length: WRITERS }, (_, index) => addMemories(site, `writer-${count}-${tenant}-${index}`, round)),
    ...Object.keys(WRITES).map((kind) => write(kind, site, `${kind.replace(' ', '-')}-${count}-${tenant}`, round)),
  ]);
  await untilBusy(round, count === 0 ? Object.keys(WRITES) : [], 10 + Math.random() * 150);
  await sleep(Math.random() * 20);
  daemon.kill('SIGKILL');
  await Promise.all([...writers, daemon.exited]);
  return round;
}

async function expectAllThere(daemon: DaemonProcess, { written, checks }: Round): Promise<void> {
  await Promise.all(
    written.map(async ({ site, id, content }) => {
      const { status, body } = await callAt(daemon.url, site.apiKey, `/v1/memories/${id}`);
      expect({ status, content: body.content }).toEqual({ status: 200, content });
    }),
  );
  await Promise.all(checks.map(({ site, check }) => check({ ...site, daemon })));
}

/** Responses are stored with their writes: a repeated request replays the first response or runs for the first time. */
async function expectAnswersKept({ url }: DaemonProcess, { written, unanswered }: Round): Promise<void> {
  for (const { site, key, content, id } of written.slice(-WRITERS)) {
    const { status, headers, body } = await callAt(url, site.apiKey, '/v1/memories', {
      body: { content },
      headers: { 'idempotency-key': key },
    });
    expect({ status, id: body.id, replayed: headers.get('idempotency-replayed') }).toEqual({
      status: 201,
      id,
      replayed: 'true',
    });
  }
  for (const { site, key, content } of unanswered) {
    const again = { body: { content }, headers: { 'idempotency-key': key } };
    const first = await callAt(url, site.apiKey, '/v1/memories', again);
    const second = await callAt(url, site.apiKey, '/v1/memories', again);
    expect([first.status, second.status, second.body.id]).toEqual([201, 201, first.body.id]);
  }
}

/** The file is sound, whatever its log holds. */
async function expectSound(dataDir: string): Promise<void> {
  const connection = await openConnection(join(dataDir, 'svc.db'), { readOnly: true });
  expect(await connection.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  await connection.close();
}

/** Removes the mails sent so far and returns their recipients. */
async function takeMails(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'mail');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.eml'));
  const recipients: string[] = [];
  for (const name of names) {
    const to = /^To: .*?([^\s<]+@[^\s>]+)/m.exec(await readFile(join(folder, name), 'utf8'))?.[1];
    if (to !== undefined) recipients.push(to);
    await rm(join(folder, name));
  }
  return recipients;
}

function countByKind(rounds: readonly Round[]): Record<string, number> {
  const counts: Record<string, number> = { create: rounds.reduce((sum, { written }) => sum + written.length, 0) };
  for (const { kind } of rounds.flatMap(({ checks }) => checks)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

test(`kill -9 ${CRASHES} times under mixed load loses no acknowledged write and no idempotent response (rows 52, 71)`, async () => {
  const dataDir = await places.folder();
  const env = { SVC_DEFAULT_TIER: 'Enterprise', SVC_PROVIDER_HOSTS: '127.0.0.1', SVC_TRUST_PROXY: 'loopback' };
  const provider = await startProviderServer('openai', { answer: () => ({ memories: [] }) });
  places.endLater({ end: provider.close });
  let daemon = await places.start({ dataDir, env });
  const apiKeys: string[] = [];
  for (let tenant = 0; tenant < TENANTS; tenant += 1) apiKeys.push(await signInAt(daemon, `ada-${tenant}@example.com`));
  const rounds: Round[] = [];
  const mailed = new Set<string>();
  for (let count = 0; count < CRASHES; count += 1) {
    const sites = apiKeys.map((apiKey) => ({ daemon, apiKey, providerUrl: provider.baseUrl }));
    const round = await crashUnderLoad(sites, count);
    rounds.push(round);
    await expectSound(dataDir);
    daemon = await places.start({ dataDir, env });
    await expectAllThere(daemon, round);
    await expectAnswersKept(daemon, round);
    for (const email of await takeMails(dataDir)) mailed.add(email);
  }
  const acknowledgedMails = rounds.flatMap(({ checks }) => checks.filter(({ kind }) => kind === 'mail'));
  await vi.waitFor(
    async () => {
      for (const email of await takeMails(dataDir)) mailed.add(email);
      expect(acknowledgedMails.filter(({ name }) => !mailed.has(addressOf(name)))).toEqual([]);
    },
    { timeout: 120_000, interval: 500 },
  );
  const counts = countByKind(rounds);
  console.info(`${CRASHES} kills, acknowledged:`, counts);
  expect(Object.keys(counts).sort()).toEqual(['create', ...Object.keys(WRITES)].sort());
  const written = rounds.flatMap((round) => round.written);
  expect(written.length).toBeGreaterThan(CRASHES);
  await daemon.end();

  const connection = await openConnection(join(dataDir, 'svc.db'));
  const rows = await connection.all<{ id: string }>(`SELECT id FROM memories WHERE content LIKE 'what writer-%'`);
  await connection.close();
  const there = new Set(rows.map(({ id }) => id));
  expect(written.filter(({ id }) => !there.has(id))).toEqual([]);
  expect(rows).toHaveLength(written.length + rounds.flatMap((round) => round.unanswered).length);
  const check = await runCommand({ dataDir, args: ['admin', 'check', '--json'] });
  expect(JSON.parse(check.stdout)).toEqual({ sound: true, problems: [] });
}, 3_600_000);
