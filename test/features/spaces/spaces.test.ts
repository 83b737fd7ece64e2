import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ActivityEntry } from '../../../src/contract/activity.ts';
import type { Message } from '../../../src/contract/conversations.ts';
import type { Memory } from '../../../src/contract/memories.ts';
import type { Space, SpaceLogEntry, SpaceMember } from '../../../src/contract/spaces.ts';
import { mailsAfterAll } from '../../helpers/sign-in.ts';
import { traces } from '../../helpers/tables.ts';
import { SAME_ORIGIN } from '../connections/browser.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { portable } from '../portability/portable-account.ts';
import { addMember, inSpace, invite, newPerson, newSpace, type Person } from './space-callers.ts';

let daemon: MemoryDaemon;
let ada: Person;
let lin: Person;
let space: Space;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  ada = await newPerson(daemon);
  lin = await newPerson(daemon);
  space = await newSpace(ada);
});

const membersOf = async (caller: Caller) =>
  (await caller.call<{ data: SpaceMember[] }>(`/v1/spaces/${space.id}/members`)).body.data;
const logOf = async (caller: Caller) =>
  (await caller.call<{ data: SpaceLogEntry[] }>(`/v1/spaces/${space.id}/log`)).body.data;
const leave = (caller: Caller) => caller.call(`/v1/spaces/${space.id}/leave`, { method: 'POST' });
const join = (caller: Caller) => caller.call(`/v1/spaces/${space.id}/join`, { method: 'POST' });

