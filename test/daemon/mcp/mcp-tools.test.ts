import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import type { FastifyBaseLogger } from 'fastify';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../src/contract/errors.ts';
import type { Memory } from '../../../src/contract/memories.ts';
import type { Recall } from '../../../src/daemon/mcp/mcp-readers.ts';
import { createTools, type McpCall } from '../../../src/daemon/mcp/mcp-tools.ts';
import type { Conversations } from '../../../src/features/conversations/conversations.ts';
import type { Learning } from '../../../src/features/learning/learning.ts';
import type { Memories } from '../../../src/features/memories/memories.ts';

const MEMORY: Memory = {
  id: 'mem_1',
  content: 'The spare key is under the blue pot',
  user: 'default',
  project: null,
  externalId: null,
  client: null,
  author: null,
  origin: null,
  tags: [],
  metadata: {},
  source: null,
  occurredAt: null,
  saidAt: null,
  expiresAt: null,
  pinned: false,
  validFrom: '2026-01-01T00:00:00.000Z',
  validTo: null,
  supersededBy: null,
  version: 1,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
};

/** Calls memory_get with `get` as its implementation; returns the result and what was logged. */
async function callMemoryGet(get: () => Promise<Memory>) {
  const logged: unknown[] = [];
  const log = { error: (entry: unknown) => logged.push(entry) } as unknown as FastifyBaseLogger;
  const server = new McpServer({ name: 'svc', version: '1' });
  const tools = createTools({
    memories: { get } as unknown as Memories,
    findRelated: async () => [],
    recall: { findAmong: (call, _scope, work) => work(call.principal) } as Recall,
    conversations: {} as Conversations,
    learning: {} as Learning,
  });
  for (const register of tools)
    register(server, {
      principal: { scope: 'account' },
      requestId: 'req-42',
      mark: '123456789',
      log,
      note: {},
      structured: true,
    } as unknown as McpCall);
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(clientSide);
  const { content, isError, structuredContent } = await client.callTool({ name: 'memory_get', arguments: { id: 'x' } });
  await client.close();
  const first = content[0];
  return { logged, isError, structuredContent, text: first?.type === 'text' ? first.text : '' };
}

describe('a tool', () => {
  test('returns only the declared fields, and a text', async () => {
    const memory = { ...MEMORY, metadata: { 'two\nlines': [1, null] }, source: { messageId: 'msg_1' } };
    const answer = await callMemoryGet(async () => ({ ...memory, source: { ...memory.source, rowid: 8 }, rowid: 7 }));
    expect(answer.structuredContent).toEqual(memory);
    expect(answer.text).toContain('mem_1');
    expect(answer.text).toContain('under the blue pot');
    expect([answer.isError, answer.logged]).toEqual([undefined, []]);
  });

  test('reveals nothing of an unexpected error, which is logged', async () => {
    const answer = await callMemoryGet(async () => {
      throw new Error("SELECT content FROM memories WHERE content = 'a secret'");
    });
    expect(answer.isError).toBe(true);
    expect(answer.structuredContent).toBeUndefined();
    expect(answer.text).toMatch(/^internal: .*req-42\.$/);
    expect(answer.text).not.toMatch(/SELECT|secret/);
    expect(answer.logged).toHaveLength(1);
  });

  test('reports the code of an error, its cause and what to do', async () => {
    const answer = await callMemoryGet(async () => {
      throw new AppError('unavailable', 'The database is being restored.', { retryAfterSeconds: 5 });
    });
    expect(answer.isError).toBe(true);
    expect(answer.text.split('\n')).toEqual([
      'unavailable: The database is being restored.',
      'Retry after 5 s.',
      'Try again in a moment.',
    ]);
    expect(answer.logged).toHaveLength(1);
  });
});
