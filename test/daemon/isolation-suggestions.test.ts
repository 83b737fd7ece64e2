import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { newSuggesting, type Suggesting } from '../features/suggestions/suggestion-daemon.ts';
import { SUGGESTION_OPERATIONS } from './suggestion-operations.ts';
import { visible } from './visible-answer.ts';

let daemon: MemoryDaemon;
let owner: Suggesting;
let stranger: Suggesting;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  owner = await newSuggesting(daemon);
  stranger = await newSuggesting(daemon);
});
afterAll(() => daemon.close());

const NEVER = `sug_${'0'.repeat(32)}`;

test.each(Object.entries(SUGGESTION_OPERATIONS))(
  'another tenant’s suggestion is indistinguishable from a missing one when %s; its tenant succeeds',
  async (name, { method, path }) => {
    const { id: memoryId } = await owner.add(`The basilisk guards the well while ${name}`);
    const { id } = await owner.suggest({ kind: 'expire', memoryIds: [memoryId] });
    if (path === '/undo') await owner.decide(id, 'accept');
    const call = (caller: Suggesting, of: string) => caller.call(`/v1/suggestions/${of}${path}`, { method });
    const [foreign, missing] = [await call(stranger, id), await call(stranger, NEVER)];
    expect(foreign.status).toBe(404);
    expect(visible(foreign, id)).toEqual(visible(missing, NEVER));
    expect((await owner.call(`/v1/suggestions/${id}`)).body.state).toBe(path === '/undo' ? 'accepted' : 'open');
    expect((await call(owner, id)).status).toBe(200);
  },
);

test('suggestions of an account are listed, suggested, decided and searched with in no other', async () => {
  const [one, other] = await owner.addAll([{ content: 'The well is deep' }, { content: 'The well is very deep' }]);
  const memoryIds = [one!.id, other!.id];
  const { id } = await owner.suggest({ kind: 'supersede', memoryIds });
  expect(await stranger.suggestions('')).toEqual([]);
  const suggestions = [{ kind: 'supersede', memoryIds, reason: 'Mine' }];
  expect((await stranger.call('/v1/suggestions', { body: { suggestions } })).status).toBe(404);
  const decisions = [{ id, decision: 'accept' }];
  const decided = await stranger.call<{ data: unknown[] }>('/v1/suggestions/decide', { body: { decisions } });
  expect(decided.body.data).toMatchObject([{ suggestion: null, error: { code: 'not_found' } }]);
  expect((await owner.suggestions()).map((suggestion) => suggestion.id)).toContain(id);
});

test('settings of an account are those of no other', async () => {
  await owner.call('/v1/suggestion-settings', { method: 'PATCH', body: { merge: { mode: 'off' } } });
  const modeOf = async (caller: Suggesting) =>
    (await caller.call<{ merge: { mode: string } }>('/v1/suggestion-settings')).body.merge.mode;
  expect([await modeOf(owner), await modeOf(stranger)]).toEqual(['off', 'review']);
  await stranger.call('/v1/suggestion-settings', { method: 'PATCH', body: { merge: { mode: 'automatic' } } });
  expect([await modeOf(owner), await modeOf(stranger)]).toEqual(['off', 'automatic']);
});

test('a cursor of another account is refused', async () => {
  const memories = await owner.addAll([{ content: 'A' }, { content: 'B' }]);
  for (const { id } of memories) await owner.suggest({ kind: 'expire', memoryIds: [id] });
  const { nextCursor } = (await owner.call<{ nextCursor: string }>('/v1/suggestions?limit=1')).body;
  expect((await stranger.call(`/v1/suggestions?limit=1&cursor=${nextCursor}`)).status).toBe(400);
  expect((await owner.call(`/v1/suggestions?limit=1&cursor=${nextCursor}`)).status).toBe(200);
});
