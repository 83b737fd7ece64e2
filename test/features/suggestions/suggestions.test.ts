import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Memory } from '../../../src/contract/memories.ts';
import { instant, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting, type Suggesting } from './suggestion-daemon.ts';

let daemon: MemoryDaemon;
let caller: Suggesting;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await newSuggesting(daemon);
});

const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();

describe('rules suggest', () => {
  test('that a newer statement takes the place of an older one, and nothing changes until it is accepted', async () => {
    const older = await caller.add('I live in Linz, near the river', { occurredAt: day(1) });
    const newer = await caller.add('I moved to Graz', { occurredAt: day(9) });
    const [suggestion, ...others] = await caller.compared();
    expect(others).toEqual([]);
    expect(suggestion).toMatchObject({
      ...{ kind: 'supersede', memoryIds: [older.id, newer.id], by: 'rules', byName: null, state: 'open' },
      ...{ validFrom: day(9), content: 'I moved to Graz (before: I live in Linz, near the river)', user: 'default' },
    });
    expect(suggestion!.evidence.map(({ text }) => text)).toEqual([older.content, newer.content]);
    expect((await caller.read(older.id)).body).toMatchObject({ validTo: null, version: 1 });

    const accepted = await caller.decide(suggestion!.id, 'accept');
    expect(accepted.state).toBe('accepted');
    expect((await caller.read(older.id)).body).toMatchObject({ validTo: day(9), supersededBy: newer.id });
    // It is found by the words of the older one, which it says too.
    expect(await caller.find('where do I live')).toEqual([suggestion!.content]);
    expect(await caller.suggestions()).toEqual([]);
  });

  test.each([
    ['Ich wohne in Linz, gleich neben dem Hauptplatz', 'Im Mai sind wir nach Graz umgezogen'],
    ['我住在杭州西湖区的一个老小区', '上个月全家搬到苏州去了'],
  ])('it in other languages too, where both share no word: %s', async (before, now) => {
    const older = await caller.add(before, { occurredAt: day(1) });
    const newer = await caller.add(now, { occurredAt: day(9) });
    expect(await caller.compared()).toMatchObject([{ kind: 'supersede', memoryIds: [older.id, newer.id] }]);
  });

  test.each([
    ['vowel signs', 'My name is नीता'],
    ['characters beyond 16 bits', 'My address is 𠮷野町'],
  ])('it beside a memory that names something with %s', async (_, named) => {
    await caller.add(named);
    const older = await caller.add('I live in Linz, near the river', { occurredAt: day(1) });
    const newer = await caller.add('I moved to Graz', { occurredAt: day(9) });
    expect(await caller.compared()).toMatchObject([{ kind: 'supersede', memoryIds: [older.id, newer.id] }]);
  });

  test('to merge what says the same, and keep the oldest id with the tags of all', async () => {
    const first = await caller.add('There are 28 beds on our ward', { tags: ['ward'], occurredAt: day(1) });
    const second = await caller.add('The ward has twenty-eight beds in total', { tags: ['beds'], occurredAt: day(5) });
    const [suggestion] = await caller.compared();
    expect(suggestion).toMatchObject({ kind: 'merge', memoryIds: [first.id, second.id], content: second.content });
    await caller.decide(suggestion!.id, 'accept');
    expect((await caller.read(first.id)).body).toMatchObject({ content: second.content, tags: ['ward', 'beds'] });
    expect((await caller.read(second.id)).body.supersededBy).toBe(first.id);
    expect(await caller.list()).toEqual([second.content]);
  });

  test('that a person chooses where both were said at the same time', async () => {
    const one = await caller.add('My phone is a Pixel 8', { occurredAt: day(1) });
    const other = await caller.add('My phone is a Fairphone 5', { occurredAt: day(1) });
    const [suggestion] = await caller.compared();
    expect(suggestion).toMatchObject({ kind: 'contradiction', memoryIds: [one.id, other.id] });
    const refused = await caller.call(`/v1/suggestions/${suggestion!.id}/accept`, { body: {} });
    expect(refused.body).toMatchObject({ code: 'invalid_request', errors: [{ path: '/keep' }] });
    await caller.decide(suggestion!.id, 'accept', { body: { keep: one.id } });
    expect(await caller.list()).toEqual([one.content]);
  });

  test.each([
    ['Jonas is allergic to nuts', 'My dad is allergic to nuts'],
    ['The morning handover is at 7:15', 'The evening handover is at 19:15'],
    ['Ada likes tea', 'Ada likes coffee'],
    ['We deploy on Fridays', 'We never deploy on Fridays'],
    ['Room 4b has the printer', 'Room 4c has the printer'],
  ])('nothing for what only looks alike: %s / %s', async (one, other) => {
    await caller.addAll([
      { content: one, occurredAt: day(1) },
      { content: other, occurredAt: day(2) },
    ]);
    expect(await caller.compared()).toEqual([]);
  });

  test.each([
    ['I have a blue bike', 'I sold the blue bike to Tom'],
    ['Ada leads the team', 'Ada left the team, Bo leads it now'],
    ["I'm the treasurer of the chess club", "I'm not the treasurer of the chess club any longer"],
  ])('that something is over instead of merging its end with it: %s / %s', async (state, end) => {
    const before = await caller.add(state, { occurredAt: day(1) });
    const ended = await caller.add(end, { occurredAt: day(9) });
    expect(await caller.compared()).toMatchObject([{ kind: 'supersede', memoryIds: [before.id, ended.id] }]);
    // Said again after its end, it holds again.
    await caller.erase(before.id);
    await caller.add(state, { occurredAt: day(20) });
    expect(await caller.compared()).toEqual([]);
  });

  test('nothing from what a tool said about what a person said', async () => {
    await caller.add('I live in Linz', { occurredAt: day(1), origin: 'person' });
    await caller.add('I moved to Graz', { occurredAt: day(9), origin: 'tool' });
    expect(await caller.compared()).toEqual([]);
  });

  test('nothing across users or accounts', async () => {
    const stranger = await newSuggesting(daemon);
    await caller.add('I live in Linz', { occurredAt: day(1), user: 'ada' });
    await caller.add('I moved to Graz', { occurredAt: day(9), user: 'ben' });
    await stranger.add('I moved to Wels', { occurredAt: day(9), user: 'ada' });
    expect(await caller.compared()).toEqual([]);
    expect(await stranger.suggestions()).toEqual([]);
  });

  test('once: neither again when a memory changes back, nor after a rejection', async () => {
    await caller.add('I live in Linz', { occurredAt: day(1) });
    const newer = await caller.add('I moved to Graz', { occurredAt: day(9) });
    const [suggestion] = await caller.compared();
    await caller.decide(suggestion!.id, 'reject');
    await caller.change(newer.id, { content: 'I moved to Graz, by train' });
    await caller.change(newer.id, { content: 'I moved to Graz' });
    const open = await caller.compared();
    expect(open.map(({ id }) => id)).not.toContain(suggestion!.id);
    expect(open.filter(({ evidence }) => evidence[1]!.text === 'I moved to Graz')).toEqual([]);
  });

  test('what changed after the first comparison, and what the trimmed log of changes no longer names', async () => {
    await caller.compared();
    await caller.add('I live in Linz', { occurredAt: day(1) });
    await caller.add('I moved to Graz', { occurredAt: day(9) });
    daemon.clock.advance(2 * 3_600_000);
    await daemon.events.trim();
    await daemon.db.writes.write(caller.tenantId, (connection) =>
      connection.run('DELETE FROM changes WHERE tenantId = ? AND number < 2', [caller.tenantId]),
    );
    expect(await caller.compared()).toHaveLength(1);
  });
});