describe('a space', () => {
  test('holds memories that all members find, each with the address of who wrote it, and no one else', async () => {
    await addMember(ada, space, lin, 'writer');
    const added = await inSpace(daemon, lin, 'team').add('The build runs on Node 24');
    expect(added.author).toBe(lin.email);
    expect(await inSpace(daemon, ada, space.id).find('which Node does the build run on')).toEqual([
      'The build runs on Node 24',
    ]);
    expect(await ada.find('which Node does the build run on')).toEqual([]);
    expect(await lin.list()).toEqual([]);
    const stranger = await newPerson(daemon);
    const refused = await inSpace(daemon, stranger, space.id).search('Node');
    expect(refused).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  test('names who changed a memory, appended a message and asked, and keeps that when the member leaves', async () => {
    await addMember(ada, space, lin, 'writer');
    const [asAda, asLin] = [inSpace(daemon, ada, space.id), inSpace(daemon, lin, space.id)];
    const { id } = await asAda.add('Deploys happen on Monday');
    await asLin.change(id, { content: 'Deploys happen on Tuesday' });
    const conversation = await asLin.call<{ id: string }>('/v1/conversations', { body: { title: 'Plans' } });
    const messages = { messages: [{ role: 'user', content: 'We deploy on Tuesdays now' }] };
    const path = `/v1/conversations/${conversation.body.id}/messages`;
    await asLin.call(path, { body: messages });
    expect((await leave(lin)).status).toBe(204);
    const { body } = await asAda.call<{ data: Memory[] }>(`/v1/memories/${id}/history`);
    expect(body.data.map(({ author }) => author)).toEqual([lin.email, ada.email]);
    const said = await asAda.call<{ data: Message[] }>(path);
    expect(said.body.data.map(({ author }) => author)).toEqual([lin.email]);
    await daemon.activity.flush();
    const activity = await asAda.call<{ data: ActivityEntry[] }>('/v1/activity');
    expect(new Set(activity.body.data.map(({ author }) => author))).toEqual(new Set([lin.email, ada.email]));
  });

  test('keeps the author of a memory when another member accepts a change of it and undoes that', async () => {
    await addMember(ada, space, lin, 'writer');
    const [asAda, asLin] = [inSpace(daemon, ada, space.id), inSpace(daemon, lin, space.id)];
    const memories = await asLin.addAll([{ content: 'We deploy on Monday' }, { content: 'Deploys are on Monday' }]);
    const memoryIds = memories.map(({ id }) => id);
    const merge = { kind: 'merge', memoryIds, content: 'Deploys happen on Monday', reason: 'They say the same' };
    const made = await asAda.call<{ data: { id: string }[] }>('/v1/suggestions', { body: { suggestions: [merge] } });
    const decide = (decision: string) =>
      asAda.call(`/v1/suggestions/${made.body.data[0]!.id}/${decision}`, { method: 'POST' });
    expect((await decide('accept')).status).toBe(200);
    expect((await asLin.read(memoryIds[0]!)).body).toMatchObject({ content: merge.content, author: ada.email });
    expect((await decide('undo')).status).toBe(200);
    const restored = await Promise.all(memoryIds.map(async (id) => (await asAda.read(id)).body));
    expect(restored.map(({ content, author }) => ({ content, author }))).toEqual(
      memories.map(({ content }) => ({ content, author: lin.email })),
    );
  });

  test('is exported with the authors, and an import of that names who imports', async () => {
    await addMember(ada, space, lin, 'writer');
    const [asAda, asLin] = [inSpace(daemon, ada, space.id), inSpace(daemon, lin, space.id)];
    const { id } = await asLin.add('Deploys happen on Monday');
    await asAda.change(id, { content: 'Deploys happen on Tuesday' });
    const conversation = await asLin.call<{ id: string }>('/v1/conversations', { body: { title: 'Plans' } });
    const messages = [{ role: 'user', content: 'We deploy on Tuesdays now' }];
    await asLin.call(`/v1/conversations/${conversation.body.id}/messages`, { body: { messages } });
    const lines = (await portable(asAda).lines()).map((line) => JSON.parse(line) as Record<string, unknown>);
    const written = lines.flatMap(({ type, author }) => (author === undefined ? [] : [[type, author]]));
    expect(written).toEqual([
      ['memory', lin.email],
      ['memory', ada.email],
      ['message', lin.email],
    ]);
    const file = await portable(asAda).text();
    const other = inSpace(daemon, ada, (await newSpace(ada, 'copy')).id);
    expect(await portable(other).importFile(file)).toMatchObject({ added: { memories: 1, messages: 1 }, reasons: [] });
    const history = (await other.history(id)).body.data;
    expect(history.map(({ author }) => author)).toEqual([ada.email, ada.email]);
    expect(await portable(lin).importFile(file)).toMatchObject({ added: { memories: 1, messages: 1 }, reasons: [] });
    expect((await lin.read(id)).body.author).toBeNull();
    expect((await portable(lin).lines()).join('')).not.toContain('"author"');
  });

  test('changes or removes no member who changed since the ETag was read', async () => {
    const path = `/v1/spaces/${space.id}/members`;
    const invited = await ada.call<SpaceMember>(path, { body: { email: lin.email, role: 'reader' } });
    const [stale, member] = [invited.headers.get('etag')!, `${path}/${invited.body.id}`];
    expect((await join(lin)).status).toBe(200);
    const change = { method: 'PATCH', body: { role: 'writer' } };
    for (const request of [change, { method: 'DELETE' }]) {
      const refused = await ada.call(member, { ...request, headers: { 'if-match': stale } });
      expect([refused.status, refused.body.code]).toEqual([412, 'precondition_failed']);
    }
    expect((await membersOf(ada)).find(({ email }) => email === lin.email)!.role).toBe('reader');
    const current = (await ada.call(member, change)).headers.get('etag')!;
    const removed = await ada.call(member, { method: 'DELETE', headers: { 'if-match': current } });
    expect(removed.status).toBe(204);
  });

  test('refuses a reader who writes and a writer who manages, by their roles', async () => {
    await addMember(ada, space, lin, 'reader');
    const asLin = inSpace(daemon, lin, space.id);
    const refused = await asLin.call('/v1/memories', { body: { content: 'Tea' } });
    expect(refused).toMatchObject({ status: 403, body: { code: 'forbidden', role: 'reader' } });
    expect(refused.text).toContain('You are reader of the space');
    const { id } = (await membersOf(ada)).find(({ email }) => email === lin.email)!;
    await ada.call(`/v1/spaces/${space.id}/members/${id}`, { method: 'PATCH', body: { role: 'writer' } });
    expect((await asLin.call('/v1/memories', { body: { content: 'Tea' } })).status).toBe(201);
    expect((await asLin.call('/v1/webhooks')).status).toBe(403);
    expect((await inSpace(daemon, ada, space.id).call('/v1/webhooks')).status).toBe(200);
  });

  test('is named by its id or its name, and by its id only where two have the name', async () => {
    expect((await inSpace(daemon, ada, 'team').call('/v1/account')).body.tenantId).toBe(space.id);
    await newSpace(ada, 'team');
    const refused = await inSpace(daemon, ada, 'team').call('/v1/account');
    expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await inSpace(daemon, ada, space.id).call('/v1/account')).body.tenantId).toBe(space.id);
    expect((await inSpace(daemon, ada, 'default').call('/v1/account')).body.tenantId).toBe(ada.tenantId);
    const named = await newSpace(ada, 'Büro 東京');
    expect((await inSpace(daemon, ada, encodeURIComponent('Büro 東京')).call('/v1/account')).body.tenantId).toBe(
      named.id,
    );
  });

  test('is not found by names that no space can have, in the header and in the address of MCP', async () => {
    for (const name of ['%00', 'team%00', '%', '%c3%28', '%ed%a0%80', '__proto__', "' OR 1=1 --"]) {
      const named = await inSpace(daemon, ada, name).call('/v1/account');
      // PostgreSQL stores no NUL, and refuses a query for it.
      expect([400, 404], name).toContain(named.status);
      const at = `/v1/mcp?space=${name}`;
      const asked = await ada.call(at, { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } });
      expect([400, 404], at).toContain(asked.status);
    }
    const path = `/v1/spaces/${space.id}/members/%00`;
    expect((await ada.call(path, { method: 'DELETE' })).status).toBeLessThan(500);
  });

  test('makes nobody of a caller where the lookup of the membership fails', async () => {
    vi.spyOn(daemon.memberships, 'enter').mockRejectedValueOnce(new Error('the lookup failed'));
    const { status, body } = await inSpace(daemon, ada, space.id).call('/v1/memories');
    expect({ status, body }).toMatchObject({ status: 500, body: { code: 'internal' } });
  });

  test('counts its own quotas and the rate limit of each member', async () => {
    await addMember(ada, space, lin, 'writer');
    await inSpace(daemon, lin, space.id).add('Counted in the space');
    const own = await lin.call<{ quotas: { dailyMemories: { used: number } } }>('/v1/account');
    const shared = await inSpace(daemon, ada, space.id).call<{ quotas: { dailyMemories: { used: number } } }>(
      '/v1/account',
    );
    expect([own.body.quotas.dailyMemories.used, shared.body.quotas.dailyMemories.used]).toEqual([0, 1]);
    for (const { tenantId } of [ada, lin]) await daemon.accounts.setTier(tenantId, 'Free');
    const left = async (caller: Caller) =>
      Number((await caller.call('/v1/account')).headers.get('x-ratelimit-remaining'));
    for (let count = 0; count < 60; count += 1) await left(inSpace(daemon, lin, space.id));
    expect(await left(inSpace(daemon, ada, space.id))).toBeGreaterThan((await left(lin)) + 20);
  });

  test('takes copies of own memories, with the original in the metadata', async () => {
    const mine = await ada.add('The staging server is called heron', { tags: ['ops'], metadata: { level: 2 } });
    const path = `/v1/spaces/${space.id}/copies`;
    const copied = await ada.call<{ data: Memory[]; notFound: string[] }>(path, {
      body: { memoryIds: [mine.id, 'mem_unknown'] },
    });
    expect(copied.status, copied.text).toBe(201);
    expect(copied.body.notFound).toEqual(['mem_unknown']);
    expect(copied.body.data).toMatchObject([
      { content: mine.content, tags: ['ops'], metadata: { level: 2, copiedFrom: mine.id }, author: ada.email },
    ]);
    expect(await ada.list()).toEqual([mine.content]);
    await addMember(ada, space, lin, 'reader');
    expect((await lin.call(path, { body: { memoryIds: [(await lin.add('Tea')).id] } })).status).toBe(403);
  });

  test('is erased by an owner with everything in it, for all members at once', async () => {
    await addMember(ada, space, lin, 'writer');
    await inSpace(daemon, lin, space.id).add('Gone with the space');
    expect((await lin.call(`/v1/spaces/${space.id}`, { method: 'DELETE' })).status).toBe(403);
    expect((await ada.call(`/v1/spaces/${space.id}`, { method: 'DELETE' })).status).toBe(204);
    for (const caller of [ada, lin]) {
      expect((await inSpace(daemon, caller, space.id).search('gone')).status).toBe(404);
      expect((await caller.call<{ data: Space[] }>('/v1/spaces')).body.data).toEqual([]);
    }
    for (const table of ['memories', 'spaces', 'spaceMembers', 'spaceLog', 'tenants', 'usageDays']) {
      const row = await daemon.db.readers.get(`SELECT tenantId FROM ${table} WHERE tenantId = ?`, [space.id]);
      expect([table, row]).toEqual([table, undefined]);
    }
  });
});

