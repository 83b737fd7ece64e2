import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { traces } from '../../helpers/tables.ts';
import { say } from '../extraction/extraction-daemon.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { NONE, portable } from '../portability/portable-account.ts';
import { newSuggesting, type Suggesting } from './suggestion-daemon.ts';

/** What is erased stays in no suggestion, and in no answer that is stored for an idempotency key. */

const CANARY = 'pachycephalosaurus';
const PILLS = `Ada takes ${CANARY} pills`;
const FREE = { content: PILLS, kind: 'add', reason: `She said ${CANARY}` } as const;

let daemon: MemoryDaemon;
let caller: Suggesting;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await newSuggesting(daemon);
  return () => caller.call('/v1/account', { method: 'DELETE' });
});

const left = () => traces(daemon.db.readers, [CANARY]);
const idOf = async (content: string) =>
  (await caller.call<{ data: { id: string; content: string }[] }>('/v1/memories')).body.data.find(
    (memory) => memory.content === content,
  )!.id;
const post = (suggestion: object, key: string) =>
  caller.call('/v1/suggestions', { body: { suggestions: [suggestion] }, headers: { 'idempotency-key': key } });

describe('an accepted suggestion', () => {
  test('leaves no text when what it added is erased, and is not suggested again', async () => {
    const { body } = await post(FREE, 'pills');
    const { id } = (body.data as { id: string }[])[0]!;
    await caller.decide(id, 'accept');
    await caller.erase(await idOf(PILLS));
    expect(await left()).toEqual({});
    expect(await caller.suggestions('')).toEqual([]);
    for (const path of [`/v1/suggestions/${id}`, `/v1/suggestions/${id}/undo`]) {
      const method = path.endsWith('undo') ? 'POST' : 'GET';
      expect((await caller.call(path, { method })).status).toBe(404);
    }
    expect((await post(FREE, 'pills')).status).toBe(410);
    expect(await caller.suggest(FREE)).toMatchObject({ id, state: 'accepted', content: null, duplicate: true });
    expect(await left()).toEqual({});
    expect(await portable(caller).text()).not.toContain(id);
  });

  test('leaves none when the memory that said the same before is erased', async () => {
    const { id } = await caller.add(PILLS);
    await caller.decide((await caller.suggest(FREE)).id, 'accept');
    await caller.erase(id);
    expect(await left()).toEqual({});
  });

  test('leaves none when one of the memories is erased into which it split one', async () => {
    const { id } = await caller.add(`Ada sings; ${PILLS}`);
    const content = `Ada sings\n${PILLS}`;
    await caller.decide((await caller.suggest({ kind: 'split', memoryIds: [id], content })).id, 'accept');
    await caller.erase(await idOf(PILLS));
    expect(await caller.suggestions('')).toEqual([]);
    expect(await traces(daemon.db.readers, [content])).toEqual({});
  });

  test('has its texts again after an undo, and can be accepted once more', async () => {
    const { id } = await caller.suggest(FREE);
    await caller.decide(id, 'accept');
    expect(await caller.decide(id, 'undo')).toMatchObject({ state: 'open', content: PILLS, reason: FREE.reason });
    expect(await caller.list()).toEqual([]);
    await caller.decide(id, 'accept');
    expect(await caller.list()).toEqual([PILLS]);
    await caller.erase(await idOf(PILLS));
    expect(await left()).toEqual({});
  });

  test('stays when the memory that said the same is erased after an undo', async () => {
    const { id: known } = await caller.add(PILLS);
    const { id } = await caller.suggest(FREE);
    await caller.decide(id, 'accept');
    await caller.decide(id, 'undo');
    await caller.erase(known);
    expect(await caller.suggestions()).toMatchObject([{ id, content: PILLS }]);
  });

  test('leaves none in the account that imported it either', async () => {
    await caller.decide((await caller.suggest(FREE)).id, 'accept');
    const text = await portable(caller).text();
    const first = caller;
    caller = await newSuggesting(daemon);
    expect((await portable(caller).importFile(text)).added).toEqual({ ...NONE, memories: 1, suggestions: 1 });
    await first.call('/v1/account', { method: 'DELETE' });
    await caller.erase(await idOf(PILLS));
    expect(await left()).toEqual({});
  });
});

test('the stored answer to a suggestion goes with the conversation that it quotes', async () => {
  const { id: conversation } = (await caller.call<{ id: string }>('/v1/conversations', { body: {} })).body;
  const [messageId] = await say(caller, conversation, [PILLS]);
  const given = { kind: 'add', content: 'Ada is ill', reason: 'said so', evidence: [{ id: messageId, text: PILLS }] };
  expect((await post(given, 'ill')).status).toBe(201);
  expect((await caller.call(`/v1/conversations/${conversation}`, { method: 'DELETE' })).status).toBe(204);
  expect(await left()).toEqual({});
  expect((await post(given, 'ill')).status).toBe(410);
});

test('a user of whom there are only suggestions can be erased', async () => {
  expect((await post({ ...FREE, user: 'carol' }, 'carol')).status).toBe(201);
  expect((await caller.call('/v1/users/carol', { method: 'DELETE' })).status).toBe(204);
  expect(await left()).toEqual({});
});

test('the stored report of an import goes with the conversations that it may quote', async () => {
  const attachments = [{ name: `${CANARY}.pdf`, mime_type: 'application/pdf' }];
  const message = {
    ...{ id: 'm0', author: { role: 'user' }, content: { content_type: 'text', parts: ['hello'] } },
    metadata: { attachments },
  };
  const mapping = { n0: { id: 'n0', parent: null, children: [], message } };
  const body = JSON.stringify([{ id: 'c1', title: 'hello', create_time: 1_700_000_000, current_node: 'n0', mapping }]);
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'import' };
  const answer = await caller.call('/v1/import?format=chatgpt&user=bob', { method: 'POST', body, headers });
  expect(answer.text).toContain(CANARY);
  expect((await caller.call('/v1/users/bob', { method: 'DELETE' })).status).toBe(204);
  expect(await left()).toEqual({});
});
