import { afterAll, beforeAll, expect, test } from 'vitest';
import { traces } from '../../helpers/tables.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { portable } from '../portability/portable-account.ts';
import { newSuggesting } from '../suggestions/suggestion-daemon.ts';

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

test.each(['outdated', 'rejected', 'accepted'])(
  'a redacted version leaves no words in a suggestion that is %s',
  async (state) => {
    const caller = await newSuggesting(daemon);
    const { body: store } = await caller.call<{ id: string }>('/v1/memory_stores', { body: { name: 'Store' } });
    const at = `/v1/memory_stores/${store.id}`;
    const file = { path: '/a', content: 'Ada dug. The pachycephalosaurus sleeps.' };
    const made = (await caller.call<{ id: string; memory_version_id: string }>(`${at}/memories`, { body: file })).body;
    const suggestion = {
      ...{ kind: 'split', memoryIds: [made.id], user: store.id, reason: 'The pachycephalosaurus is apart' },
      content: 'Ada dug.\nIt sleeps.',
    };
    const headers = { 'idempotency-key': 'split' };
    const suggested = await caller.call<{ data: { id: string }[] }>('/v1/suggestions', {
      ...{ headers, body: { suggestions: [suggestion] } },
    });
    const { id } = suggested.body.data[0]!;
    if (state === 'rejected') await caller.decide(id, 'reject');
    if (state === 'accepted') await caller.decide(id, 'accept');
    else await caller.call(`${at}/memories/${made.id}`, { body: { content: 'Nothing' } });
    expect((await caller.suggestions(`?state=${state}`)).map((one) => one.id)).toEqual([id]);
    const redacted = await caller.call(`${at}/memory_versions/${made.memory_version_id}/redact`, { method: 'POST' });
    expect(redacted.status, redacted.text).toBe(200);
    expect(await caller.suggestions('')).toMatchObject([{ id, state, content: null, evidence: [], reason: '' }]);
    expect((await caller.call(`/v1/suggestions/${id}/undo`, { method: 'POST' })).status).toBe(409);
    expect(await portable(caller).text()).not.toContain(id);
    expect(await traces(daemon.db.readers, ['pachycephalosaurus'])).toEqual({});
  },
);