describe('an invitation', () => {
  test('is mailed with the space and who invites, and only the account of its address can accept it, once', async () => {
    const stranger = await newPerson(daemon);
    await invite(ada, space, lin.email.toUpperCase(), 'writer');
    const mail = await daemon.mailbox.waitForMail(lin.email);
    expect(mail.text).toContain('“team”');
    expect(mail.text).toContain(ada.email);
    expect(mail.text).toContain('/dashboard/spaces');
    expect((await join(stranger)).status).toBe(404);
    const listed = await lin.call<{ data: Space[] }>('/v1/spaces');
    expect(listed.body.data).toMatchObject([
      { id: space.id, state: 'invited', role: 'writer', invitedBy: ada.email, members: null, storedBytes: null },
    ]);
    expect((await inSpace(daemon, lin, space.id).search('tea')).status).toBe(404);
    expect((await lin.call(`/v1/spaces/${space.id}/members`)).status).toBe(404);
    expect((await join(lin)).body).toMatchObject({ state: 'joined', role: 'writer', members: 2 });
    expect((await join(lin)).status).toBe(200);
    expect(
      (await ada.call(`/v1/spaces/${space.id}/members`, { body: { email: lin.email, role: 'owner' } })).status,
    ).toBe(409);
  });

  test('gives the role that it has when it is accepted, and nothing once it is withdrawn or has ended', async () => {
    const { id } = await invite(ada, space, lin.email, 'owner');
    await ada.call(`/v1/spaces/${space.id}/members/${id}`, { method: 'PATCH', body: { role: 'reader' } });
    expect((await join(lin)).body).toMatchObject({ role: 'reader' });
    const second = await newPerson(daemon);
    const withdrawn = await invite(ada, space, second.email, 'writer');
    await ada.call(`/v1/spaces/${space.id}/members/${withdrawn.id}`, { method: 'DELETE' });
    expect((await join(second)).status).toBe(404);
    await invite(ada, space, second.email, 'writer');
    daemon.clock.advance(8 * 24 * 3_600_000);
    expect((await join(second)).status).toBe(410);
    expect((await second.call<{ data: Space[] }>('/v1/spaces')).body.data).toEqual([]);
  });

  test.each([
    ['is removed', (at: string) => ada.call(at, { method: 'DELETE' })],
    ['gets another role', (at: string) => ada.call(at, { method: 'PATCH', body: { role: 'writer' } })],
    ['leaves', () => leave(lin)],
    ['erases the account', () => lin.call('/v1/account', { method: 'DELETE' })],
  ])('ends with the role of the owner who sent it: when that owner %s', async (_, end) => {
    const { id } = await addMember(ada, space, lin, 'owner');
    const [guest, second] = [await newPerson(daemon), await newPerson(daemon)];
    await invite(lin, space, guest.email, 'owner');
    await invite(ada, space, second.email, 'reader');
    expect((await end(`/v1/spaces/${space.id}/members/${id}`)).status).toBeLessThan(300);
    expect((await join(guest)).status).toBe(404);
    expect((await guest.call<{ data: Space[] }>('/v1/spaces')).body.data).toEqual([]);
    expect((await membersOf(ada)).map(({ email }) => email)).not.toContain(guest.email);
    const removed = (await logOf(ada)).find(({ subject, action }) => subject === guest.email && action === 'removed');
    expect(removed?.detail).toBe('owner');
    expect((await join(second)).status).toBe(200);
  });

  test('can be declined, and is bounded by the hour', async () => {
    await invite(ada, space, lin.email, 'writer');
    expect((await leave(lin)).status).toBe(204);
    expect((await join(lin)).status).toBe(404);
    for (let count = 1; count < 30; count += 1) await invite(ada, space, `guest-${count}@example.com`, 'reader');
    const body = { email: 'one-more@example.com', role: 'reader' };
    expect(await ada.call(`/v1/spaces/${space.id}/members`, { body })).toMatchObject({
      status: 429,
      body: { code: 'rate_limited' },
    });
  });

  test('is mailed to an address five times a day at most, however often it is withdrawn or the space erased', async () => {
    for (let count = 0; count < 8; count += 1) {
      const one = count % 2 === 0 ? space : await newSpace(ada, `space ${count}`);
      const { id } = await invite(ada, one, lin.email, 'reader');
      const path = one === space ? `/v1/spaces/${one.id}/members/${id}` : `/v1/spaces/${one.id}`;
      expect((await ada.call(path, { method: 'DELETE' })).status).toBe(204);
    }
    expect(await mailsAfterAll(daemon, lin.email)).toBe(5);
  });

  test('counts for who invites over all spaces, those that were erased included', async () => {
    for (const name of ['one', 'two', 'three']) {
      const other = await newSpace(ada, name);
      for (let count = 0; count < 10; count += 1) await invite(ada, other, `${name}-${count}@example.com`, 'reader');
      await ada.call(`/v1/spaces/${other.id}`, { method: 'DELETE' });
    }
    const body = { email: lin.email, role: 'reader' };
    expect((await ada.call(`/v1/spaces/${space.id}/members`, { body })).status).toBe(429);
  });

  test('is refused to addresses that are none, and to names that could be taken for ids', async () => {
    const members = `/v1/spaces/${space.id}/members`;
    expect((await ada.call(members, { body: { email: 'not an address', role: 'reader' } })).status).toBe(400);
    expect((await ada.call(members, { body: { email: lin.email, role: 'god' } })).status).toBe(400);
    for (const name of ['default', `ten_${'0'.repeat(32)}`, '', ' padded', 'x'.repeat(65), 'a\u0000b']) {
      expect((await ada.call('/v1/spaces', { body: { name } })).status, name).toBe(400);
    }
  });
});