describe('a suggestion', () => {
  async function pair() {
    const older = await caller.add('The shop opens at eight');
    const newer = await caller.add('The shop opens at nine since May');
    return { older, newer, suggestion: await caller.suggest({ kind: 'supersede', memoryIds: [older.id, newer.id] }) };
  }

  test('names the assistant that made it, is listed by kind, state and author, and has an entity tag', async () => {
    const { suggestion } = await pair();
    expect(suggestion).toMatchObject({ by: 'assistant', state: 'open', confidence: 0.5, decidedAt: null });
    expect(await caller.suggestions('?kind=supersede&state=open&by=assistant&limit=1')).toEqual([suggestion]);
    expect(await caller.suggestions('?by=rules')).toEqual([]);
    const read = await caller.call(`/v1/suggestions/${suggestion.id}`);
    expect(read.body).toEqual(suggestion);
    const etag = read.headers.get('etag')!;
    const unchanged = await caller.call(`/v1/suggestions/${suggestion.id}`, { headers: { 'if-none-match': etag } });
    expect(unchanged.status).toBe(304);
    await caller.decide(suggestion.id, 'reject');
    const late = { method: 'POST', headers: { 'if-match': etag } };
    expect((await caller.call(`/v1/suggestions/${suggestion.id}/undo`, late)).status).toBe(412);
  });

  test('is answered as it stands if it was made before, by anyone', async () => {
    const { older, newer, suggestion } = await pair();
    await caller.decide(suggestion.id, 'reject');
    const again = await caller.suggest({ kind: 'supersede', memoryIds: [older.id, newer.id], reason: 'Really' });
    expect(again).toMatchObject({ id: suggestion.id, state: 'rejected', duplicate: true, reason: suggestion.reason });
  });

  test('is outdated once a memory changes, and cannot be accepted then', async () => {
    const { older, suggestion } = await pair();
    await caller.change(older.id, { content: 'The shop opens at half past eight' });
    expect((await caller.call(`/v1/suggestions/${suggestion.id}`)).body.state).toBe('outdated');
    const refused = await caller.call(`/v1/suggestions/${suggestion.id}/accept`, { method: 'POST' });
    expect(refused.body).toMatchObject({ status: 409, code: 'conflict' });
    expect((await caller.read(older.id)).body.validTo).toBeNull();
  });

  test('is of the project that its memories have when it is made again', async () => {
    const both = await caller.add('Ada sings and has a dog', { project: 'choir' });
    const splitting = { kind: 'split' as const, memoryIds: [both.id], content: 'Ada sings\nAda has a dog' };
    const { id } = await caller.suggest(splitting);
    await caller.change(both.id, { project: 'house' });
    expect(await caller.suggest(splitting)).toMatchObject({ id, state: 'open', project: 'house' });
    await caller.decide(id, 'accept');
    expect((await caller.list('?project=house&projectOnly=true')).sort()).toEqual(['Ada has a dog', 'Ada sings']);
  });

  test('is erased with any of its memories, its user and its account', async () => {
    const { older, suggestion } = await pair();
    await caller.erase(older.id);
    expect((await caller.call(`/v1/suggestions/${suggestion.id}`)).status).toBe(404);
    const one = await caller.add('Ada has a cat', { user: 'ada' });
    const other = await caller.add('A cat lives with Ada', { user: 'ada' });
    const ofUser = await caller.suggest({ memoryIds: [one.id, other.id] });
    expect((await caller.call('/v1/users/ada', { method: 'DELETE' })).status).toBe(204);
    expect((await caller.call(`/v1/suggestions/${ofUser.id}`)).status).toBe(404);
    const rows = await daemon.db.readers.all(
      `SELECT 1 FROM suggestions WHERE tenantId = ? UNION ALL SELECT 1 FROM suggestionItems WHERE tenantId = ?`,
      [caller.tenantId, caller.tenantId],
    );
    expect(rows).toEqual([]);
  });

  test('is erased with the message that supports it', async () => {
    const { body: conversation } = await caller.call<{ id: string }>('/v1/conversations', { body: {} });
    const messages = `/v1/conversations/${conversation.id}/messages`;
    const content = 'Remember that I sing in the parish choir';
    const { body } = await caller.call<{ data: { id: string }[] }>(messages, {
      body: { messages: [{ role: 'user', content }] },
    });
    const messageId = body.data[0]!.id;
    const evidence = [{ id: messageId, text: 'I sing in the parish choir' }];
    const suggestion = await caller.suggest({ kind: 'add', content: 'I sing in the parish choir', evidence });
    const erased = await caller.call(`${messages}/${messageId}`, { method: 'DELETE' });
    expect(erased.status).toBe(204);
    expect((await caller.call(`/v1/suggestions/${suggestion.id}`)).status).toBe(404);
  });

  test.each([
    [{ kind: 'merge', memoryIds: [] }, '/suggestions/0/memoryIds'],
    [{ kind: 'add' }, '/suggestions/0/content'],
    [{ kind: 'add', content: 'x', evidence: [{ id: 'mem_no', text: 'x' }] }, '/suggestions/0/evidence/0/id'],
  ])('is refused without what its kind needs: %j', async (given, path) => {
    const suggestions = [{ reason: 'because', ...given }];
    const { status, body } = await caller.call('/v1/suggestions', { body: { suggestions } });
    expect({ status, path: (body.errors as { path: string }[])[0]!.path }).toEqual({ status: 400, path });
  });

  test('must cite words that stand where it says, and memories that exist and hold', async () => {
    const { older, newer } = await pair();
    const memoryIds = [older.id, newer.id];
    const cite = (text: string) => ({ kind: 'merge', reason: 'same', memoryIds, evidence: [{ id: older.id, text }] });
    const invented = await caller.call('/v1/suggestions', { body: { suggestions: [cite('opens at noon')] } });
    expect(invented.status).toBe(400);
    await caller.suggest(cite('THE  shop opens') as never);
    const stranger = await newSuggesting(daemon);
    const foreign = await stranger.call('/v1/suggestions', { body: { suggestions: [cite('The shop')] } });
    expect(foreign.body).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('must not say what nothing that it cites says, all or none, and may cite nothing', async () => {
    const { older, newer } = await pair();
    const merge = {
      ...{ kind: 'merge', reason: 'same', memoryIds: [older.id, newer.id] },
      evidence: [{ id: older.id, text: 'The shop opens' }],
    };
    const suggest = (content: string) =>
      caller.call('/v1/suggestions', { body: { suggestions: [merge, { ...merge, content }] } });
    for (const [content, detail] of [
      ['The shop of Boris opens', 'content says "Boris", which none of its sources says.'],
      ['The shop opens 77 doors', 'content says "77", which none of its sources says.'],
      ['Quokkas hum', 'content says "Quokkas", which none of its sources says.'],
    ] as const) {
      const { status, body } = await suggest(content);
      expect([status, body]).toMatchObject([400, { detail, errors: [{ path: '/suggestions/1/content' }] }]);
    }
    expect(await caller.suggestions('?kind=merge')).toEqual([]);
    const { evidence: _, ...uncited } = merge;
    await caller.suggest({ ...uncited, content: 'The shop of Boris opens' } as never);
  });

  test('is stored once per idempotency key', async () => {
    const { older, newer } = await pair();
    const body = { suggestions: [{ kind: 'merge', reason: 'same', memoryIds: [older.id, newer.id] }] };
    const headers = { 'idempotency-key': 'once' };
    const first = await caller.call('/v1/suggestions', { body, headers });
    const second = await caller.call('/v1/suggestions', { body, headers });
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });

  test('expires a memory without erasing it, splits one, and adds with its source', async () => {
    const meeting = await caller.add('The meeting with Ina is on Friday');
    const expiring = await caller.suggest({ kind: 'expire', memoryIds: [meeting.id], reason: 'Friday has passed' });
    await caller.decide(expiring.id, 'accept');
    expect((await caller.read(meeting.id)).body).toMatchObject({ supersededBy: null, content: meeting.content });
    expect((await caller.read(meeting.id)).body.validTo).not.toBeNull();

    const both = await caller.add('Ada sings and has a dog', { tags: ['ada'] });
    const content = 'Ada sings\nAda has a dog';
    const splitting = await caller.suggest({ kind: 'split', memoryIds: [both.id], content });
    await caller.decide(splitting.id, 'accept');
    expect((await caller.list('?tags=ada')).sort()).toEqual(['Ada has a dog', 'Ada sings']);

    const adding = await caller.suggest({ kind: 'add', content: 'Ada is left-handed' });
    await caller.decide(adding.id, 'accept', { body: { content: 'Ada writes with her left hand' } });
    const [added] = (await caller.call<{ data: Memory[] }>('/v1/memories?limit=1')).body.data;
    expect(added).toMatchObject({ content: 'Ada writes with her left hand', origin: 'extraction' });
  });

  test('is decided with others, each separately', async () => {
    const { suggestion } = await pair();
    const decisions = [
      { id: suggestion.id, decision: 'accept' },
      { id: suggestion.id, decision: 'reject' },
      { id: 'sug_unknown', decision: 'accept' },
      { id: suggestion.id, decision: 'undo' },
    ];
    const { body } = await caller.call<{
      data: { error: { code: string } | null; suggestion: { state: string } | null }[];
    }>('/v1/suggestions/decide', { body: { decisions } });
    expect(body.data.map(({ error, suggestion: now }) => now?.state ?? error?.code)).toEqual([
      ...(['accepted', 'conflict', 'not_found', 'open'] as const),
    ]);
  });

  test('reaches event streams when it is made, decided and undone', async () => {
    const { suggestion } = await pair();
    await caller.decide(suggestion.id, 'accept');
    await caller.decide(suggestion.id, 'undo');
    await caller.decide(suggestion.id, 'reject');
    const rows = await daemon.db.readers.all<{ kind: string }>(
      `SELECT kind FROM changes WHERE tenantId = ? AND itemId = ? ORDER BY number`,
      [caller.tenantId, suggestion.id],
    );
    const kinds = ['created', 'accepted', 'undone', 'rejected'].map((what) => `suggestion.${what}`);
    expect(rows.map(({ kind }) => kind)).toEqual(kinds);
  });
});

describe('undoing', () => {
  test('a merge restores content, tags, validity and what searches find', async () => {
    const one = await caller.add('There are 28 beds on our ward', { tags: ['ward'], metadata: { a: 1 } });
    const other = await caller.add('The ward has twenty-eight beds in total', { metadata: { b: 2 } });
    const before = await caller.find('how many beds');
    const { id } = await caller.suggest({ memoryIds: [one.id, other.id], content: 'Our ward has 28 beds' });
    await caller.decide(id, 'accept');
    expect(await caller.find('how many beds')).toEqual(['Our ward has 28 beds']);
    const undone = await caller.decide(id, 'undo');
    expect(undone).toMatchObject({ state: 'open', decidedAt: null });
    expect(undone.undoneAt).not.toBeNull();
    expect(await caller.find('how many beds')).toEqual(before);
    for (const { id: memoryId, content, tags, metadata } of [one, other]) {
      const now = (await caller.read(memoryId)).body;
      expect(now).toMatchObject({ content, tags, metadata, validTo: null, supersededBy: null });
    }
  });

  test('is refused, naming the memory, if a later change stands on it', async () => {
    const one = await caller.add('Ada has a cat');
    const other = await caller.add('A cat lives with Ada');
    const { id } = await caller.suggest({ memoryIds: [one.id, other.id], content: 'Ada has one cat' });
    await caller.decide(id, 'accept');
    await caller.change(one.id, { content: 'Ada has two cats' });
    const refused = await caller.call(`/v1/suggestions/${id}/undo`, { method: 'POST' });
    expect(refused.body).toMatchObject({ status: 409, detail: expect.stringContaining(one.id) });
    expect((await caller.read(one.id)).body.content).toBe('Ada has two cats');
  });

  test('makes a memory current again beside an expired one with its content', async () => {
    const one = await caller.add('Ada has a parrot');
    const { id } = await caller.suggest({ kind: 'expire', memoryIds: [one.id] });
    await caller.decide(id, 'accept');
    await caller.add('Ada has a parrot', { expiresAt: instant(daemon.clock.nowMs() + 1000) });
    daemon.clock.advance(2000);
    await caller.decide(id, 'undo');
    expect(await caller.list()).toEqual(['Ada has a parrot']);
    expect((await caller.read(one.id)).body.validTo).toBeNull();
  });

  test('works for 30 days', async () => {
    const one = await caller.add('Ada has a dog');
    const { id } = await caller.suggest({ kind: 'expire', memoryIds: [one.id] });
    await caller.decide(id, 'accept');
    daemon.clock.advance(31 * 24 * 3_600_000);
    expect((await caller.call(`/v1/suggestions/${id}/undo`, { method: 'POST' })).status).toBe(409);
  });
});

test('suggestions that nobody decided for 90 days are outdated', async () => {
  const one = await caller.add('Ada has a parrot');
  const { id } = await caller.suggest({ kind: 'expire', memoryIds: [one.id] });
  daemon.clock.advance(91 * 24 * 3_600_000);
  await daemon.suggestions.endOld();
  expect((await caller.call(`/v1/suggestions/${id}`)).body.state).toBe('outdated');
});

test('searches put the newer memory of what rules suggest first, and mark the older one', async () => {
  const older = await caller.add('I live in Linz near the river', { occurredAt: day(1) });
  const newer = await caller.add('I moved to Graz by train', { occurredAt: day(9) });
  const query = 'Linz, the river, Graz';
  expect(await caller.find(query)).toEqual([older.content, newer.content]);
  const [{ id } = { id: '' }] = await caller.compared();
  const { results } = (await caller.search(query)).body;
  expect(results.map((result) => [result.id, result.possiblySupersededBy])).toEqual([
    [newer.id, undefined],
    [older.id, newer.id],
  ]);
  const context = await caller.call<{ text: string }>('/v1/context', { body: { query } });
  expect(context.body.text).toContain(', older)');
  await caller.decide(id, 'reject');
  expect(await caller.find(query)).toEqual([older.content, newer.content]);
});

test.each([['where do I live now', 'I live in Linz near the river', 'We relocated to Graz in May']])(
  'the newer memory comes first though the question has no word of it: %s',
  async (query, before, now) => {
    const older = await caller.add(before, { occurredAt: day(1), tags: ['home'] });
    const newer = await caller.add(now, { occurredAt: day(9) });
    // Known by what is asked, before the rules have compared them.
    expect(await caller.find(query)).toEqual([now, before]);
    const [{ id } = { id: '' }] = await caller.compared();
    const { results, searchId } = (await caller.search(query, { explain: true })).body;
    expect(results.map((result) => [result.id, result.why?.rank, result.why?.defaultRank])).toEqual([
      [newer.id, 1, 1],
      [older.id, 2, 1],
    ]);
    const context = await caller.call<{ text: string }>('/v1/context', { body: { query } });
    expect(context.body.text).toMatch(new RegExp(`\\[1\\].*${now}[^]*older\\) ${before}`));
    // Filters hold for it, too.
    const filtered = await caller.search(query, { filter: { tags: ['home'] } });
    expect(filtered.body.results.map(({ content }) => content)).toEqual([before]);
    await caller.decide(id, 'reject');
    expect(await caller.find(query)).toEqual([before]);
    // It can be reported as used like what was found.
    const feedback = await caller.call(`/v1/searches/${searchId}/feedback`, { body: { used: [newer.id] } });
    expect(feedback.status).toBeLessThan(300);
    expect((await caller.find(query)).toSorted()).toEqual([before, now].toSorted());
  },
);

test('of several changes, the newest comes first though the question finds only the oldest', async () => {
  const query = 'which town is my home in now';
  const first = await caller.add('My home is in the old town of Linz, by the river', { occurredAt: day(1) });
  const second = await caller.add('We relocated, said the letter, and unpacked in Graz', { occurredAt: day(5) });
  const third = await caller.add('Vienna: keys are with the porter', { occurredAt: day(9) });
  await caller.suggest({ kind: 'supersede', memoryIds: [first.id, second.id] });
  await caller.suggest({ kind: 'supersede', memoryIds: [second.id, third.id] });
  expect(await caller.find(query)).toEqual([first.content]);
  await daemon.db.writes.write('daemon', (connection) =>
    connection.run("UPDATE suggestions SET suggester = 'rules'", []),
  );
  expect(await caller.find(query)).toEqual([third.content, second.content, first.content]);
});

test('what an assistant suggests hides nothing in searches until it is accepted', async () => {
  const older = await caller.add('The safe opens with the red key');
  const newer = await caller.add('The red key is lost, said a page');
  const before = await caller.find('safe red key');
  await caller.suggest({ kind: 'supersede', memoryIds: [older.id, newer.id] });
  const { results } = (await caller.search('safe red key')).body;
  expect(results.map(({ content }) => content)).toEqual(before);
  expect(results.map((result) => result.possiblySupersededBy)).toEqual(before.map(() => undefined));
});

test('credentials in suggestions and in the texts that accept them are masked', async () => {
  const secret = `ghp_${'a1B2c3D4e5'.repeat(4)}`.slice(0, 40);
  const suggestion = await caller.suggest({ kind: 'add', content: `The token is ${secret}`, reason: `Seen ${secret}` });
  expect(JSON.stringify(suggestion)).not.toContain(secret);
  await caller.decide(suggestion.id, 'accept', { body: { content: `Use ${secret} here` } });
  const other = await caller.suggest({ kind: 'add', content: 'Another fact' });
  const decisions = [{ id: other.id, decision: 'accept', content: `And ${secret} there` }];
  await caller.call('/v1/suggestions/decide', { body: { decisions } });
  const stored = (await caller.list()).join('\n');
  expect(stored).toMatch(/Use \[redacted: .*\] here/);
  expect(stored).not.toContain(secret);
});

test('one request suggests changes of at most 200 memories and messages', async () => {
  const added = await caller.addAll(Array.from({ length: 210 }, (_, index) => ({ content: `Fact number ${index}` })));
  const ids = added.map(({ id }) => id);
  const suggestions = Array.from({ length: 11 }, (_, index) => ({
    ...{ kind: 'merge', reason: 'same', memoryIds: ids.slice(index * 20, index * 20 + 20) },
  }));
  const { status, body } = await caller.call('/v1/suggestions', { body: { suggestions } });
  expect({ status, detail: body.detail }).toMatchObject({
    status: 400,
    detail: expect.stringContaining('at most 200'),
  });
  const fewer = { suggestions: suggestions.slice(0, 10) };
  expect((await caller.call('/v1/suggestions', { body: fewer })).status).toBe(201);
});

test('the account counts the suggestions that wait for a decision', async () => {
  const one = await caller.add('Ada has a hamster');
  const { id } = await caller.suggest({ kind: 'expire', memoryIds: [one.id] });
  expect((await caller.call('/v1/account')).body.openSuggestions).toBe(1);
  await caller.decide(id, 'reject');
  expect((await caller.call('/v1/account')).body.openSuggestions).toBe(0);
});

test('the account tells how much is still to be read for suggestions, also while all memories are read', async () => {
  await caller.addAll(Array.from({ length: 60 }, (_, index) => ({ content: `Fact ${index} of the lighthouse` })));
  const unread = async () => (await caller.call<{ unreadChanges: number }>('/v1/account')).body.unreadChanges;
  expect(await unread()).toBe(60);
  await caller.compared();
  expect(await unread()).toBe(0);
  await daemon.db.writes.write(caller.tenantId, (connection) =>
    connection.run(`UPDATE comparedMemories SET afterId = '' WHERE tenantId = ?`, [caller.tenantId]),
  );
  const seen: number[] = [];
  const { read } = daemon.topics;
  daemon.topics.read = async (...given) => {
    seen.push(await unread());
    return read(...given);
  };
  await caller.compared();
  daemon.topics.read = read;
  expect(seen).toEqual([0, 35, 10]);
  expect(await unread()).toBe(0);
});
