import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Memory } from '../../../src/contract/memories.ts';
import type { ContextAnswer, SearchResult } from '../../../src/contract/search.ts';
import { createCliUser } from '../../cli/memory-harness.ts';
import { conversing, SPAN } from '../conversations/conversation-caller.ts';
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

const messages = (...contents: string[]) => contents.map((content) => ({ role: 'user', content }));

describe('the project of a memory', () => {
  test('is null by default, and set, changed and cleared by PATCH', async () => {
    const bare = await caller.add('The build runs on Node 20');
    expect(bare.project).toBeNull();
    const { id } = await caller.add('The build runs on Node 22', { project: 'svc' });
    expect((await caller.change(id, { project: 'web' })).body).toMatchObject({ project: 'web', version: 2 });
    expect((await caller.change(id, { project: null })).body).toMatchObject({ project: null, version: 3 });
    const { data } = (await caller.history(id)).body;
    expect(data.map(({ project }) => project)).toEqual([null, 'web', 'svc']);
  });

  test.each([
    ['of 200 characters', 'p'.repeat(200), 201],
    ['of 201 characters', 'p'.repeat(201), 400],
    ['that is empty', '', 400],
    ['with a line break', 'a\nb', 400],
    ['that is a number', 5, 400],
  ])('%s answers %s', async (_, project, status) => {
    const { body } = { body: { content: 'Tea', project } };
    expect((await caller.call('/v1/memories', { body })).status).toBe(status);
    expect((await caller.call('/v1/conversations', { body: { project } })).status).toBe(status);
    expect((await caller.call('/v1/episodes', { body: { title: 'Tea', project, ...SPAN } })).status).toBe(status);
  });

  test('is preserved by an export, and an older export without it imports as none', async () => {
    await caller.add('The build runs on Node 20', { project: 'svc' });
    const { id } = await conversing(caller).begin({ project: 'svc' });
    await conversing(caller).episode({ title: 'Upgrade', project: 'svc', ...SPAN });
    const text = await portable(caller).text();
    expect(text.match(/"project":"svc"/g)).toHaveLength(3);
    const other = await newAccount(daemon);
    await portable(other).importFile(text);
    expect(await other.list('?project=svc&projectOnly=true')).toEqual(['The build runs on Node 20']);
    expect((await conversing(other).read(id)).project).toBe('svc');
    const older = await newAccount(daemon);
    const report = await portable(older).importFile(text.replaceAll('"project":"svc",', ''));
    expect(report).toMatchObject({ added: { memories: 1, conversations: 1, episodes: 1 }, skipped: 0 });
    expect(await older.list('?project=web')).toEqual(['The build runs on Node 20']);
  });
});

describe('lists', () => {
  test('select a project with what belongs to none, or the project alone', async () => {
    await caller.addAll([
      { content: 'anywhere' },
      ...['a', 'b'].map((project) => ({ content: `in ${project}`, project })),
    ]);
    expect(await caller.list('?project=a')).toEqual(['in a', 'anywhere']);
    expect(await caller.list('?project=a&projectOnly=true')).toEqual(['in a']);
    expect(await caller.list('?project=c')).toEqual(['anywhere']);
    expect(await caller.list('?project=A&projectOnly=true')).toEqual([]);
    expect(await caller.list()).toHaveLength(3);
  });

  test.each(['conversations', 'episodes'])('of %s do too', async (collection) => {
    for (const project of [undefined, 'a', 'b']) {
      await caller.call(`/v1/${collection}`, {
        body: { title: `in ${project}`, project, ...(collection === 'episodes' && SPAN) },
      });
    }
    const titles = async (query: string) =>
      (await caller.call<{ data: { title: string }[] }>(`/v1/${collection}${query}`)).body.data.map(
        ({ title }) => title,
      );
    expect(await titles('?project=a')).toEqual(['in a', 'in undefined']);
    expect(await titles('?project=a&projectOnly=true')).toEqual(['in a']);
    expect(await titles('')).toHaveLength(3);
  });

  test.each(['memories', 'conversations', 'episodes'])(
    'of %s refuse projectOnly without project',
    async (collection) => {
      const answer = await caller.call(`/v1/${collection}?projectOnly=true`);
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: 'projectOnly' }] } });
      expect((await caller.call(`/v1/${collection}?projectOnly=true&project=a`)).status).toBe(200);
    },
  );

  test('reject the cursor of another project', async () => {
    await caller.addAll(['one', 'two', 'three'].map((content) => ({ content, project: 'a' })));
    const { nextCursor } = (await caller.call<{ nextCursor: string }>('/v1/memories?limit=1&project=a')).body;
    expect((await caller.call(`/v1/memories?limit=1&project=b&cursor=${nextCursor}`)).status).toBe(400);
    expect((await caller.call(`/v1/memories?project=a&projectOnly=true&cursor=${nextCursor}`)).status).toBe(400);
    expect((await caller.call(`/v1/memories?limit=1&project=a&cursor=${nextCursor}`)).status).toBe(200);
  });
});

