import { afterAll, beforeAll, expect, test } from 'vitest';
import type { UserProfile } from '../../../src/contract/profile.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

test('returns what MCP clients read, with its size', async () => {
  const caller = await daemon.account();
  await caller.add('Ada drinks oolong tea', { user: 'ada' });
  await caller.add('Grace drinks coffee', { user: 'grace' });
  const { status, body } = await caller.call<UserProfile>('/v1/profile?user=ada');
  expect(status).toBe(200);
  expect(body).toMatchObject({ user: 'ada', maxTokens: 1500, text: expect.stringContaining('oolong tea') });
  expect(body.text).not.toContain('coffee');
  expect(body.tokens).toBeGreaterThan(10);
  expect(body.tokens).toBeLessThan(100);
  const read = { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'memory://profile/ada' } };
  const { text } = await caller.call('/v1/mcp', {
    body: read,
    headers: { accept: 'application/json, text/event-stream' },
  });
  expect(text).toContain(JSON.stringify(body.text).slice(1, -1));
});

test('never exceeds its limit', async () => {
  const caller = await daemon.account();
  await caller.addAll(Array.from({ length: 300 }, (_, index) => ({ content: `Fact ${index} ${'word '.repeat(40)}` })));
  const { body } = await caller.call<UserProfile>('/v1/profile');
  expect(body.user).toBe('default');
  expect(body.tokens).toBeLessThanOrEqual(body.maxTokens);
});

test('contains nothing about a user of the same name in another account', async () => {
  const [owner, stranger] = [await daemon.account(), await daemon.account()];
  await owner.add('The safe is behind the painting', { user: 'ada' });
  const { body } = await stranger.call<UserProfile>('/v1/profile?user=ada');
  expect(body.text).toContain('Nothing is remembered yet');
});

test.each(['user=', 'user=%00', 'limit=1'])('is refused for "%s"', async (query) => {
  const caller = await daemon.account();
  expect((await caller.call(`/v1/profile?${query}`)).status).toBe(400);
});