describe('the owners of a space', () => {
  test('are at least one: the last can neither leave, nor be removed, nor get another role', async () => {
    await addMember(ada, space, lin, 'writer');
    const own = (await membersOf(ada)).find(({ email }) => email === ada.email)!;
    const at = `/v1/spaces/${space.id}/members/${own.id}`;
    expect((await leave(ada)).status).toBe(409);
    expect((await ada.call(at, { method: 'DELETE' })).status).toBe(409);
    expect((await ada.call(at, { method: 'PATCH', body: { role: 'writer' } })).status).toBe(409);
    expect((await ada.call('/v1/account', { method: 'DELETE' })).status).toBe(409);
  });

  test('stay one when two demote each other at once', async () => {
    await addMember(ada, space, lin, 'owner');
    const members = await membersOf(ada);
    const demote = (caller: Person, other: Person) => {
      const { id } = members.find(({ email }) => email === other.email)!;
      return caller.call(`/v1/spaces/${space.id}/members/${id}`, { method: 'PATCH', body: { role: 'reader' } });
    };
    const answers = await Promise.all([demote(ada, lin), demote(lin, ada)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    const roles = (await membersOf(ada)).map(({ role }) => role).sort();
    expect(roles).toEqual(['owner', 'reader']);
  });

  test('read in the log who invited, joined, changed roles, copied, exported and left', async () => {
    const { id } = await addMember(ada, space, lin, 'reader');
    await ada.call(`/v1/spaces/${space.id}/members/${id}`, { method: 'PATCH', body: { role: 'writer' } });
    await inSpace(daemon, lin, space.id).call('/v1/export');
    await leave(lin);
    expect((await lin.call(`/v1/spaces/${space.id}/log`)).status).toBe(404);
    const log = await logOf(ada);
    expect(log.map(({ actor, action, subject, detail }) => [actor, action, subject, detail])).toEqual([
      [lin.email, 'left', null, null],
      [lin.email, 'exported', null, null],
      [ada.email, 'changedRole', lin.email, 'writer'],
      [lin.email, 'joined', null, 'reader'],
      [ada.email, 'invited', lin.email, 'reader'],
      [ada.email, 'created', null, 'team'],
    ]);
  });
});

test('a member with as many event streams as an account may have keeps no other member of the space out', async () => {
  await addMember(ada, space, lin, 'reader');
  const abort = new AbortController();
  const open = async ({ apiKey }: Person) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'x-svc-space': space.id };
    return (await fetch(`${daemon.baseUrl}/v1/events`, { headers, signal: abort.signal })).status;
  };
  const opened = await Promise.all(Array.from({ length: 10 }, () => open(lin)));
  expect(new Set(opened)).toEqual(new Set([200]));
  expect([await open(lin), await open(ada)]).toEqual([429, 200]);
  abort.abort();
});

