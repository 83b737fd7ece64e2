import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { Job } from '../../src/contract/jobs.ts';
import type { Memory } from '../../src/contract/memories.ts';
import type { ProviderSettings } from '../../src/contract/provider-settings.ts';
import { openConnection } from '../../src/db/connection.ts';
import { callAt, createWorkplaces, type DaemonProcess, runCommand, signInAt } from '../helpers/process.ts';
import {
  type AskedModel,
  PUBLISHED,
  type SeenRequest,
  startProviderServer,
  type Trouble,
} from '../helpers/providers/server.ts';
import { dataFrame } from '../helpers/providers/wire.ts';
import { createSeededRandom } from '../helpers/seeded-random.ts';

/** `SVC_TEST_CONVERSATIONS=1000` takes three minutes. */
const CONVERSATIONS = Number(process.env.SVC_TEST_CONVERSATIONS ?? 120);
const CRASHES = 5;
const TENANTS = 4;
const CALLERS = 4;
const SEED = 20_260_101;
/** Together with the calls that always fail, a third of all calls. */
const FAILING = 0.32;
const MOST_IN_A_ROW = 3;
/** Most calls that a daemon has in flight and so loses when it is killed. */
const AT_ONCE = 8;

/** Every thirtieth needs two chunks, or four after a failure; every fiftieth is always rejected by the provider. */
const isLong = (conversation: number) => conversation % 30 === 7;
const isUnreadable = (conversation: number) => conversation % 50 === 13;
const lampsOf = (conversation: number) => (isLong(conversation) ? [0, 1, 2, 3] : [0, 1]);
const lampOf = (conversation: number, place: number) => `L${conversation}x${place}`;
const passagesOf = (conversation: number) => (isLong(conversation) ? [2, 4] : [1, 1]) as [number, number];

function textOf(conversation: number, place: number): string {
  const more = isLong(conversation) ? ' It is old.'.repeat(450) : '';
  return `I keep lamp ${lampOf(conversation, place)} in the hall.${more}`;
}

const HALF_AN_ANSWER: Trouble = {
  frames: [
    dataFrame({
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { content: '{"mem' }, finish_reason: null }],
    }),
  ],
};
const later = (seconds: number): Trouble => ({
  ...PUBLISHED.openai.rateLimit,
  headers: { 'retry-after': `${seconds}` },
});
const TROUBLES: readonly Trouble[] = [PUBLISHED.openai.broken, later(0), later(1), 'reset', HALF_AN_ANSWER];

const places = createWorkplaces();
afterEach(places.clean);

interface Counts {
  calls: number;
  failed: number;
  /** Failed calls that cost tokens all the same. */
  halves: number;
  /** Answered questions which older memories no longer hold; those that fail are not asked again. */
  questions: number;
}

/** Fails a third of the calls after a few milliseconds each; responds to none until `open`. */
function createFailing() {
  const random = createSeededRandom(SEED);
  const questionsRandom = createSeededRandom(SEED + 2);
  const failuresInARow = new Map<number, number>();
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const counts: Counts = { calls: 0, failed: 0, halves: 0, questions: 0 };

  function troubleOf(conversation: number): Trouble | undefined {
    if (isUnreadable(conversation)) return PUBLISHED.openai.tooLong;
    const failures = failuresInARow.get(conversation) ?? 0;
    const fails = failures < MOST_IN_A_ROW && random.fraction() < FAILING;
    failuresInARow.set(conversation, fails ? failures + 1 : 0);
    return fails ? random.oneOf(TROUBLES) : undefined;
  }

  function troubleOfQuestion(): Trouble | undefined {
    const trouble = questionsRandom.fraction() < FAILING ? questionsRandom.oneOf(TROUBLES) : undefined;
    if (trouble === HALF_AN_ANSWER) counts.halves += 1;
    if (trouble === undefined) counts.questions += 1;
    return trouble;
  }

  return {
    open,
    counts,
    async troubleFor({ body }: SeenRequest): Promise<Trouble | undefined> {
      const text = JSON.stringify(body ?? '');
      if (/\[n\d+\] The user keeps lamp/.test(text)) return troubleOfQuestion();
      const conversation = /I keep lamp L(\d+)x/.exec(text)?.[1];
      if (conversation === undefined) return undefined;
      await opened;
      await sleep(random.between(2, 40));
      counts.calls += 1;
      const trouble = troubleOf(Number(conversation));
      if (trouble !== undefined) counts.failed += 1;
      if (trouble === HALF_AN_ANSWER) counts.halves += 1;
      return trouble;
    },
  };
}

