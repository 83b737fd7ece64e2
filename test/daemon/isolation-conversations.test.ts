import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conversing, SPAN } from '../features/conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import type { CallOptions } from '../helpers/daemon.ts';
import { CONVERSATION_OPERATIONS, type Named } from './conversation-operations.ts';
import { visible } from './visible-answer.ts';

let daemon: MemoryDaemon;
let owner: Caller;
let stranger: Caller;
const open: Client[] = [];

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  owner = await daemon.account();
  stranger = await daemon.account();
});
afterAll(async () => {
  for (const client of open) await client.close();
  await daemon.close();
});

const zeros = '0'.repeat(32);
const NEVER: Named = { conversation: `conv_${zeros}`, message: `msg_${zeros}`, episode: `ep_${zeros}` };

async function fill(caller: Caller): Promise<Named> {
  const talk = conversing(caller);
  const { id } = await talk.begin({ title: 'The gargoyle' });
  const [message] = await talk.say(id, 'The gargoyle guards the vault');
  const { id: episode } = await talk.episode({ title: 'The gargoyle woke', ...SPAN });
  return { conversation: id, message: message!.id, episode };
}

/** Everything a caller has, as it sees it. */
async function everythingOf({ call }: Caller, { conversation, message, episode }: Named): Promise<string> {
  const at = `/v1/conversations/${conversation}`;
  const paths = [at, `${at}/messages`, `${at}/messages/${message}`, `/v1/episodes/${episode}`];
  const answers = await Promise.all(paths.map((path) => call(path)));
  return JSON.stringify(answers.map(({ status, body }) => [status, body]));
}

const masked = (text: string, named: Named) =>
  Object.entries(named).reduce((masking, [kind, id]) => masking.replaceAll(id, kind), text);

describe('another tenant’s conversation', () => {
  test.each(Object.entries(CONVERSATION_OPERATIONS))(
    'is indistinguishable from a missing one when %s; its owner succeeds',
    async (_, { path, options, succeeds }) => {
      const theirs = await fill(owner);
      const before = await everythingOf(owner, theirs);
      const call = async (caller: Caller, named: Named) => {
        const request: CallOptions = options(named);
        return visible(await caller.call(path(named), request));
      };
      const [foreign, missing] = [await call(stranger, theirs), await call(stranger, NEVER)];
      expect(foreign.status).toBe(404);
      expect(masked(JSON.stringify(foreign), theirs)).toEqual(masked(JSON.stringify(missing), NEVER));
      expect(await everythingOf(owner, theirs)).toEqual(before);
      expect((await call(owner, theirs)).status).toBe(succeeds);
    },
  );

  test('accepts no message from a stranger through conversation_append; its owner succeeds', async () => {
    const { conversation } = await fill(owner);
    const append = async (caller: Caller, conversationId: string) => {
      const client = await connect(caller);
      const args = { conversationId, messages: [{ role: 'user', content: 'I was here' }] };
      const answer = await client.callTool({ name: 'conversation_append', arguments: args });
      return { isError: answer.isError === true, text: JSON.stringify(answer).replaceAll(conversationId, 'ID') };
    };
    const foreign = await append(stranger, conversation);
    expect(foreign.isError).toBe(true);
    expect(foreign).toEqual(await append(stranger, NEVER.conversation));
    expect(await conversing(owner).read(conversation)).toMatchObject({ messageCount: 1 });
    expect((await append(owner, conversation)).isError).toBe(false);
  });

  test('appears in no list, filter, search, context or cursor', async () => {
    const named = await fill(owner);
    await fill(owner);
    const paths = ['/v1/conversations', '/v1/episodes', `/v1/episodes?conversationId=${named.conversation}`];
    for (const path of paths) expect((await stranger.call(path)).body).toEqual({ data: [], nextCursor: null });
    expect((await owner.call<{ data: [] }>('/v1/conversations')).body.data.length).toBeGreaterThan(1);
    for (const path of ['/v1/search', '/v1/context']) {
      const ask = async (caller: Caller) => (await caller.call(path, { body: { query: 'gargoyle' } })).text;
      expect(await ask(stranger)).not.toContain('gargoyle');
      expect(await ask(owner)).toContain('gargoyle');
    }
    for (const path of ['/v1/conversations', '/v1/episodes']) {
      const { nextCursor } = (await owner.call<{ nextCursor: string }>(`${path}?limit=1`)).body;
      const next = `${path}?limit=1&cursor=${nextCursor}`;
      expect((await stranger.call(next)).status).toBe(400);
      expect((await owner.call(next)).status).toBe(200);
    }
  });
});

async function connect({ apiKey }: Caller): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.baseUrl}/v1/mcp`), { requestInit }));
  open.push(client);
  return client;
}
