import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
  daemon = await startMemoryDaemon({ config: { storageLimits: { Free: LIMIT, Pro: null, Enterprise: null } } });
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

const KINDS = [
  ...['add', 'batch', 'supersede', 'change', 'expire', 'erase'],
  ...['converse', 'retitle', 'append', 'unsay', 'hang up'],
  ...['episode', 'rename', 'cut', 'follow', 'forget', 'import'],
] as const;
interface Step {
  kind: (typeof KINDS)[number];
  /** Selects one of the ids that the account has. */
  at: number;
  text: string;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  at: fc.nat(1000),
  text: fc.oneof(
    fc.constantFrom('Zoë sails', '海', 'plain'),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  ),
});

/** Does what a step says to one of the account's resources. Refusals of any kind are part of the run. */
async function take(caller: Caller, { kind, at, text }: Step, file: string): Promise<void> {
  const send = (method: string, path: string, body?: unknown) =>
    caller.call<{ data?: { id: string }[] }>(path, { method, ...(body !== undefined && { body }) });
  const one = async (path: string) => {
    const ids = ((await send('GET', `${path}?limit=200`)).body.data ?? []).map(({ id }) => id);
    return ids.length === 0 ? 'none' : ids[at % ids.length]!;
  };
  const memory = async () => `/v1/memories/${await one('/v1/memories')}`;
  const talk = async () => `/v1/conversations/${await one('/v1/conversations')}`;
  const episode = async () => `/v1/episodes/${await one('/v1/episodes')}`;
  const when = new Date(daemon.clock.nowMs()).toISOString();
  const contents = [text, [{ type: 'text', text: `${text} and so on.` }]];
  const messages = contents.map((content) => ({ role: 'user', content, name: 'Zoë' }));
  if (kind === 'add') await send('POST', '/v1/memories', { content: text, tags: [`t${at}`], metadata: { text } });
  else if (kind === 'batch') {
    await send('POST', '/v1/memories/batch', { memories: [0, 1, 2].map((n) => ({ content: `${text} ${at} ${n}` })) });
  } else if (kind === 'supersede') {
    const supersedes = await one('/v1/memories');
    await send('POST', '/v1/memories', { content: `${text} now`, supersedes, source: { messageId: `m${at}` } });
  } else if (kind === 'change') await send('PATCH', await memory(), { content: `${text} ${at}`, tags: [] });
  else if (kind === 'expire') {
    await send('POST', '/v1/memories', { content: `${text} soon`, expiresAt: new Date(Date.parse(when) + 1000) });
    daemon.clock.advance(2000);
    await daemon.memories.sweep();
  } else if (kind === 'erase') await send('DELETE', await memory());
  else if (kind === 'converse') await send('POST', '/v1/conversations', { title: text, metadata: { [text]: at } });
  else if (kind === 'retitle') await send('PATCH', await talk(), { title: at % 3 === 0 ? null : text });
  else if (kind === 'append') await send('POST', `${await talk()}/messages`, { messages });
  else if (kind === 'unsay') {
    const path = `${await talk()}/messages`;
    await send('DELETE', `${path}/${await one(path)}`);
  } else if (kind === 'hang up') await send('DELETE', await talk());
  else if (kind === 'episode') {
    const body = { title: text, outcome: text, memoryIds: ['mem_x'], startedAt: when, endedAt: when };
    await send('POST', '/v1/episodes', body);
  } else if (kind === 'rename') await send('PATCH', await episode(), { title: text, summary: `${text} ${at}` });
  else if (kind === 'cut') await send('POST', `${await talk()}/episodes`);
  else if (kind === 'follow') await daemon.episodes.follow();
  else if (kind === 'forget') await send('DELETE', await episode());
  else await portable(caller).send(file);
}

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
            await take(caller, one, file);
            const { kept, counted } = await totals(caller.tenantId);
            expect(kept, one.kind).toBe(counted);
            // The cuts that svc makes by itself are not refused.
            isFollowed ||= one.kind === 'cut' || one.kind === 'import';
            if (tier === 'Free' && !isFollowed) expect(kept, one.kind).toBeLessThanOrEqual(LIMIT);
          }
          expect(await daemon.db.writes.write('daemon', daemon.usage.storage.problems)).toEqual([]);
          await caller.call('/v1/account', { method: 'DELETE' });
          expect(await recount(caller.tenantId)).toBe(0);
        },
      ),
      { numRuns: 8 },
    );
  }, 120_000);
});