describe('search', () => {
  /** A memory, a conversation with a message, and an episode about the heron in each project and in none. */
  async function fill(): Promise<void> {
    for (const project of [undefined, 'a', 'b']) {
      const where = project ?? 'none';
      await caller.add(`The heron memory of ${where}`, { project });
      const { id } = await conversing(caller).begin({ project });
      await conversing(caller).append(id, messages(`The heron message of ${where}`));
      await conversing(caller).episode({ title: `The heron episode of ${where}`, project, ...SPAN });
    }
  }
  const found = async (more: object): Promise<SearchResult[]> =>
    (await caller.search('heron', { limit: 100, ...more })).body.results;

  test('shows the items of a project and those of none, or the project alone; messages by their conversation', async () => {
    await fill();
    const projects = async (more: object) =>
      (await found(more)).map(({ type, project }) => `${type} ${project}`).sort();
    const of = (project: string | null) => ['episode', 'memory', 'message'].map((type) => `${type} ${project}`);
    expect(await projects({ project: 'a' })).toEqual([...of('a'), ...of(null)].sort());
    expect(await projects({ project: 'a', projectOnly: true })).toEqual(of('a'));
    expect(await projects({ project: 'c', projectOnly: true })).toEqual([]);
    expect(await projects({})).toHaveLength(9);
  });

  test('finds the item of a project among hundreds of better matches in another', async () => {
    const other = (index: number) => ({ content: `heron heron heron ${index}`, project: 'b' });
    await caller.addAll(Array.from({ length: 300 }, (_, index) => other(index)));
    await caller.add('Somewhere in a long text about the river there is a single heron', { project: 'a' });
    const contents = (await found({ project: 'a', limit: 1 })).map(({ content }) => content);
    expect(contents).toEqual(['Somewhere in a long text about the river there is a single heron']);
  });

  test('with asOf uses the project of the version that was valid then', async () => {
    const { id } = await caller.add('The heron nests in the reeds', { project: 'a' });
    const before = new Date(daemon.clock.nowMs()).toISOString();
    daemon.clock.advance(1000);
    await caller.change(id, { project: 'b' });
    expect(await found({ project: 'a', asOf: before })).toHaveLength(1);
    expect(await found({ project: 'b', asOf: before })).toEqual([]);
    expect(await found({ project: 'b' })).toHaveLength(1);
  });

  test('refuses projectOnly without project, and so does a context', async () => {
    for (const path of ['/v1/search', '/v1/context']) {
      const answer = await caller.call(path, { body: { query: 'heron', projectOnly: true } });
      expect(answer).toMatchObject({ status: 400, body: { errors: [{ path: '/projectOnly' }] } });
    }
  });

  test('does not show a project of another user', async () => {
    await caller.add('The heron of Ada', { project: 'a', user: 'ada' });
    expect(await found({ project: 'a' })).toEqual([]);
    expect(await found({ project: 'a', user: 'ada' })).toHaveLength(1);
  });

  test('a context cites the items of the project and of none', async () => {
    await fill();
    const context = async (more: object) =>
      (await caller.call<ContextAnswer>('/v1/context', { body: { query: 'heron', ...more } })).body.text;
    const text = await context({ project: 'a' });
    expect(text).toContain('of a');
    expect(text).toContain('of none');
    expect(text).not.toContain('of b');
    expect(await context({ project: 'a', projectOnly: true })).not.toContain('of none');
  });
});

