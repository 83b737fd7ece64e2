import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Account, Usage } from '../../../src/contract/account.ts';
import type { Conversation, Message } from '../../../src/contract/conversations.ts';
import type { StorageState, Tier } from '../../../src/contract/limits.ts';
import { storageProblems } from '../../../src/features/limits/storage.ts';
import type { Answer } from '../../helpers/daemon.ts';
import { type Caller, createCaller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { portable, version } from '../portability/portable-account.ts';
import { countByStatus, makeTenant, times } from './tenants.ts';

const LIMIT = 64 * 1024;
const TEXT = 'x'.repeat(10_000);

let daemon: MemoryDaemon;
let accounts = 0;

beforeAll(async () => {
  daemon = await startMemoryDaemon({ config: { storageLimits: { Free: LIMIT, Pro: 4 * LIMIT, Enterprise: null } } });
});
afterAll(() => daemon.close());

async function newAccount(tier: Tier = 'Free'): Promise<Caller> {
  accounts += 1;
  const { apiKey, tenantId } = await makeTenant(daemon, `storage-${accounts}@example.com`, tier);
  return createCaller(daemon.call, apiKey, tenantId);
}

async function stored(caller: Caller): Promise<StorageState> {
  const { quotas } = (await caller.call<Account>('/v1/account')).body;
  expect((await caller.call<Usage>('/v1/usage')).body.storedBytes).toEqual(quotas.storedBytes);
  return quotas.storedBytes;
}

async function newConversation(caller: Caller, body = {}): Promise<string> {
  return (await caller.call<Conversation>('/v1/conversations', { body })).body.id;
}

function append(caller: Caller, id: string, contents: string[]): Promise<Answer<{ data: Message[] }>> {
  const messages = contents.map((content) => ({ role: 'user', content }));
  return caller.call(`/v1/conversations/${id}/messages`, { body: { messages } });
}

/** Repeats a write until it is refused; returns how often it succeeded. */
async function untilRefused(caller: Caller, write: (index: number) => Promise<Answer<unknown>>): Promise<number> {
  for (let done = 0; done < 100; done += 1) {
    const answer = await write(done);
    if (answer.status < 300) continue;
    const { used } = await stored(caller);
    expect(answer).toMatchObject({
      status: 429,
      body: { code: 'quota_exceeded', quota: 'storedBytes', limit: LIMIT, used, resetsAt: null },
    });
    expect(answer.text).toContain('Delete something to free room');
    expect(used).toBeLessThanOrEqual(LIMIT);
    return done;
  }
  throw new Error('It was never refused.');
}

describe('stored bytes', () => {
  test('are the UTF-8 bytes of the texts of everything that the account stores', async () => {
    const caller = await newAccount();
    const sizeOf = (...texts: unknown[]) =>
      texts.reduce<number>(
        (sum, text) => sum + Buffer.byteLength(typeof text === 'string' ? text : JSON.stringify(text)),
        0,
      );
    const memory = { content: 'Zoë 🌊', tags: ['für'], metadata: { sea: 'côte' } };
    await caller.add(memory.content, memory);
    const id = await newConversation(caller, { title: 'Übung', metadata: { a: 1 } });
    const message = { role: 'user', name: 'José', content: 'Olá', metadata: { b: 'ç' } };
    await caller.call(`/v1/conversations/${id}/messages`, { body: { messages: [message] } });
    const at = '2026-05-01T00:00:00Z';
    const episode = { title: 'Été', summary: 'Long', outcome: 'Fin', startedAt: at, endedAt: at, memoryIds: ['mém'] };
    await caller.call('/v1/episodes', { body: episode });
    const expected =
      sizeOf(memory.content, memory.tags, memory.metadata) +
      sizeOf('Übung', { a: 1 }, message.name, message.content, message.metadata) +
      sizeOf(episode.title, episode.summary, episode.outcome, episode.memoryIds, {});
    expect(await stored(caller)).toEqual({ limit: LIMIT, used: expected, resetsAt: null });
  });

  test('end messages, versions and imports without end, and leave other accounts alone (row 66)', async () => {
    const writer = await newAccount();
    const neighbor = await newAccount();
    const id = await newConversation(writer);
    expect(await untilRefused(writer, () => append(writer, id, [TEXT, TEXT]))).toBe(3);

    const editor = await newAccount();
    const memory = await editor.add(`${TEXT} 0`);
    expect(await untilRefused(editor, (index) => editor.change(memory.id, { content: `${TEXT} ${index + 1}` }))).toBe(
      5,
    );
    expect((await editor.history(memory.id)).body.data).toHaveLength(6);

    const importer = await newAccount();
    const lines = Array.from({ length: 30 }, (_, index) => JSON.stringify(version({ content: `${index} ${TEXT}` })));
    const stopped = await portable(importer).send<Record<string, unknown>>(lines.join('\n'));
    expect(stopped).toMatchObject({
      status: 429,
      body: { quota: 'storedBytes', limit: LIMIT, report: { complete: false, added: { memories: 0 } } },
    });

    const adder = await newAccount();
    const add = (index: number) => adder.call('/v1/memories', { body: { content: `${TEXT} ${index}` } });
    expect(await untilRefused(adder, add)).toBe(6);
    for (const caller of [neighbor, await newAccount('Enterprise')]) await caller.add(TEXT);
    expect((await stored(neighbor)).used).toBeGreaterThan(10_000);
  });

  test('stop an import at the batch that does not fit, and its report tells what was stored', async () => {
    const caller = await newAccount('Pro');
    const lines = Array.from({ length: 1000 }, (_, index) =>
      JSON.stringify(version({ content: `${index} ${'x'.repeat(index < 500 ? 20 : 1000)}` })),
    );
    expect(await portable(caller).send(lines.join('\n'))).toMatchObject({
      status: 429,
      // The last memory of a batch is stored with the next one, because further versions may follow.
      body: { code: 'quota_exceeded', quota: 'storedBytes', report: { added: { memories: 499 }, complete: false } },
    });
    expect((await stored(caller)).used).toBeLessThan(LIMIT);
  });

  test('never exceed the limit, even with parallel writes of every kind', async () => {
    const caller = await newAccount();
    const id = await newConversation(caller);
    const memory = await caller.add('Short');
    const answers = await times(24, async (index): Promise<Answer> => {
      const content = `${TEXT} ${index}`;
      if (index % 3 === 0) return caller.call('/v1/memories', { body: { content } });
      if (index % 3 === 1) return (await append(caller, id, [content])) as unknown as Answer;
      return (await caller.change(memory.id, { content })) as unknown as Answer;
    });
    const counts = countByStatus(answers);
    expect(counts[429]).toBe(18);
    expect((counts[200] ?? 0) + (counts[201] ?? 0)).toBe(6);
    const { used } = await stored(caller);
    expect(used).toBeGreaterThan(60_000);
    expect(used).toBeLessThanOrEqual(LIMIT);
  });

  test('are freed by deleting memories, messages, conversations and episodes', async () => {
    const caller = await newAccount();
    const id = await newConversation(caller);
    const { data } = (await append(caller, id, [TEXT, TEXT, TEXT])).body;
    const memory = await caller.add(TEXT);
    await caller.change(memory.id, { content: `${TEXT} again` });
    const at = '2026-05-01T00:00:00Z';
    const episode = { title: 'Trip', summary: 'x'.repeat(9000), startedAt: at, endedAt: at };
    const made = await caller.call<{ id: string }>('/v1/episodes', { body: episode });
    expect((await append(caller, id, [TEXT])).status).toBe(429);

    const remove = (path: string) => caller.call(path, { method: 'DELETE' });
    expect((await remove(`/v1/conversations/${id}/messages/${data[0]!.id}`)).status).toBe(204);
    expect((await append(caller, id, [TEXT])).status).toBe(201);
    for (const path of [`/v1/memories/${memory.id}`, `/v1/conversations/${id}`, `/v1/episodes/${made.body.id}`]) {
      expect((await remove(path)).status).toBe(204);
    }
    expect(await stored(caller)).toMatchObject({ used: 0 });
  });

  test('past the limit allow every write that adds nothing', async () => {
    const caller = await newAccount('Pro');
    const id = await newConversation(caller, { title: 'Title of the talk' });
    await append(caller, id, Array(8).fill(TEXT));
    const { id: memoryId } = await caller.add('Known');
    await caller.call(`/v1/conversations/${id}/episodes`, { method: 'POST' });
    await daemon.db.writes.write('daemon', (connection) =>
      connection.run("UPDATE tenants SET tier = 'Free' WHERE tenantId = ?", [caller.tenantId]),
    );
    const { used } = await stored(caller);
    expect(used).toBeGreaterThan(LIMIT);
    const patch = (title: string) => caller.call(`/v1/conversations/${id}`, { method: 'PATCH', body: { title } });
    expect((await patch('Longer title of the talk')).status).toBe(429);
    expect((await patch('Title')).status).toBe(200);
    expect((await caller.add('known')).duplicate).toBe(true);
    expect((await caller.change(memoryId, { content: 'Known' })).status).toBe(200);
    expect((await caller.change(memoryId, { content: 'New' })).status).toBe(429);
    expect((await caller.search('title')).status).toBe(200);
    expect((await caller.erase(memoryId)).status).toBe(204);
    expect(await stored(caller)).toMatchObject({ limit: LIMIT, used: expect.any(Number) });
    expect((await stored(caller)).used).toBeLessThan(used);
  });

  test('leave no empty conversation behind if its first messages do not fit', async () => {
    const caller = await newAccount();
    await caller.addAll(Array.from({ length: 6 }, (_, index) => ({ content: `${TEXT} ${index}` })));
    const body = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'conversation_append', arguments: { messages: [{ role: 'user', content: TEXT }] } },
    };
    const headers = { accept: 'application/json, text/event-stream' };
    const answer = await caller.call('/v1/mcp', { body, headers });
    expect(answer.text).toContain('Delete something to free room');
    expect((await caller.call('/v1/conversations')).body).toMatchObject({ data: [] });
  });

  test('do not stop a conversation from being cut into episodes', async () => {
    const caller = await newAccount();
    const id = await newConversation(caller);
    await append(caller, id, ['We met at the harbor in the morning.']);
    await caller.call(`/v1/conversations/${id}/episodes`, { method: 'POST' });
    const { used } = await stored(caller);
    const last = `The ferry leaves at noon. ${'y'.repeat(LIMIT - used - 30)}`;
    expect((await append(caller, id, [last])).status).toBe(201);
    await daemon.episodes.follow();
    const { data } = (await caller.call<{ data: { summary: string }[] }>('/v1/episodes')).body;
    expect(data[0]!.summary).toContain('ferry');
    const again = await caller.call(`/v1/conversations/${id}/episodes`, { method: 'POST' });
    expect(again.status).toBe(201);
  });

  test('disagreeing with the rows are a problem that the integrity check names', async () => {
    const caller = await newAccount();
    await caller.add('Counted');
    const problems = () => daemon.db.writes.write('daemon', storageProblems);
    const add = (bytes: number) =>
      daemon.db.writes.write('daemon', (connection) =>
        connection.run('UPDATE tenants SET storedBytes = storedBytes + ? WHERE tenantId = ?', [bytes, caller.tenantId]),
      );
    expect(await problems()).toEqual([]);
    await add(5);
    expect(await problems()).toEqual([
      `account ${caller.tenantId} is counted with 16 stored bytes, but its rows have 11`,
    ]);
    await add(-5);
  });
});
