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
