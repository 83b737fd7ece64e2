import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MIGRATIONS } from '../../../migrations/index.ts';
import { type Connection, openConnection, type Value } from '../../../src/db/connection.ts';
import { ensureDatabaseFile } from '../../../src/db/database-file.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { messageRowId } from '../../../src/features/conversations/message-row.ts';
import type { Principal } from '../../../src/features/keys/keys.ts';
import { scopePrefix, termsOf, tokenOf } from '../../../src/features/text/terms.ts';
import { instant, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { expectFileEqualsRows } from './index-rows.ts';

/** Migrates a filled database from before search signals. */

const DAY_MS = 86_400_000;
const AT = Date.parse('2026-03-10T12:00:00Z');
const TENANTS = ['ten_a', 'ten_b'];
const USERS = ['ann', 'bob'];
const OLD_INDICES = ['memoryText', 'messageText', 'episodeText'] as const;
const WORDS = ['kayak', 'house', 'river', 'april', 'painted', 'crowd'];

let daemon: MemoryDaemon;
let folder: string;
/** What the old indices returned, by tenant, user and word. */
const foundBefore = new Map<string, string[]>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-signals-'));
  const file = await ensureDatabaseFile(folder);
  await migrate(file, MIGRATIONS.slice(0, 3));
  const connection = await openConnection(file);
  await connection.exec('BEGIN');
  await fill(connection);
  await connection.exec('COMMIT');
  for (const [place, scope] of scopes()) {
    for (const word of WORDS) foundBefore.set(`${place} ${word}`, await findBefore(connection, scope, word));
  }
  await connection.close();
  daemon = await startMemoryDaemon({ dataDir: folder });
});
afterAll(async () => {
  await daemon.stop();
  await rm(folder, { recursive: true, force: true });
});

const scopes = () =>
  TENANTS.flatMap((tenant, place) => USERS.map((user, of) => [`${tenant} ${user}`, place * 2 + of + 1] as const));

async function insert(connection: Connection, table: string, row: Record<string, Value>): Promise<void> {
  const names = Object.keys(row);
  await connection.run(
    `INSERT INTO ${table} (${names.map((name) => `"${name}"`)}) VALUES (${names.map(() => '?')})`,
    Object.values(row),
  );
}

/** Indexes words only, as the old indices did. */
async function index(connection: Connection, name: string, number: number, scope: number, text: string, past = false) {
  const prefix = scopePrefix(scope, past ? 'past' : 'live');
  const body = termsOf(text).map((term) => tokenOf(prefix, term));
  await insert(connection, name, { rowid: number, body: body.join(' ') });
}

async function fill(connection: Connection): Promise<void> {
  let number = 0;
  for (const tenantId of TENANTS)
    await insert(connection, 'tenants', { tenantId, email: tenantId, tier: 'Enterprise', createdAt: 0 });
  for (const [place, scope] of scopes()) {
    const [tenantId, endUser] = place.split(' ') as [string, string];
    await insert(connection, 'scopes', { scope, tenantId, endUser });
    const remember = async (id: string, content: string, more: Record<string, Value>) => {
      number += 1;
      const row = {
        ...{
          number,
          tenantId,
          id: `${id}_${scope}`,
          version: 1,
          current: 1,
          scope,
          endUser,
          content,
          contentHash: `h${number}`,
        },
        ...{ tags: '[]', metadata: '{}', occurredAt: null, expiresAt: null, validFrom: AT, validTo: null },
        ...{ supersededBy: null, createdAt: AT, updatedAt: AT, ...more },
      };
      await insert(connection, 'memories', row);
      const past = row.current === 0 || row.validTo !== null;
      await index(
        connection,
        'memoryText',
        number,
        scope,
        `${content}\n${JSON.parse(row.tags as string).join('\n')}`,
        past,
      );
    };
    const over = { validFrom: AT - 9 * DAY_MS, validTo: AT - DAY_MS };
    await remember('mem_red', 'The kayak was painted red', { ...over, supersededBy: `mem_blue_${scope}` });
    await remember('mem_blue', 'The kayak was painted blue yesterday', { tags: '["river"]' });
    await remember('mem_old', 'A house of one crowd', { ...over, current: 0 });
    await remember('mem_old', 'A house of two crowds', { version: 2, occurredAt: AT - 300 * DAY_MS });
    await converse(connection, { tenantId, endUser, scope });
    await insert(connection, 'episodes', {
      ...{
        number: scope,
        tenantId,
        id: `ep_${scope}`,
        scope,
        endUser,
        title: 'River trip',
        summary: 'In April',
        outcome: 'Wet',
      },
      ...{ memoryIds: '[]', metadata: '{}', cut: 0, edited: 0, version: 1, startedAt: AT, endedAt: AT + DAY_MS },
      ...{ createdAt: AT, updatedAt: AT },
    });
    await index(connection, 'episodeText', scope, scope, 'River trip In April Wet');
  }
}

let messages = 0;