/** Unique texts: a memory stored twice is not mistaken for an already known one. */
function createModel(): (asked: AskedModel) => unknown {
  let told = 0;
  return ({ prompt }) => ({
    memories: [...prompt.matchAll(/^\[(\d+)\] .*lamp (L\d+x\d+)/gm)].map(([, message, lamp]) => {
      told += 1;
      const content = `The user keeps lamp ${lamp}, as was told at ${told}.`;
      return { decision: 'add', content, tags: [], messages: [Number(message)], known: '', date: '', reason: 'new' };
    }),
  });
}

interface Account {
  apiKey: string;
  /** Ids of the conversations, by number. */
  conversations: Map<number, string>;
}

async function call<T>(daemon: DaemonProcess, { apiKey }: Account, path: string, options = {}): Promise<T> {
  const { status, body } = await callAt(daemon.url, apiKey, path, options);
  expect(status, `${path}: ${JSON.stringify(body)}`).toBeLessThan(300);
  return body as T;
}

async function createAccount(daemon: DaemonProcess, name: string, baseUrl: string): Promise<Account> {
  const account = { apiKey: await signInAt(daemon, `${name}@example.com`), conversations: new Map() };
  await call(daemon, account, '/v1/provider-keys/openai', { method: 'PUT', body: { key: `sk-of-${name}`, baseUrl } });
  return account;
}

async function queueConversation(daemon: DaemonProcess, account: Account, conversation: number): Promise<void> {
  const { id } = await call<{ id: string }>(daemon, account, '/v1/conversations', { body: {} });
  const messages = lampsOf(conversation).map((place) => ({ role: 'user', content: textOf(conversation, place) }));
  await call(daemon, account, `/v1/conversations/${id}/messages`, { body: { messages } });
  await call(daemon, account, `/v1/conversations/${id}/extract`, { method: 'POST' });
  account.conversations.set(conversation, id);
}

async function queueAll(daemon: DaemonProcess, accounts: readonly Account[]): Promise<void> {
  const numbers = Array.from({ length: CONVERSATIONS }, (_, index) => index).values();
  const work = async () => {
    for (const number of numbers) await queueConversation(daemon, accounts[number % TENANTS]!, number);
  };
  await Promise.all(Array.from({ length: CALLERS }, work));
}

async function listAll<T>(daemon: DaemonProcess, account: Account, path: string): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const more: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: { data: T[]; nextCursor: string | null } = await call(daemon, account, `${path}?limit=200${more}`);
    all.push(...page.data);
    cursor = page.nextCursor;
  }
  return all;
}

async function until(isThere: () => Promise<boolean> | boolean): Promise<void> {
  for (const deadline = performance.now() + 300_000; !(await isThere()); await sleep(100)) {
    if (performance.now() > deadline) throw new Error('It does not come to an end.');
  }
}

async function openJobs(dataDir: string): Promise<number> {
  const connection = await openConnection(join(dataDir, 'svc.db'), { readOnly: true });
  const row = await connection.get<{ open: number }>('SELECT COUNT(*) AS open FROM jobs WHERE finishedAt IS NULL');
  await connection.close();
  return row!.open;
}

function expectDoneOnce(account: Account, jobs: readonly Job[], memories: readonly Memory[]): void {
  const jobOf = new Map(jobs.map((job) => [job.conversationId, job]));
  expect(jobs).toHaveLength(account.conversations.size);
  const lampIn = ({ content }: Memory) => /lamp (L\d+x\d+)/.exec(content)?.[1];
  const wanted: string[] = [];
  for (const [conversation, id] of account.conversations) {
    const lamps = lampsOf(conversation).length;
    const job = jobOf.get(id);
    if (isUnreadable(conversation)) {
      expect(job).toMatchObject({ state: 'failed', attempts: 3, error: { code: 'input' }, result: null });
      continue;
    }
    expect(job).toMatchObject({ state: 'done', error: null, progress: { done: lamps, total: lamps } });
    expect(job!.result).toMatchObject({ added: lamps, updated: 0, superseded: 0, nothing: 0 });
    wanted.push(...lampsOf(conversation).map((place) => lampOf(conversation, place)));
    const own = memories.filter(({ source }) => source?.conversationId === id);
    expect(new Set(own.map(({ source }) => source!.messageId)).size).toBe(lamps);
  }
  expect(memories.map(lampIn).sort()).toEqual(wanted.sort());
}

