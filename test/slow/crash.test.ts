import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { openConnection } from '../../src/db/connection.ts';
import { callAt, createWorkplaces, type DaemonProcess, runCommand, signInAt } from '../helpers/process.ts';

/** `SVC_TEST_CRASHES=5` is enough while developing. */
const CRASHES = Number(process.env.SVC_TEST_CRASHES ?? 100);
const WRITERS = 8;

const places = createWorkplaces();
afterEach(places.clean);

interface Written {
  key: string;
  content: string;
  id: string;
}

/** Writes without a response: each may be stored or not, but at most once. */
type Unanswered = Omit<Written, 'id'>;

interface Round {
  written: Written[];
  unanswered: Unanswered[];
}

/** Writes continuously until the daemon dies. */
async function write(url: string, apiKey: string, name: string, round: Round): Promise<void> {
  for (let count = 0; ; count += 1) {
    const key = `${name}-${count}`;
    const content = `what ${name} remembers as number ${count}`;
    try {
      const answer = await callAt(url, apiKey, '/v1/memories', {
        body: { content },
        headers: { 'idempotency-key': key },
      });
      expect(answer.status).toBe(201);
      round.written.push({ key, content, id: String(answer.body.id) });
    } catch (error) {
      if ((error as Error).name === 'AssertionError') throw error;
      round.unanswered.push({ key, content });
      return;
    }
  }
}

async function crashUnderLoad(daemon: DaemonProcess, apiKey: string, round: number): Promise<Round> {
  const outcome: Round = { written: [], unanswered: [] };
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    write(daemon.url, apiKey, `writer-${round}-${index}`, outcome),
  );
  await sleep(50 + Math.random() * 250);
  daemon.kill('SIGKILL');
  await Promise.all([...writers, daemon.exited]);
  return outcome;
}

async function expectAllThere(url: string, apiKey: string, { written }: Round): Promise<void> {
  await Promise.all(
    written.map(async ({ id, content }) => {
      const { status, body } = await callAt(url, apiKey, `/v1/memories/${id}`);
      expect({ status, content: body.content }).toEqual({ status: 200, content });
    }),
  );
}

/** Responses are stored with their writes: a repeated request replays the first response or runs for the first time. */
async function expectAnswersKept(url: string, apiKey: string, { written, unanswered }: Round): Promise<void> {
  for (const { key, content, id } of written.slice(-WRITERS)) {
    const { status, headers, body } = await callAt(url, apiKey, '/v1/memories', {
      body: { content },
      headers: { 'idempotency-key': key },
    });
    expect({ status, id: body.id, replayed: headers.get('idempotency-replayed') }).toEqual({
      status: 201,
      id,
      replayed: 'true',
    });
  }
  for (const { key, content } of unanswered) {
    const again = { body: { content }, headers: { 'idempotency-key': key } };
    const first = await callAt(url, apiKey, '/v1/memories', again);
    const second = await callAt(url, apiKey, '/v1/memories', again);
    expect([first.status, second.status, second.body.id]).toEqual([201, 201, first.body.id]);
  }
}

test(`kill -9 ${CRASHES} times under load loses no acknowledged write and no idempotent response (row 52)`, async () => {
  const dataDir = await places.folder();
  const env = { SVC_DEFAULT_TIER: 'Enterprise' };
  let daemon = await places.start({ dataDir, env });
  const apiKey = await signInAt(daemon, 'ada@example.com');
  const rounds: Round[] = [];
  for (let count = 0; count < CRASHES; count += 1) {
    const round = await crashUnderLoad(daemon, apiKey, count);
    rounds.push(round);
    daemon = await places.start({ dataDir, env });
    await expectAllThere(daemon.url, apiKey, round);
    await expectAnswersKept(daemon.url, apiKey, round);
  }
  const written = rounds.flatMap((round) => round.written);
  expect(written.length).toBeGreaterThan(CRASHES);
  await daemon.end();

  const connection = await openConnection(join(dataDir, 'svc.db'));
  const rows = await connection.all<{ id: string }>('SELECT id FROM memories');
  expect(await connection.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  await connection.close();
  const there = new Set(rows.map(({ id }) => id));
  expect(written.filter(({ id }) => !there.has(id))).toEqual([]);
  expect(rows).toHaveLength(written.length + rounds.flatMap((round) => round.unanswered).length);
  const check = await runCommand({ dataDir, args: ['admin', 'check', '--json'] });
  expect(JSON.parse(check.stdout)).toEqual({ sound: true, problems: [] });
}, 900_000);