describe('a member whose access ends', () => {
  test('loses access with the next request, and open event streams end', async () => {
    const { id } = await addMember(ada, space, lin, 'writer');
    const response = await fetch(`${daemon.baseUrl}/v1/events`, {
      headers: { authorization: `Bearer ${lin.apiKey}`, 'x-svc-space': space.id },
    });
    const reader = response.body!.getReader();
    await reader.read();
    expect((await ada.call(`/v1/spaces/${space.id}/members/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(
      await inSpace(daemon, lin, space.id)
        .list()
        .catch(() => 'refused'),
    ).toBe('refused');
    daemon.clock.advance(4000);
    let isDone = false;
    while (!isDone) isDone = (await reader.read()).done;
    expect(isDone).toBe(true);
    expect((await lin.call('/v1/account')).status).toBe(200);
  });

  test.each([
    ['is removed', (id: string) => ada.call(`/v1/spaces/${space.id}/members/${id}`, { method: 'DELETE' })],
    ['leaves', () => leave(lin)],
    ['revokes the key', () => lin.call('/v1/auth/key', { method: 'DELETE' })],
  ])('gets no event of what changes in the space after the member %s', async (_, end) => {
    const { id } = await addMember(ada, space, lin, 'writer');
    const response = await fetch(`${daemon.baseUrl}/v1/events`, {
      headers: { authorization: `Bearer ${lin.apiKey}`, 'x-svc-space': space.id },
    });
    const chunks = response.body!.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    await chunks.next();
    const before = await inSpace(daemon, ada, space.id).add('The team drinks oolong');
    expect((await chunks.next()).value).toContain(before.id);
    expect((await end(id)).status).toBe(204);
    const after = await inSpace(daemon, ada, space.id).add('The door code is 4711');
    let text = '';
    for (let chunk = await chunks.next(); !chunk.done; chunk = await chunks.next()) text += chunk.value;
    expect(text).not.toContain(after.id);
  });
});

describe('an account that is erased', () => {
  test('leaves its spaces: what it wrote stays without its address, and what only it was in is erased', async () => {
    const alone = await newSpace(lin, 'alone');
    await inSpace(daemon, lin, alone.id).add('Nobody else reads this');
    await addMember(ada, space, lin, 'writer');
    await inSpace(daemon, lin, space.id).add('The team drinks oolong');
    expect((await lin.call('/v1/account', { method: 'DELETE' })).status).toBe(204);
    const { body } = await inSpace(daemon, ada, space.id).call<{ data: Memory[] }>('/v1/memories');
    expect(body.data.map(({ content, author }) => [content, author])).toEqual([
      ['The team drinks oolong', 'a former member'],
    ]);
    expect((await membersOf(ada)).map(({ email }) => email)).toEqual([ada.email]);
    expect(JSON.stringify(await logOf(ada))).not.toContain(lin.email);
    expect(await daemon.db.readers.get('SELECT tenantId FROM tenants WHERE tenantId = ?', [alone.id])).toBeUndefined();
  });

  test('leaves no invitation that it did not accept', async () => {
    const guest = await newPerson(daemon);
    await invite(ada, space, guest.email, 'writer');
    expect((await guest.call('/v1/account', { method: 'DELETE' })).status).toBe(204);
    for (const path of ['members', 'log']) {
      expect((await ada.call(`/v1/spaces/${space.id}/${path}`)).text).not.toContain(guest.email);
    }
  });

  test('is erased, and not refused halfway, if the operator changes its tier while it leaves its spaces', async () => {
    const etag = (await lin.call('/v1/account')).headers.get('etag')!;
    const alone = await newSpace(lin, 'alone');
    await inSpace(daemon, lin, alone.id).add('Nobody else reads this');
    const { leaveAll } = daemon.memberships;
    const leaving = vi.spyOn(daemon.memberships, 'leaveAll').mockImplementationOnce(async (account, before) => {
      await daemon.accounts.setTier(lin.tenantId, 'Pro');
      return leaveAll(account, before);
    });
    const { status } = await lin.call('/v1/account', { method: 'DELETE', headers: { 'if-match': etag } });
    leaving.mockRestore();
    expect(status).toBe(204);
    const ids = [lin.tenantId, alone.id];
    expect(await daemon.db.readers.all('SELECT tenantId FROM tenants WHERE tenantId IN (?, ?)', ids)).toEqual([]);
  });
});

test('two owners whose accounts are erased at once leave no space without members, and none without an owner', async () => {
  await addMember(ada, space, lin, 'owner');
  const others = await newSpace(ada, 'others');
  const stays = await newPerson(daemon);
  await addMember(ada, others, lin, 'owner');
  await addMember(ada, others, stays, 'reader');
  const erased = await Promise.all([ada, lin].map((one) => one.call('/v1/account', { method: 'DELETE' })));
  expect(erased.map(({ status }) => status).sort()).toEqual([204, 409]);
  const left = erased[0]!.status === 409 ? ada : lin;
  const { body } = await left.call<{ data: Space[] }>('/v1/spaces');
  expect(body.data.map(({ id, role }) => [id, role])).toContainEqual([others.id, 'owner']);
  await left.call(`/v1/spaces/${others.id}`, { method: 'DELETE' });
  expect((await left.call('/v1/account', { method: 'DELETE' })).status).toBe(204);
  const rows = await daemon.db.readers.all('SELECT tenantId FROM tenants WHERE tenantId IN (?, ?)', [
    ...[space.id, others.id],
  ]);
  expect(rows).toEqual([]);
});

test('an account that makes and joins spaces while it is erased stays in none', async () => {
  for (let round = 0; round < 3; round += 1) {
    const guest = await newPerson(daemon);
    const invited = await newSpace(ada, `round ${round}`);
    await invite(ada, invited, guest.email, 'writer');
    await Promise.all([
      guest.call('/v1/account', { method: 'DELETE' }),
      ...Array.from({ length: 4 }, (_, count) => guest.call('/v1/spaces', { body: { name: `mine ${count}` } })),
      guest.call(`/v1/spaces/${invited.id}/join`, { method: 'POST' }),
    ]);
    const row = await daemon.db.readers.get('SELECT tenantId FROM spaceMembers WHERE memberId = ?', [guest.tenantId]);
    expect(row).toBeUndefined();
  }
});

test('the address of an erased account stays in no row of a space: not in jobs that wait, nor in decisions', async () => {
  await addMember(ada, space, lin, 'owner');
  const asLin = inSpace(daemon, lin, space.id);
  const [one, other] = [await asLin.add('There are 28 beds'), await asLin.add('Twenty-eight beds are there')];
  const suggestion = { kind: 'merge', reason: 'They say the same', memoryIds: [one.id, other.id], content: '28 beds' };
  const made = await asLin.call<{ data: { id: string }[] }>('/v1/suggestions', { body: { suggestions: [suggestion] } });
  const path = `/v1/suggestions/${made.body.data[0]!.id}`;
  expect((await asLin.call(`${path}/reject`, { method: 'POST' })).body).toMatchObject({ decidedBy: lin.email });
  const conversation = await asLin.call<{ id: string }>('/v1/conversations', { body: {} });
  const job = await daemon.db.writes.write(space.id, (connection) =>
    daemon.jobs.enqueue(connection, {
      ...{ tenantId: space.id, conversationId: conversation.body.id, provider: 'openai', model: 'gpt', dryRun: 0 },
      ...{ fromOrdinal: 0, toOrdinal: 1, total: 1, result: '{}', client: null, author: lin.email },
    }),
  );
  expect((await lin.call('/v1/account', { method: 'DELETE' })).status).toBe(204);
  const decided = await inSpace(daemon, ada, space.id).call(path);
  expect(decided.body).toMatchObject({ decidedBy: 'a former member' });
  const row = await daemon.db.readers.get('SELECT author FROM jobs WHERE tenantId = ? AND id = ?', [space.id, job.id]);
  expect(row).toEqual({ author: 'a former member' });
  await daemon.activity.flush();
  expect((await inSpace(daemon, ada, space.id).call('/v1/activity')).text).not.toContain(lin.email);
});

test('the address of an erased account stays in no row of a space that removed it when its log no longer says so', async () => {
  await addMember(ada, space, lin, 'owner');
  const asLin = inSpace(daemon, lin, space.id);
  const guest = await newPerson(daemon);
  await addMember(lin, space, guest, 'reader');
  const webhook = { url: 'https://hooks.example.com/lin', events: ['memory.created'] };
  expect((await asLin.call('/v1/webhooks', { body: webhook })).status).toBe(201);
  await asLin.call('/v1/suggestions', {
    body: { suggestions: [{ kind: 'add', content: 'There are 28 beds', reason: 'They said so' }] },
  });
  const [suggestion] = (await asLin.call<{ data: { id: string }[] }>('/v1/suggestions')).body.data;
  await asLin.call(`/v1/suggestions/${suggestion!.id}/reject`, { method: 'POST' });
  await daemon.db.writes.write(space.id, (connection) =>
    connection.run('DELETE FROM spaceLog WHERE tenantId = ?', [space.id]),
  );
  const member = (await membersOf(ada)).find(({ email }) => email === lin.email)!;
  await ada.call(`/v1/spaces/${space.id}/members/${member.id}`, { method: 'DELETE' });
  expect((await lin.call('/v1/account', { method: 'DELETE' })).status).toBe(204);
  expect(await traces(daemon.db.readers, [lin.email])).toEqual({});
});

test('no session is made for a space, which would outlive the membership', async () => {
  await addMember(ada, space, lin, 'owner');
  const headers = { 'x-svc-space': space.id, ...SAME_ORIGIN };
  const refused = await daemon.call(lin.apiKey, '/v1/session', { body: {}, headers });
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
});