/** Two conversations with interleaved message numbers, as they were assigned then. One message is erased. */
async function converse(
  connection: Connection,
  { tenantId, endUser, scope }: { tenantId: string; endUser: string; scope: number },
): Promise<void> {
  const ids = ['one', 'two'].map((name) => `conv_${name}_${scope}`);
  for (const id of ids) {
    await insert(connection, 'conversations', {
      ...{ tenantId, id, scope, endUser, metadata: '{}', version: 3, messageCount: 199, lastOrdinal: 200 },
      ...{ createdAt: AT, updatedAt: AT },
    });
  }
  for (let ordinal = 1; ordinal <= 200; ordinal += 1) {
    for (const [place, conversationId] of ids.entries()) {
      messages += 1;
      if (ordinal === 40) continue;
      const content = ordinal % 100 === 7 ? `Ask me about the house number ${ordinal}` : `turn ${ordinal} of ${place}`;
      await insert(connection, 'messages', {
        ...{ number: messages, tenantId, conversationId, ordinal, id: `msg_${messages}`, scope, role: 'user' },
        ...{ name: ordinal % 2 === 0 ? 'Zoe Lee' : null, content, metadata: '{}', createdAt: AT + ordinal },
      });
      await index(connection, 'messageText', messages, scope, content);
    }
  }
}

async function findBefore(connection: Connection, scope: number, word: string): Promise<string[]> {
  const tables = { memoryText: 'memories', messageText: 'messages', episodeText: 'episodes' };
  const ids = [];
  for (const name of OLD_INDICES) {
    const rows = await connection.all<{ id: string }>(
      `SELECT m.id FROM ${name} f JOIN ${tables[name]} m ON m.number = f.rowid WHERE ${name} MATCH ?`,
      [`"${tokenOf(scopePrefix(scope, 'live'), word)}"`],
    );
    ids.push(...rows.map(({ id }) => id));
  }
  return ids.sort();
}

const principal = (tenantId: string): Principal => ({
  ...{ tenantId, email: '', tier: 'Enterprise' },
  scope: 'account',
  credential: { kind: 'apiKey', hash: '', last4: '', createdAt: 0, lastUsedAt: null },
});

async function find(place: string, query: string, more: object = {}): Promise<string[]> {
  const [tenantId, user] = place.split(' ') as [string, string];
  const { results } = await daemon.search.search(principal(tenantId), { user, query, limit: 100, ...more });
  return results.map(({ id }) => id).sort();
}

describe('a database from before search signals', () => {
  test('finds by every word what it found before, for every user', async () => {
    for (const [place] of scopes()) {
      for (const word of WORDS) {
        const before = foundBefore.get(`${place} ${word}`)!;
        expect(before.length, word).toBeGreaterThan(0);
        expect(await find(place, word, { strategy: 'lexical' }), `${place} ${word}`).toEqual(before);
      }
    }
  });

  test('finds superseded memories only under asOf', async () => {
    const then = { asOf: instant(AT - 5 * DAY_MS), strategy: 'lexical', types: ['memory'] };
    expect(await find('ten_a ann', 'kayak', then)).toEqual(['mem_red_1']);
    expect(await find('ten_a ann', 'crowd', then)).toEqual(['mem_old_1']);
    expect(await find('ten_a ann', 'red', { strategy: 'lexical' })).toEqual([]);
  });

  test('has messages numbered by position, and conversations that can be continued', async () => {
    const rows = await daemon.db.readers.all<{ number: number; conversation: number; ordinal: number }>(
      `SELECT m.number, c.number AS conversation, m.ordinal FROM messages m JOIN conversations c
       ON c.tenantId = m.tenantId AND c.id = m.conversationId`,
    );
    expect(rows).toHaveLength(8 * 199);
    for (const { number, conversation, ordinal } of rows) expect(number).toBe(messageRowId(conversation, ordinal));
    const next = [{ role: 'user' as const, content: 'And on we go' }];
    const { body } = await daemon.conversations.appendOnce(principal('ten_b'), 'conv_two_4', next, undefined);
    expect(body.data).toMatchObject([{ ordinal: 201 }]);
    expect(await find('ten_b bob', 'go')).toContain(body.data[0]!.id);
  });

  test('finds existing items by neighbors, speakers, dates and corrected spellings', async () => {
    const near = await find('ten_a ann', 'house number 107', { types: ['message'] });
    expect(near.length).toBeGreaterThan(foundBefore.get('ten_a ann house')!.length);
    const { results } = await daemon.search.search(principal('ten_a'), {
      user: 'ann',
      query: 'Zoe turn 8',
      explain: true,
    });
    expect(results[0]).toMatchObject({ name: 'Zoe Lee', content: expect.stringContaining('turn 8 ') });
    expect(results[0]!.why!.signals.speaker!.value).toBe(1);
    expect(await find('ten_a ann', 'kayka')).toEqual(['mem_blue_1']);
    expect(await find('ten_a ann', 'What was it in May 2025?', { types: ['memory'] })).toEqual(['mem_old_1']);
  });

  test('has the indices, traits and dates of a fresh database', () => expectFileEqualsRows(join(folder, 'svc.db')));
});
