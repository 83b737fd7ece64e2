import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Space } from '../../../src/contract/spaces.ts';
import type { CallOptions } from '../../helpers/daemon.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { addMember, inSpace, newPerson, newSpace, type Person } from './space-callers.ts';

let daemon: MemoryDaemon;
let owner: Person;
let lin: Person;
let team: Space;
let memberId: string;
let acting: Caller;
let member: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  owner = await newPerson(daemon);
  lin = await newPerson(daemon);
  team = await newSpace(owner);
  acting = inSpace(daemon, owner, team.id);
  member = inSpace(daemon, lin, team.id);
});
afterAll(() => daemon.close());

beforeEach(async () => {
  memberId = (await addMember(owner, team, lin, 'owner')).id;
  return async () => {
    await remove();
  };
});

/** Sends a request during which, after it was let in, `change` is done. */
async function during(change: () => Promise<unknown>, path: string, options: CallOptions, caller = member) {
  const { enter } = daemon.memberships;
  const entered = vi.spyOn(daemon.memberships, 'enter').mockImplementationOnce(async (...call) => {
    const principal = await enter(...call);
    await change();
    return principal;
  });
  try {
    return await caller.call(path, options);
  } finally {
    expect(entered).toHaveBeenCalledOnce();
    entered.mockRestore();
  }
}

const remove = () => owner.call(`/v1/spaces/${team.id}/members/${memberId}`, { method: 'DELETE' });
const giveRole = (role: string) =>
  owner.call(`/v1/spaces/${team.id}/members/${memberId}`, { method: 'PATCH', body: { role } });

interface Named {
  memoryId: string;
  conversationId: string;
}

const message = { messages: [{ role: 'user', content: 'The van is red' }] };
const call = (name: string, args: object) => ({
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  headers: { accept: 'application/json, text/event-stream' },
});

/** A write of each kind: alone, of many at once, streamed, of files, and of a tool. */
const WRITES: Record<string, (named: Named) => [path: string, options: CallOptions]> = {
  'adding a memory': () => ['/v1/memories', { body: { content: 'The van is red' } }],
  'adding many': () => ['/v1/memories/batch', { body: { memories: [{ content: 'The van is red' }] } }],
  'changing one': ({ memoryId }) => [`/v1/memories/${memoryId}`, { method: 'PATCH', body: { content: 'Red' } }],
  'erasing one': ({ memoryId }) => [`/v1/memories/${memoryId}`, { method: 'DELETE' }],
  'erasing some': ({ memoryId }) => ['/v1/memories/delete', { body: { ids: [memoryId] } }],
  'starting a conversation': () => ['/v1/conversations', { body: { title: 'The van' } }],
  'continuing one': ({ conversationId }) => [`/v1/conversations/${conversationId}/messages`, { body: message }],
  'erasing a conversation': ({ conversationId }) => [`/v1/conversations/${conversationId}`, { method: 'DELETE' }],
  'remembering what was said': () => ['/v1/remember', { body: message }],
  'an import': () => [
    '/v1/import?format=lines',
    { method: 'POST', body: 'The van is red\n', headers: { 'content-type': 'text/plain' } },
  ],
  'a memory store': () => ['/v1/memory_stores', { body: { name: 'notes' } }],
  'a webhook': () => ['/v1/webhooks', { body: { url: 'https://1.1.1.1/hook' } }],
  'a setting': () => ['/v1/suggestion-settings', { method: 'PATCH', body: { merge: { mode: 'off' } } }],
  'a tool': () => ['/v1/mcp', call('memory_add', { content: 'The van is red' })],
};

async function stored(): Promise<string> {
  const paths = ['/v1/memories', '/v1/conversations', '/v1/memory_stores', '/v1/webhooks', '/v1/suggestion-settings'];
  return (await Promise.all(paths.map(async (path) => (await acting.call(path)).text))).join('\n');
}

describe('a member who was removed after the request was let in', () => {
  test.each(Object.keys(WRITES))('writes nothing any more by %s', async (name) => {
    const memoryId = (await acting.add(`The van is parked outside: ${name}`)).id;
    const conversation = await acting.call<{ id: string }>('/v1/conversations', { body: { title: 'Of cars' } });
    const [path, options] = WRITES[name]!({ memoryId, conversationId: conversation.body.id });
    const before = await stored();
    const { status, text } = await during(remove, path, options);
    // An import looks at the membership itself before each batch, and says as event streams do.
    const said = name === 'an import' ? 'You are no longer owner of the space' : 'You are in no space';
    expect(text).toContain(said);
    if (path !== '/v1/mcp') expect(status).toBe(name === 'an import' ? 401 : 404);
    expect(await stored()).toBe(before);
  });

  test('copies nothing into the space any more', async () => {
    const { id } = await lin.add('Lin’s recipe for dumplings');
    const path = `/v1/spaces/${team.id}/copies`;
    expect((await during(remove, path, { body: { memoryIds: [id] } }, lin)).status).toBe(404);
    expect(await acting.list()).not.toContain('Lin’s recipe for dumplings');
  });
});

describe('a member whose role was lowered after the request was let in', () => {
  test('writes nothing with the former role', async () => {
    const before = await stored();
    const refused = await during(() => giveRole('reader'), '/v1/memories', { body: { content: 'The van is blue' } });
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden', role: 'reader' } });
    expect(await stored()).toBe(before);
  });

  test('writes as before if it was raised', async () => {
    await giveRole('writer');
    const added = await during(() => giveRole('owner'), '/v1/memories', { body: { content: 'The van is green' } });
    expect(added.status).toBe(201);
  });
});

test('what others of the space write in the same transaction is stored', async () => {
  const principal = (await daemon.keys.authenticate(lin.apiKey))!;
  const admitted = await daemon.memberships.enter(principal, team.id);
  await remove();
  const [refused, added] = await Promise.allSettled([
    daemon.memberships.act(admitted, () => daemon.memories.add(admitted, { content: 'Of a removed member' })),
    acting.add('Of the owner'),
  ]);
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'not_found' } });
  expect(added.status).toBe('fulfilled');
  expect(await acting.list()).not.toContain('Of a removed member');
});