/** All tokens shown by jobs are in the daily usage, and every counted request was made. */
async function expectCounted(daemon: DaemonProcess, account: Account, jobs: readonly Job[]): Promise<number> {
  const { today } = await call<ProviderSettings>(daemon, account, '/v1/provider-settings');
  const sum = (field: 'requests' | 'inputTokens' | 'outputTokens') =>
    jobs.reduce((total, { used }) => total + used[field], 0);
  expect(today.extraction).toMatchObject({
    requests: sum('requests'),
    inputTokens: sum('inputTokens'),
    outputTokens: sum('outputTokens'),
  });
  return sum('requests');
}

/** A request that the provider answered is repeated only if a kill came before its result was stored. */
function expectNoNeedlessCalls({ calls, failed, halves, questions }: Counts, counted: number): void {
  const read = Array.from({ length: CONVERSATIONS }, (_, index) => index).filter((number) => !isUnreadable(number));
  const passages = (which: 0 | 1) => read.reduce((sum, number) => sum + passagesOf(number)[which], 0);
  const answered = calls - failed;
  expect(answered).toBeLessThanOrEqual(passages(1) + AT_ONCE * CRASHES);
  expect(counted).toBeGreaterThanOrEqual(passages(0));
  expect(questions).toBeGreaterThan(0);
  expect(questions).toBeLessThanOrEqual(passages(1));
  expect(counted).toBeLessThanOrEqual(answered + questions + halves);
  expect(failed / calls).toBeGreaterThan(0.25);
  expect(failed / calls).toBeLessThan(0.42);
}

test(`${CONVERSATIONS} conversations, a third of calls failing, ${CRASHES} kills: each is extracted once or shown as failed`, {
  timeout: 600_000,
}, async () => {
  const failing = createFailing();
  const server = await startProviderServer('openai', { answer: createModel() });
  places.endLater({ end: server.close });
  server.state.troubleFor = failing.troubleFor;
  const dataDir = await places.folder();
  const env = { SVC_DEFAULT_TIER: 'Enterprise', SVC_PROVIDER_HOSTS: '127.0.0.1' };
  let daemon = await places.start({ dataDir, env });
  const accounts: Account[] = [];
  for (let tenant = 0; tenant < TENANTS; tenant += 1) {
    accounts.push(await createAccount(daemon, `ada-${tenant}`, server.baseUrl));
  }
  await queueAll(daemon, accounts);
  expect(await openJobs(dataDir)).toBe(CONVERSATIONS);

  failing.open();
  const { between } = createSeededRandom(SEED + 1);
  for (let crash = 0; crash < CRASHES; crash += 1) {
    const calls = failing.counts.calls + between(0.12, 0.24) * CONVERSATIONS;
    await until(() => failing.counts.calls >= calls);
    await sleep(between(0, 50));
    daemon.kill('SIGKILL');
    await daemon.exited;
    daemon = await places.start({ dataDir, env });
  }
  await until(async () => (await openJobs(dataDir)) === 0);

  let counted = 0;
  for (const account of accounts) {
    const jobs = await listAll<Job>(daemon, account, '/v1/jobs');
    expectDoneOnce(account, jobs, await listAll<Memory>(daemon, account, '/v1/memories'));
    counted += await expectCounted(daemon, account, jobs);
  }
  expectNoNeedlessCalls(failing.counts, counted);
  await daemon.end();
  const check = await runCommand({ dataDir, args: ['admin', 'check', '--json'] });
  expect(JSON.parse(check.stdout)).toEqual({ sound: true, problems: [] });
});
