import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/contract/account.ts';
import { BATCH_MEDIA_TYPE, type BatchAnswerHead, MAX_BATCH_BYTES } from '../../../src/contract/mcp-batch.ts';
import { makeTenant, setUsed } from '../../features/limits/tenants.ts';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';

let daemon: TestDaemon;

beforeAll(async () => {
  daemon = await startTestDaemon();
});

afterAll(() => daemon.close());

/** Refills every bucket and freezes time. */
beforeEach(() => {
  daemon.clock.freeze();
  daemon.clock.advance(120_000);
});

type Body = Record<string, unknown> & { id?: unknown; result?: { isError?: boolean; content: { text: string }[] } };
type Answered = BatchAnswerHead & { body: Body };

const callOf = (id: number, name: string, args: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
const adding = (id: number, content = `fact ${id}`) => callOf(id, 'memory_add', { content });

function post(apiKey: string, body: string) {
  const headers = {
    'content-type': BATCH_MEDIA_TYPE,
    accept: 'application/json, text/event-stream',
    'user-agent': 'tester/1',
  };
  return daemon.call(apiKey, '/v1/mcp', { body, headers });
}

/** Sends a batch and returns its answers in the order of its messages. */
async function send(apiKey: string, messages: readonly string[]): Promise<Answered[]> {
  const { status, text, headers } = await post(apiKey, messages.join('\n'));
  expect([status, headers.get('content-type')]).toEqual([200, BATCH_MEDIA_TYPE]);
  const lines = text.trimEnd().split('\n');
  const answers = messages.map((_, at) => ({
    ...(JSON.parse(lines[2 * at]!) as BatchAnswerHead),
    body: JSON.parse(lines[2 * at + 1]!) as Body,
  }));
  expect(lines).toHaveLength(2 * messages.length);
  return answers.sort((a, b) => a.index - b.index);
}

const memoriesOf = async (apiKey: string) =>
  (await daemon.call<Account>(apiKey, '/v1/account')).body.quotas.dailyMemories as { used: number; limit: number };

const remaining = async (apiKey: string) =>
  Number((await daemon.call(apiKey, '/v1/account')).headers.get('x-ratelimit-remaining'));

describe('a batch of the bridge', () => {
  test('stores and reads per message, and a failing one does not affect the others', async () => {
    const { apiKey } = await makeTenant(daemon, 'mixed@example.com');
    const answers = await send(apiKey, [
      adding(1, 'Ada prefers oolong'),
      callOf(2, 'memory_get', { id: 'mem_none' }),
      '{"jsonrpc":"2.0","id":3,"id":3,"method":"tools/call"}',
      callOf(4, 'no_such_tool', {}),
      '{"jsonrpc":"2.0","id":5,"method":"tools/list"}',
      adding(6, 'Ada dislikes rooibos'),
      '{',
    ]);
    expect(answers.map(({ index, status, body }) => [index, status, body.id ?? body.code])).toEqual([
      [0, 200, 1],
      [1, 200, 2],
      [2, 400, 'invalid_request'],
      [3, 200, 4],
      [4, 400, 'invalid_request'],
      [5, 200, 6],
      [6, 400, 'invalid_request'],
    ]);
    expect(answers[1]!.body.result?.isError).toBe(true);
    const { body } = await daemon.call<{ data: { content: string }[] }>(apiKey, '/v1/memories');
    expect(body.data.map(({ content }) => content).sort()).toEqual(['Ada dislikes rooibos', 'Ada prefers oolong']);
  });

  test('costs one token and one request per message', async () => {
    const { apiKey } = await makeTenant(daemon, 'tokens@example.com');
    const before = await remaining(apiKey);
    await send(
      apiKey,
      [1, 2, 3, 4, 5, 6, 7].map((id) => adding(id)),
    );
    expect(before - (await remaining(apiKey))).toBe(8);
    await daemon.usage.flushRequests();
    const { days } = (await daemon.call<{ days: { requests: number }[] }>(apiKey, '/v1/usage')).body;
    expect(days.at(-1)?.requests).toBe(9);
  });

  test('beyond the rate limit gets a 429 for each further message, like single requests', async () => {
    const { apiKey } = await makeTenant(daemon, 'limited@example.com');
    const sizes = [50, 50, 30];
    const statuses: number[] = [];
    for (const size of sizes) {
      const answers = await send(
        apiKey,
        Array.from({ length: size }, (_, id) => callOf(id, 'memory_list', {})),
      );
      statuses.push(...answers.map(({ status }) => status));
      for (const { status, retryAfterSeconds, body } of answers) {
        if (status === 429) expect([retryAfterSeconds, body.code]).toEqual([1, 'rate_limited']);
      }
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(120);
    const { status, headers } = await post(apiKey, adding(1));
    expect([status, headers.get('retry-after')]).toEqual([429, '1']);
  });

  test('counts against the quota per message', async () => {
    const { apiKey, tenantId } = await makeTenant(daemon, 'quota@example.com');
    const { used, limit } = await memoriesOf(apiKey);
    const day = new Date(daemon.clock.nowMs()).toISOString().slice(0, 10);
    await setUsed(daemon, tenantId, { day, memories: limit - 2 });
    const answers = await send(
      apiKey,
      [1, 2, 3, 4, 5].map((id) => adding(id)),
    );
    const refused = answers.filter(({ body }) => body.result?.isError);
    expect(used).toBe(0);
    expect(refused.map(({ body }) => body.result?.content[0]?.text.split(':')[0])).toEqual(
      Array(3).fill('quota_exceeded'),
    );
  });

  test('is recorded per message in activity, metrics and the log', async () => {
    const { apiKey } = await makeTenant(daemon, 'noted@example.com');
    const count = async () =>
      Number(
        /request_duration_seconds_count\{[^}]*"\/v1\/mcp"[^}]*"429"\} (\d+)/.exec(
          (await daemon.call(undefined, '/metrics')).text,
        )?.[1] ?? 0,
      );
    const refusedBefore = await count();
    await send(
      apiKey,
      Array.from({ length: 50 }, (_, id) => callOf(id, 'memory_list', {})),
    );
    await send(
      apiKey,
      Array.from({ length: 50 }, (_, id) => callOf(id, 'memory_list', {})),
    );
    const lines = daemon.logLines.length;
    const last = await send(
      apiKey,
      Array.from({ length: 22 }, (_, id) => adding(id)),
    );
    const refused = last.filter(({ status }) => status === 429).map(({ body }) => body.requestId);
    expect(refused).toHaveLength(2);
    expect((await count()) - refusedBefore).toBe(2);
    const logged = daemon.logLines.slice(lines).map((line) => JSON.parse(line));
    const requests = logged.filter(({ msg, status }) => msg === 'request' && status === 429);
    expect(requests.map(({ requestId }) => requestId).sort()).toEqual([...refused].sort());
    await daemon.activity.flush();
    daemon.clock.advance(60_000);
    const path = '/v1/activity?limit=200';
    const { data } = (await daemon.call<{ data: Record<string, unknown>[] }>(apiKey, path)).body;
    expect(new Set(data.map(({ id }) => id)).size).toBe(122);
    const added = data.filter(({ route }) => route === 'memory_add');
    expect(added).toHaveLength(20);
    expect(added[0]).toMatchObject({ client: 'tester/1', transport: 'mcp', method: 'tools/call', status: 200 });
    expect(data.filter(({ status }) => status === 429)).toHaveLength(2);
  });

  test('needs a valid key', async () => {
    const before = (await makeTenant(daemon, 'rotated@example.com')).apiKey;
    await makeTenant(daemon, 'rotated@example.com');
    const { status, body } = await post(before, `${adding(1)}\n${adding(2)}`);
    expect([status, body.code]).toEqual([401, 'unauthenticated']);
  });

  test('is bounded in messages and bytes', async () => {
    const { apiKey } = await makeTenant(daemon, 'bounds@example.com');
    const many = await post(apiKey, Array.from({ length: 51 }, (_, id) => adding(id)).join('\n'));
    expect([many.status, many.body.detail]).toEqual([400, 'A batch must have at most 50 messages.']);
    const long = await post(apiKey, adding(1, 'x'.repeat(MAX_BATCH_BYTES)));
    expect([long.status, long.body.code]).toEqual([413, 'payload_too_large']);
    expect((await daemon.call(apiKey, '/v1/memories')).body.data).toEqual([]);
  });
});
