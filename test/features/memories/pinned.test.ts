import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Memory } from '../../../src/contract/memories.ts';
import { createCliUser } from '../../cli/memory-harness.ts';
import { newAccount, portable } from '../portability/portable-account.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from './memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await newAccount(daemon);
});

const profileOf = (tenantId: string) => daemon.profile.digest({ tenantId } as never, 'default');

test('a memory is unpinned by default', async () => {
  expect(await caller.add('Ada drinks oolong tea')).toMatchObject({ pinned: false });
  expect(await caller.add('Ada lives in Graz', { pinned: true })).toMatchObject({ pinned: true });
  const { status } = await caller.call('/v1/memories', { body: { content: 'Tea', pinned: 'yes' } });
  expect(status).toBe(400);
});

test('a change pins and unpins a memory, each as a new version', async () => {
  const { id } = await caller.add('Ada drinks oolong tea');
  expect((await caller.change(id, { pinned: true })).body).toMatchObject({ pinned: true, version: 2 });
  expect((await caller.change(id, { pinned: true })).body).toMatchObject({ pinned: true, version: 2 });
  expect((await caller.change(id, { content: 'Ada drinks green tea' })).body).toMatchObject({ pinned: true });
  expect((await caller.change(id, { pinned: false })).body).toMatchObject({ pinned: false, version: 4 });
  const { data } = (await caller.history(id)).body;
  expect(data.map(({ pinned }) => pinned)).toEqual([false, true, true, false]);
});

test('the list filters by pinned and unpinned memories', async () => {
  const contents = ['one', 'two', 'three', 'four'];
  for (const content of contents) await caller.add(content, { pinned: content.startsWith('t'), tags: ['count'] });
  expect(await caller.list('?pinned=true')).toEqual(['three', 'two']);
  expect(await caller.list('?pinned=true&tag=count')).toEqual(['three', 'two']);
  expect(await caller.list('?pinned=false')).toEqual(['four', 'one']);
  expect(await caller.list()).toHaveLength(4);
});

test('a cursor for pinned memories is rejected with another filter', async () => {
  for (const content of ['one', 'two', 'three']) await caller.add(content, { pinned: true });
  const page = (query: string) => caller.call<{ data: Memory[]; nextCursor: string }>(`/v1/memories?limit=2${query}`);
  const { nextCursor } = (await page('&pinned=true')).body;
  expect((await page(`&pinned=true&cursor=${nextCursor}`)).body.data.map(({ content }) => content)).toEqual(['one']);
  expect((await page(`&cursor=${nextCursor}`)).status).toBe(400);
  expect((await page(`&pinned=false&cursor=${nextCursor}`)).status).toBe(400);
});

test('pinned memories come first in the profile, before newer ones', async () => {
  await caller.add('Ada lives in Graz', { pinned: true });
  await caller.addAll(Array.from({ length: 500 }, (_, index) => ({ content: `Fact ${index}` })));
  const lines = (await profileOf(caller.tenantId)).split('\n').filter((line) => /^(##|-)/.test(line));
  expect(lines.slice(0, 3)).toEqual(['## Pinned', expect.stringMatching(/^- Ada lives in Graz \(/), '## Lately']);
  expect(lines.filter((line) => line.includes('Graz'))).toHaveLength(1);
});

test('a profile without pinned memories has no heading for them', async () => {
  await caller.add('Ada lives in Graz');
  expect(await profileOf(caller.tenantId)).not.toContain('Pinned');
});

test('an export preserves the pin, and an older export without it imports as unpinned', async () => {
  await caller.add('Ada lives in Graz', { pinned: true });
  const text = await portable(caller).text();
  const other = await newAccount(daemon);
  expect((await portable(other).importFile(text)).added.memories).toBe(1);
  expect(await other.list('?pinned=true')).toEqual(['Ada lives in Graz']);
  const older = await newAccount(daemon);
  expect((await portable(older).importFile(text.replace('"pinned":true,', ''))).added.memories).toBe(1);
  expect(await older.list('?pinned=false')).toEqual(['Ada lives in Graz']);
});

test('search ranks a pinned memory like any other', async () => {
  const search = async (pinned: boolean) => {
    const other = await newAccount(daemon);
    await other.add('Ada drinks green tea in the morning', { pinned });
    await other.add('Ada drinks tea');
    return (await other.search('Ada tea')).body.results;
  };
  const [pinned, plain] = [await search(true), await search(false)];
  expect(pinned.map(({ content }) => content)).toEqual(plain.map(({ content }) => content));
  // Recency makes the scores differ in the fourth decimal.
  for (const [index, { score }] of pinned.entries()) expect(score).toBeCloseTo(plain[index]!.score, 2);
});

test('assistants can pin a memory when they add or update it, and the text says that it is pinned', async () => {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${caller.apiKey}` } };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${daemon.baseUrl}/v1/mcp?structured=true`), { requestInit }),
  );
  const call = async (name: string, args: Record<string, unknown>) => {
    const { structuredContent, content } = await client.callTool({ name, arguments: args });
    const [{ text } = { text: '' }] = content as { text: string }[];
    return { memory: structuredContent as unknown as Memory, text };
  };
  const added = await call('memory_add', { content: 'Ada lives in Graz', pinned: true });
  expect(added.memory.pinned).toBe(true);
  expect(added.text).toContain(`[${added.memory.id}] (pinned; user default; `);
  const updated = await call('memory_update', { id: added.memory.id, pinned: false });
  expect(updated.memory.pinned).toBe(false);
  expect(updated.text).not.toContain('pinned');
  await client.close();
});

test('svc add --pin, edit --no-pin and list --pinned set, clear and show the pin', async () => {
  const person = await createCliUser(daemon.baseUrl, caller.apiKey, daemon.clock);
  const id = (await person.run(['add', 'Ada lives in Graz', '--pin'])).out.trim();
  await person.run(['add', 'Ada drinks tea']);
  expect((await person.run(['list', '--pinned'])).out).toMatch(/^mem_\S+\t.*Ada lives in Graz\n$/);
  expect((await person.run(['list', '--pinned'], { tty: true })).out).toContain('pinned · ');
  expect((await person.run(['show', id])).out).toMatch(/^pinned +yes$/m);
  expect((await person.run(['edit', id, '--no-pin'])).code).toBe(0);
  expect((await person.run(['list', '--pinned'])).out).toBe('');
  await person.run(['edit', id, '--pin']);
  expect((await caller.read(id)).body.pinned).toBe(true);
  await person.close();
});
