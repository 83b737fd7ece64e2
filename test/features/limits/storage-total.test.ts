import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storageProblems } from '../../../src/features/limits/storage.ts';
import type { Answer } from '../../helpers/daemon.ts';
import { type Caller, createCaller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { portable } from '../portability/portable-account.ts';
import { makeTenant } from './tenants.ts';

const LIMIT = 3000;
/** The texts that count. Spelled out here, so that a text that the daemon forgets is noticed. */
const TEXTS = {
  memories: ['content', 'tags', 'metadata', 'source'],
  conversations: ['title', 'metadata'],
  messages: ['content', 'parts', 'name', 'metadata'],
  episodes: ['title', 'summary', 'outcome', 'memoryIds', 'metadata'],
};

let daemon: MemoryDaemon;
let accounts = 0;

beforeAll(async () => {
  daemon = await startMemoryDaemon({
    schedulesAll: true,
    config: { storageLimits: { Free: LIMIT, Pro: null, Enterprise: null } },
  });
});
afterAll(() => daemon.close());

async function newAccount(tier: 'Free' | 'Pro'): Promise<Caller> {
  accounts += 1;
  const { apiKey, tenantId } = await makeTenant(daemon, `total-${accounts}@example.com`, tier);
  return createCaller(daemon.call, apiKey, tenantId);
}

/** Adds up the texts of all rows of a tenant. */
async function recount(tenantId: string): Promise<number> {
  let bytes = 0;
  for (const [table, texts] of Object.entries(TEXTS)) {
    const rows = await daemon.db.readers.all<Record<string, string | null>>(
      `SELECT ${texts.join(', ')} FROM ${table} WHERE tenantId = ?`,
      [tenantId],
    );
    for (const row of rows) for (const text of Object.values(row)) bytes += Buffer.byteLength(text ?? '');
  }
  return bytes;
}

async function total(tenantId: string): Promise<number | undefined> {
  const row = await daemon.db.readers.get<{ storedBytes: number }>(
    'SELECT storedBytes FROM tenants WHERE tenantId = ?',
    [tenantId],
  );
  return row?.storedBytes;
}

/** Reads both in one transaction, because the daemon cuts conversations in the background. */
function totals(tenantId: string): Promise<{ kept: number | undefined; counted: number }> {
  return daemon.db.writes.write('daemon', async () => ({
    kept: await total(tenantId),
    counted: await recount(tenantId),
  }));
}

/** One of the account's writes, with an arbitrary number and text. */
type Write = (account: Account, at: number, text: string) => Promise<Answer<unknown>>;

/** An account's requests; `path` answers the path of one of its resources. */
interface Account {
  send(method: string, path: string, body?: unknown): Promise<Answer<unknown>>;
  path(collection: string): Promise<string>;
  importFile(): Promise<Answer<unknown>>;
}

const parts = (text: string) => [{ type: 'text', text }];
const at = '2026-05-20T12:00:00Z';

const WRITES: Record<string, Write> = {
  add: ({ send }, number, text) =>
    send('POST', '/v1/memories', { content: text, tags: [`t${number}`], metadata: { text } }),
  batch: ({ send }, number, text) =>
    send('POST', '/v1/memories/batch', { memories: [0, 1, 2].map((n) => ({ content: `${text} ${number} ${n}` })) }),
  // The first one adds a memory, later ones complete it.
  merge: ({ send }, number, text) =>
    send('POST', '/v1/memories', { content: 'Same', tags: [`t${number % 5}`], metadata: { [text]: number } }),
  replace: ({ send }, number, text) =>
    send('PUT', `/v1/memories/external/e${number % 3}`, { content: `${text} ${number} whole` }),
  supersede: async ({ send, path }, number, text) => {
    const supersedes = (await path('/v1/memories')).split('/').at(-1);
    const source = { messageId: `m${number}` };
    return send('POST', '/v1/memories', { content: `${text} ${number} now`, supersedes, source });
  },
  change: async ({ send, path }, number, text) =>
    send('PATCH', await path('/v1/memories'), { content: `${text} ${number} changed`, tags: [] }),
  expire: async ({ send }, number, text) => {
    const expiresAt = new Date(daemon.clock.nowMs() + 1000).toISOString();
    const answer = await send('POST', '/v1/memories', { content: `${text} ${number} soon`, expiresAt });
    daemon.clock.advance(2000);
    await daemon.memories.sweep();
    return answer;
  },
  converse: ({ send }, number, text) =>
    send('POST', '/v1/conversations', { title: text, metadata: { [text]: number } }),
  retitle: async ({ send, path }, number, text) =>
    send('PATCH', await path('/v1/conversations'), { title: number % 3 === 0 ? null : text }),
  append: async ({ send, path }, _, text) => {
    const messages = [text, parts(`${text} and so on.`)].map((content) => ({ role: 'user', content, name: 'Zoë' }));
    return send('POST', `${await path('/v1/conversations')}/messages`, { messages });
  },
  reword: async ({ send, path }, number, text) =>
    send('PATCH', await path(`${await path('/v1/conversations')}/messages`), { content: parts(`${text} ${number}`) }),
  cut: async ({ send, path }) => send('POST', `${await path('/v1/conversations')}/episodes`),
  follow: async ({ send }) => {
    await daemon.episodes.follow();
    return send('GET', '/v1/account');
  },
  unsay: async ({ send, path }) => send('DELETE', await path(`${await path('/v1/conversations')}/messages`)),
  clear: async ({ send, path }) => send('DELETE', `${await path('/v1/conversations')}/messages`),
  'hang up': async ({ send, path }) => send('DELETE', await path('/v1/conversations')),
  episode: ({ send }, _, text) =>
    send('POST', '/v1/episodes', {
      user: 'guest',
      title: text,
      outcome: text,
      memoryIds: ['mem_x'],
      startedAt: at,
      endedAt: at,
    }),
  rename: async ({ send, path }, number, text) =>
    send('PATCH', await path('/v1/episodes'), { title: text, summary: `${text} ${number}` }),
  forget: async ({ send, path }) => send('DELETE', await path('/v1/episodes')),
  erase: async ({ send, path }) => send('DELETE', await path('/v1/memories')),
  import: ({ importFile }) => importFile(),
  'erase user': ({ send }, number) => send('DELETE', `/v1/users/${number % 2 === 0 ? 'default' : 'guest'}`),
};

/** `number` selects among the resources, too. */
function accountOf(caller: Caller, number: number, file: string): Account {
  const send: Account['send'] = (method, path, body) =>
    caller.call(path, { method, ...(body !== undefined && { body }) });
  return {
    send,
    async path(collection) {
      const { data = [] } = (await caller.call<{ data?: { id: string }[] }>(`${collection}?limit=200`)).body;
      return `${collection}/${data.length === 0 ? 'none' : data[number % data.length]!.id}`;
    },
    importFile: () => portable(caller).send(file),
  };
}

const step = fc.record({
  kind: fc.constantFrom(...Object.keys(WRITES)),
  number: fc.nat(1000),
  text: fc.oneof(
    fc.constantFrom('Zoë sails', '海', 'plain'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  ),
});

/** Exports an account with something of every kind. */
async function exported(): Promise<string> {
  const caller = await newAccount('Pro');
  const memory = await caller.add('First', { tags: ['a'], metadata: { b: 'ç' } });
  await caller.change(memory.id, { content: 'Second' });
  await caller.add('Third', { supersedes: memory.id });
  const { id } = (await caller.call<{ id: string }>('/v1/conversations', { body: { title: 'Talk' } })).body;
  const messages = [{ role: 'user', content: 'We sailed to the island.', name: 'Zoë' }];
  await caller.call(`/v1/conversations/${id}/messages`, { body: { messages } });
  await caller.call(`/v1/conversations/${id}/episodes`, { method: 'POST' });
  return portable(caller).text();
}

describe('the total of stored bytes', () => {
  test('equals a recount after each kind of write', async () => {
    const file = await exported();
    const caller = await newAccount('Pro');
    for (const [kind, write] of Object.entries(WRITES)) {
      const before = await total(caller.tenantId);
      const answer = await write(accountOf(caller, 0, file), 0, 'We sailed to Malmö.');
      expect(answer.status, `${kind}: ${answer.text}`).toBeLessThan(300);
      const { kept, counted } = await totals(caller.tenantId);
      expect(kept, kind).toBe(counted);
      if (!['follow', 'expire', 'clear'].includes(kind)) expect(kept, kind).not.toBe(before);
    }
    expect(await total(caller.tenantId)).toBe(0);
  });

  test('equals a recount after any sequence of writes, refused ones included, and stays within the limit', async () => {
    const file = await exported();
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 30 }),
        fc.constantFrom('Free' as const, 'Pro' as const),
        async (steps, tier) => {
          const caller = await newAccount(tier);
          let isFollowed = false;
          for (const one of steps) {
            await WRITES[one.kind]!(accountOf(caller, one.number, file), one.number, one.text);
            const { kept, counted } = await totals(caller.tenantId);
            expect(kept, one.kind).toBe(counted);
            // Automatic cuts are not refused.
            isFollowed ||= one.kind === 'cut' || one.kind === 'import';
            if (tier === 'Free' && !isFollowed) expect(kept, one.kind).toBeLessThanOrEqual(LIMIT);
          }
          expect(await daemon.db.writes.write('daemon', storageProblems)).toEqual([]);
          await caller.call('/v1/account', { method: 'DELETE' });
          expect(await recount(caller.tenantId)).toBe(0);
        },
      ),
      { numRuns: 4 },
    );
  }, 120_000);
});