describe('the project of a conversation', () => {
  test('passes to the episodes cut from it and written about it, and follows when it moves', async () => {
    const { begin, append, cut, episode, readEpisode } = conversing(caller);
    const { id } = await begin({ project: 'a' });
    await append(id, messages('We upgrade Node today.', 'The build is green.'));
    const [made] = await cut(id);
    const written = await episode({ title: 'Upgrade', conversationId: id, ...SPAN });
    const elsewhere = await episode({ title: 'Aside', conversationId: id, project: 'c', ...SPAN });
    expect([made!.project, written.project, elsewhere.project]).toEqual(['a', 'a', 'c']);
    const moved = await caller.call(`/v1/conversations/${id}`, { method: 'PATCH', body: { project: 'b' } });
    expect(moved.body).toMatchObject({ project: 'b' });
    expect(await readEpisode(made!.id)).toMatchObject({ project: 'b', version: made!.version + 1 });
    expect((await readEpisode(written.id)).project).toBe('a');
    await caller.call(`/v1/conversations/${id}`, { method: 'PATCH', body: { project: null } });
    expect((await readEpisode(made!.id)).project).toBeNull();
  });

  test('moves no cut that has another project by then', async () => {
    const { begin, append, cut, readEpisode } = conversing(caller);
    const { id } = await begin({ project: 'a' });
    await append(id, messages('We upgrade Node today.'));
    const [made] = await cut(id);
    await caller.call(`/v1/episodes/${made!.id}`, { method: 'PATCH', body: { project: 'own' } });
    await caller.call(`/v1/conversations/${id}`, { method: 'PATCH', body: { project: 'b' } });
    expect((await readEpisode(made!.id)).project).toBe('own');
  });
});

test('assistants store, list, search and recall by project', async () => {
  const client = new Client({ name: 'test', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${caller.apiKey}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${daemon.baseUrl}/v1/mcp`), { requestInit }));
  const textOf = async (name: string, args: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: args });
    return (content as { text: string }[])[0]!.text;
  };
  for (const project of ['a', 'b']) await textOf('memory_add', { content: `The heron of ${project}`, project });
  const said = { project: 'b', messages: messages('A heron was seen') };
  const conversationId = /conv_\w+/.exec(await textOf('conversation_append', said))![0];
  expect((await conversing(caller).read(conversationId)).project).toBe('b');
  expect(await textOf('conversation_append', { conversationId, ...said })).toContain('Stored 1 message');
  expect(await textOf('conversation_append', { conversationId, ...said, project: 'a' })).toContain(
    'project of an existing',
  );
  for (const [tool, args] of [
    ['memory_list', {}],
    ['memory_search', { query: 'heron' }],
    ['memory_context', { query: 'heron' }],
  ] as const) {
    const text = await textOf(tool, { ...args, project: 'a' });
    expect(text, tool).toContain('The heron of a');
    expect(text, tool).not.toMatch(/of b|was seen/);
  }
  expect(await textOf('memory_list', { project: 'a' })).toContain('project a');
  const recalled = await client.getPrompt({ name: 'recall', arguments: { about: 'heron', project: 'a' } });
  expect(JSON.stringify(recalled)).not.toContain('of b');
  await client.close();
});

test('svc add, edit, list and search take --project', async () => {
  const person = await createCliUser(daemon.baseUrl, caller.apiKey, daemon.clock);
  const id = (await person.run(['add', 'The heron of a', '--project', 'a'])).out.trim();
  await person.run(['add', 'The heron of b', '--project', 'b']);
  expect((await person.run(['list', '--project', 'a'])).out).toMatch(/^mem_\S+\t.*The heron of a\n$/);
  expect((await person.run(['search', 'heron', '--project', 'a'])).out).toMatch(/^mem_\S+\t.*The heron of a\n$/);
  expect((await person.run(['list', '--project', 'a'], { tty: true })).out).toContain('project a');
  expect((await person.run(['show', id])).out).toMatch(/^project +a$/m);
  await person.run(['edit', id, '--project', 'b']);
  expect((await caller.call<Memory>(`/v1/memories/${id}`)).body.project).toBe('b');
  await person.run(['edit', id, '--no-project']);
  expect((await caller.call<Memory>(`/v1/memories/${id}`)).body.project).toBeNull();
  await person.close();
});
