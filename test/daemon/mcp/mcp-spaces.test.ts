import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/contract/connections.ts';
import type { Space } from '../../../src/contract/spaces.ts';
import { connectDevice } from '../../features/connections/device.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../../features/memories/memory-daemon.ts';
import { addMember, inSpace, newPerson, newSpace, type Person } from '../../features/spaces/space-callers.ts';

let daemon: MemoryDaemon;
let ada: Person;
let lin: Person;
let team: Space;
let family: Space;
const open: Client[] = [];

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  ada = await newPerson(daemon);
  lin = await newPerson(daemon);
  team = await newSpace(lin, 'team');
  family = await newSpace(lin, 'family');
  await addMember(lin, team, ada, 'writer');
  await addMember(lin, family, ada, 'reader');
  await ada.add('My own backup of the photos runs on Sundays');
  await inSpace(daemon, lin, team.id).add('The backup of the database runs at three in the morning');
  await inSpace(daemon, lin, family.id).add('Grandma keeps a backup of the house keys');
});
afterAll(async () => {
  for (const client of open) await client.close();
  await daemon.close();
});

async function connect(apiKey: string, query: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${daemon.baseUrl}/v1/mcp?${query}`), { requestInit }),
  );
  open.push(client);
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown>) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const first = content[0];
  return { text: first?.type === 'text' ? first.text : '', isError: isError === true };
}

const QUESTION = { query: 'where is the backup' };

describe('an assistant that reads several spaces', () => {
  test('finds what all have, each result with its space and author within the fence', async () => {
    const client = await connect(ada.apiKey, 'spaces=default,team&spaces=family');
    const found = await call(client, 'memory_search', QUESTION);
    expect(found.text).toContain('(in default; ');
    expect(found.text).toMatch(new RegExp(`\\(in team; user default; [^)]*by ${lin.email}`));
    expect(found.text).toContain('Grandma');
    const recalled = await call(client, 'memory_context', QUESTION);
    expect(recalled.text).toContain(`in team, by ${lin.email}) The backup of the database`);
    expect(recalled.text.split('</svc-memory-')[0]).toMatch(/searchId srch_\w+ is of what is in family/);
    const { messages } = await client.getPrompt({ name: 'recall', arguments: { about: QUESTION.query } });
    expect(JSON.stringify(messages)).toContain('in family');
  });

  test('reads one of them whole and reports there what helped, but writes only where it acts', async () => {
    const client = await connect(ada.apiKey, 'spaces=default,team,family');
    const { text } = await call(client, 'memory_search', QUESTION);
    const id = /\[(mem_\w+)\] \(in team;/.exec(text)![1]!;
    const searchId = /searchId (srch_\w+) is of what is in team/.exec(text)![1]!;
    expect((await call(client, 'memory_get', { id })).text).toContain('three in the morning');
    expect(await call(client, 'memory_feedback', { searchId, used: [id] })).toMatchObject({ isError: false });
    expect(await call(client, 'memory_update', { id, content: 'Never' })).toMatchObject({ isError: true });
    expect(await call(client, 'memory_delete', { id })).toMatchObject({ isError: true });
    await call(client, 'memory_add', { content: 'Ada drinks jasmine tea' });
    expect(await ada.list()).toContain('Ada drinks jasmine tea');
    const acting = await connect(ada.apiKey, 'space=team&spaces=default,family');
    await call(acting, 'memory_add', { content: 'The team drinks oolong tea' });
    expect(await inSpace(daemon, lin, team.id).list()).toContain('The team drinks oolong tea');
    const elsewhere = await call(acting, 'memory_search', { query: 'tea' });
    expect(elsewhere.text).toContain('jasmine');
    expect(elsewhere.text).not.toContain('oolong');
  });

  test('cannot report what helped where it may only read', async () => {
    const client = await connect(ada.apiKey, 'spaces=family,team');
    const { text } = await call(client, 'memory_search', QUESTION);
    const searchId = /searchId (srch_\w+) is of what is in family/.exec(text)![1]!;
    expect(await call(client, 'memory_feedback', { searchId, used: [] })).toMatchObject({ isError: true });
  });

  test('is refused too many spaces, those of others, and other sets of tools', async () => {
    const stranger = await newPerson(daemon);
    const client = await connect(stranger.apiKey, `spaces=default,${team.id}`);
    expect(await call(client, 'memory_search', QUESTION)).toMatchObject({ isError: true });
    for (const query of ['spaces=', `spaces=${'1,2,3,4,5,6,7,8,9'}`, 'tools=chatgpt&spaces=default']) {
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      expect((await ada.call(`/v1/mcp?${query}`, { body })).status, query).toBe(400);
    }
  });

  test('reads no other space over a device that is bound to one', async () => {
    const token = await connectDevice(daemon, lin.apiKey);
    const { credential } = (await daemon.call<{ credential: { id: string } }>(token, '/v1/account')).body;
    const bound = await lin.call<Connection>(`/v1/connections/${credential.id}`, {
      method: 'PATCH',
      body: { space: 'team' },
    });
    expect(bound.status).toBe(200);
    for (const spaces of ['default,team', 'family', 'team,family']) {
      const refused = await call(await connect(token, `spaces=${spaces}`), 'memory_search', QUESTION);
      expect(refused).toMatchObject({ isError: true });
      expect(refused.text).toMatch(/^forbidden/);
    }
    expect((await call(await connect(token, ''), 'memory_search', QUESTION)).text).toContain('three in the morning');
  });

  test('gets nothing of a space any more once the membership has ended', async () => {
    const guest = await newPerson(daemon);
    const { id } = await addMember(lin, team, guest, 'writer');
    const client = await connect(guest.apiKey, 'spaces=default,team');
    expect((await call(client, 'memory_search', QUESTION)).text).toContain('database');
    await lin.call(`/v1/spaces/${team.id}/members/${id}`, { method: 'DELETE' });
    const refused = await call(client, 'memory_search', QUESTION);
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).not.toContain('database');
  });
});
