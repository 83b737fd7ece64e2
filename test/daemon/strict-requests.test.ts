import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { converse, KEY, newOwner } from '../features/extraction/extraction-daemon.ts';
import type { Caller, MemoryDaemon } from '../features/memories/memory-daemon.ts';
import { startProviderDaemon, startProviderServer } from '../features/providers/provider-daemon.ts';
import type { ProviderServer } from '../helpers/providers/server.ts';

let daemon: MemoryDaemon;
let server: ProviderServer;
let caller: Caller;

beforeAll(async () => {
  daemon = await startProviderDaemon();
  server = await startProviderServer('openai', { key: KEY });
  caller = await newOwner(daemon, server, 'Ada drinks tea.');
});
afterAll(async () => {
  await daemon.close();
  await server.close();
});

describe('a request that needs no body', () => {
  let conversation: string;
  beforeEach(async () => {
    conversation = await converse(caller, ['I drink tea']);
  });
  const memory = async () => `/v1/memories/${(await caller.add('oolong')).id}`;
  const requests: Record<string, [method: string, path: () => Promise<string> | string, status: number]> = {
    'checking a key': ['POST', () => '/v1/provider-keys/openai/validate', 200],
    'cutting episodes': ['POST', () => `/v1/conversations/${conversation}/episodes`, 201],
    extracting: ['POST', () => `/v1/conversations/${conversation}/extract`, 202],
    'erasing a conversation': ['DELETE', () => `/v1/conversations/${conversation}`, 204],
    'erasing a memory': ['DELETE', memory, 204],
  };

  test.each(Object.entries(requests))('%s refuses unknown fields and anything but an object', async (_, request) => {
    const [method, at, status] = request;
    const path = await at();
    const wrong: [body: string, field: string][] = [
      ['{"colour":1}', '/colour'],
      ['{"a/b":1}', '/a~1b'],
      ['null', '/'],
      ['[]', '/'],
      ['"x"', '/'],
      ['0', '/'],
    ];
    for (const [body, field] of wrong) {
      const answer = await caller.call(path, { method, body });
      expect([answer.status, answer.body.code], body).toEqual([400, 'invalid_request']);
      expect(answer.body.errors, body).toMatchObject([{ path: field }]);
    }
    const answer = await caller.call(path, { method, body: '{}' });
    expect(answer.status, answer.text).toBe(status);
  });

  test.each(Object.entries(requests))('%s works without one', async (_, [method, at, status]) => {
    const answer = await caller.call(await at(), { method });
    expect(answer.status, answer.text).toBe(status);
  });
});

describe('an integer in a query', () => {
  test.each(['1e1', ' 5', '5 ', '0x5', '+5', '5.0', '5.', '', '5_0', '٥', 'true', '1&limit=2'])(
    '%j is refused, naming the parameter',
    async (limit) => {
      const written = limit.includes('&') ? limit : encodeURIComponent(limit);
      const paths = ['/v1/memories', '/v1/conversations', '/v1/episodes', '/v1/jobs'];
      for (const path of paths) {
        const answer = await caller.call(`${path}?limit=${written}`);
        expect([answer.status, answer.body.errors], path).toMatchObject([400, [{ path: 'limit' }]]);
      }
      expect((await caller.call(`/v1/usage?days=${written.replace('limit', 'days')}`)).status).toBe(400);
    },
  );

  test.each(['0', '-1', '201', '99999999999999999999'])('%s is out of range', async (limit) => {
    const answer = await caller.call(`/v1/memories?limit=${limit}`);
    expect([answer.status, answer.body.errors]).toMatchObject([400, [{ path: 'limit' }]]);
  });

  test('in decimal is accepted', async () => {
    await caller.add('one');
    await caller.add('two');
    expect(await caller.list('?limit=1')).toHaveLength(1);
    expect((await caller.call('/v1/usage?days=7')).status).toBe(200);
  });
});
