import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Message } from '../../../src/contract/conversations.ts';
import type { Memory } from '../../../src/contract/memories.ts';
import type { Space } from '../../../src/contract/spaces.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { addMember, inSpace, newPerson, newSpace, type Person } from './space-callers.ts';

let daemon: MemoryDaemon;
let ada: Person;
let lin: Person;
let space: Space;
let asAda: Caller;
let asLin: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  ada = await newPerson(daemon);
  lin = await newPerson(daemon);
  space = await newSpace(ada);
  await addMember(ada, space, lin, 'writer');
  asAda = inSpace(daemon, ada, space.id);
  asLin = inSpace(daemon, lin, space.id);
});

describe('the author of a message', () => {
  const patch = (caller: Caller, path: string, body: object) => caller.call<Message>(path, { method: 'PATCH', body });

  async function appended(content: unknown): Promise<string> {
    const { body } = await asAda.call<{ id: string }>('/v1/conversations', { body: { title: 'Plans' } });
    const path = `/v1/conversations/${body.id}/messages`;
    const messages = { messages: [{ role: 'user', content }] };
    const said = await asAda.call<{ data: Message[] }>(path, { body: messages });
    return `${path}/${said.body.data[0]!.id}`;
  }

  test('is who changed its text last', async () => {
    const path = await appended('We deploy on Mondays');
    expect((await patch(asLin, path, { content: 'We deploy on Fridays' })).body.author).toBe(lin.email);
    expect((await asAda.call<Message>(path)).body).toMatchObject({
      content: 'We deploy on Fridays',
      author: lin.email,
    });
  });

  test('is who changed its parts last, also where they have the same text', async () => {
    const path = await appended([{ type: 'text', text: 'We deploy on Mondays' }]);
    const parts = [
      { type: 'text', text: 'We deploy on Mondays' },
      { type: 'image_url', url: 'https://example.com/a.png' },
    ];
    const changed = await patch(asLin, path, { content: parts });
    expect([changed.status, changed.body.author], changed.text).toEqual([200, lin.email]);
  });

  test('stays where another member changes what is not its text, or writes the same text', async () => {
    const path = await appended('We deploy on Mondays');
    for (const body of [{ metadata: { seen: true } }, { content: 'We deploy on Mondays', metadata: {} }]) {
      expect((await patch(asLin, path, body)).body.author).toBe(ada.email);
    }
  });
});

describe('the author of a memory', () => {
  test('stays when another member tags, pins, moves or bulk-updates it, or stores the same text again', async () => {
    const { id } = await asAda.add('Deploys happen on Monday');
    const authorOf = async () => (await asLin.call<Memory>(`/v1/memories/${id}`)).body.author;
    for (const change of [{ tags: ['ops'] }, { pinned: true }, { project: 'heron' }, { metadata: { seen: true } }]) {
      expect((await asLin.change(id, change)).body.author, JSON.stringify(change)).toBe(ada.email);
    }
    await asLin.change(id, { content: 'Deploys happen on Monday', tags: ['ops', 'same'] });
    const bulk = { ids: [id], change: { addTags: ['bulk'] } };
    expect((await asLin.call('/v1/memories/update', { body: bulk })).status).toBe(200);
    await asLin.add('Deploys happen on Monday', { tags: ['again'] });
    expect(await authorOf()).toBe(ada.email);
    const { body } = await asLin.call<{ data: Memory[] }>(`/v1/memories/${id}/history`);
    expect(new Set(body.data.map(({ author }) => author))).toEqual(new Set([ada.email]));
    await asLin.change(id, { content: 'Deploys happen on Tuesday' });
    expect(await authorOf()).toBe(lin.email);
  });

  test('stays when another member puts the same text by its external id, and changes with the text', async () => {
    const path = '/v1/memories/external/plan';
    const put = async (caller: Caller, body: object) => (await caller.call<Memory>(path, { method: 'PUT', body })).body;
    await put(asAda, { content: 'Deploys happen on Monday' });
    expect(await put(asLin, { content: 'Deploys happen on Monday', tags: ['ops'] })).toMatchObject({
      tags: ['ops'],
      author: ada.email,
    });
    expect((await put(asLin, { content: 'Deploys happen on Tuesday' })).author).toBe(lin.email);
  });
});

describe('the author of what is taken from messages and suggestions', () => {
  const said = 'The staging server is called heron';

  async function messageOf(caller: Caller, content: string): Promise<string> {
    const { body } = await caller.call<{ id: string }>('/v1/conversations', { body: { title: 'Plans' } });
    const path = `/v1/conversations/${body.id}/messages`;
    const messages = { messages: [{ role: 'user', content }] };
    return (await caller.call<{ data: Message[] }>(path, { body: messages })).body.data[0]!.id;
  }

  async function suggest(suggestion: object): Promise<string> {
    const body = { suggestions: [{ reason: 'It was said', ...suggestion }] };
    const { status, body: added, text } = await asAda.call<{ data: { id: string }[] }>('/v1/suggestions', { body });
    expect(status, text).toBe(201);
    return added.data[0]!.id;
  }

  async function accept(id: string, acceptance: object = {}) {
    const { status, text } = await asAda.call(`/v1/suggestions/${id}/accept`, { body: acceptance });
    expect(status, text).toBe(200);
  }

  const all = async () => (await asAda.call<{ data: Memory[] }>('/v1/memories')).body.data;
  const authorOf = async (content: string) => (await all()).find((memory) => memory.content === content)?.author;

  test('is whose message is the evidence, and not who accepts', async () => {
    const evidence = [{ id: await messageOf(asLin, said), text: said }];
    await accept(await suggest({ kind: 'add', content: said, evidence }));
    expect(await authorOf(said)).toBe(lin.email);
  });

  test('is who accepts, where that member edits the text or several members are the evidence', async () => {
    const evidence = [{ id: await messageOf(asLin, said), text: said }];
    await accept(await suggest({ kind: 'add', content: said, evidence }), { content: 'Staging is heron' });
    expect(await authorOf('Staging is heron')).toBe(ada.email);
    const both = [...evidence, { id: await messageOf(asAda, said), text: said }];
    await accept(await suggest({ kind: 'add', content: 'Heron is the staging server', evidence: both }));
    expect(await authorOf('Heron is the staging server')).toBe(ada.email);
  });

  test('is who accepts, where nobody else wrote the text', async () => {
    const evidence = [{ id: await messageOf(asLin, 'I do not approve the transfer'), text: 'approve the transfer' }];
    await accept(await suggest({ kind: 'add', content: 'I approve the transfer', evidence }));
    expect(await authorOf('I approve the transfer')).toBe(ada.email);
  });

  test('is the author of the memory that is split', async () => {
    const { id } = await asLin.add('The server is called heron. It runs Debian');
    const content = 'The server is called heron\nIt runs Debian';
    await accept(await suggest({ kind: 'split', memoryIds: [id], content }));
    const authors = (await all()).map((memory) => memory.author);
    expect(authors).toEqual([lin.email, lin.email]);
  });

  test('is whose messages a model extracted it from, and not who had it extract', async () => {
    await messageOf(asLin, said);
    const call = async (name: string, args: object) => {
      const { body } = await asAda.call('/v1/mcp?tools=extract', {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
        headers: { accept: 'application/json, text/event-stream' },
      });
      return (body.result as { content: { text: string }[] }).content[0]!.text;
    };
    const portion = /This is portion (\S+)/.exec(await call('messages_list', {}))![1];
    await call('memories_store', { portion, memories: [{ content: said, messages: [1], decision: 'add' }] });
    expect(await authorOf(said)).toBe(lin.email);
  });
});
