import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer } from '@modelcontextprotocol/server';
import type { FastifyBaseLogger } from 'fastify';
import { expect, test } from 'vitest';
import { AppError } from '../../../src/contract/errors.ts';
import { createPrompts } from '../../../src/daemon/mcp/mcp-prompts.ts';
import type { Recall } from '../../../src/daemon/mcp/mcp-readers.ts';
import { createResources } from '../../../src/daemon/mcp/mcp-resources.ts';
import type { McpCall } from '../../../src/daemon/mcp/mcp-tools.ts';
import type { Memories } from '../../../src/features/memories/memories.ts';
import type { Profile } from '../../../src/features/profile/profile.ts';

/** Runs a request against features that all fail with `failure`; returns the client's error and what was logged. */
async function requestFailingWith(failure: Error, ask: (client: Client) => Promise<unknown>) {
  const logged: unknown[] = [];
  const log = { error: (entry: unknown) => logged.push(entry) } as unknown as FastifyBaseLogger;
  const fail = () => Promise.reject(failure);
  const server = new McpServer({ name: 'svc', version: '1' });
  const offers = [
    ...createResources({
      memories: { get: fail, list: fail } as unknown as Memories,
      profile: { digest: fail } as unknown as Profile,
    }),
    ...createPrompts({ recall: { context: fail } as unknown as Recall }),
  ];
  for (const register of offers) register(server, { principal: {}, requestId: 'req-42', log } as unknown as McpCall);
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(clientSide);
  const error = await ask(client).catch((refusal: Error & { code?: number }) => refusal);
  await client.close();
  return { error, logged };
}

const REQUESTS: [string, (client: Client) => Promise<unknown>][] = [
  ['a memory', (client) => client.readResource({ uri: 'memory://mem_1' })],
  ['the profile', (client) => client.readResource({ uri: 'memory://profile' })],
  ['the list of memories', (client) => client.listResources()],
  ['the prompt recall', (client) => client.getPrompt({ name: 'recall', arguments: { about: 'tea' } })],
];

test.each(REQUESTS)('%s reveals nothing of an unexpected error, which is logged', async (_what, ask) => {
  const { error, logged } = await requestFailingWith(
    new Error("SELECT content FROM memories WHERE content = 'a secret'"),
    ask,
  );
  expect(error).toMatchObject({ code: -32603, message: expect.stringMatching(/internal: .*req-42\.$/) });
  expect(String(error)).not.toMatch(/SELECT|secret/);
  expect(logged).toHaveLength(1);
});

test.each(REQUESTS)('%s reports the code of an error, its cause and what to do', async (_what, ask) => {
  const failure = new AppError('unavailable', 'The database is locked.', { retryAfterSeconds: 5 });
  const { error, logged } = await requestFailingWith(failure, ask);
  expect(error).toMatchObject({
    code: -32603,
    message: expect.stringContaining('unavailable: The database is locked.\nRetry after 5 s.\nTry again in a moment.'),
  });
  expect(logged).toHaveLength(1);
});
