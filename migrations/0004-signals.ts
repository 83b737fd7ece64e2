import type { Knex } from 'knex';
import { bodyOf } from './0004-signals-text.ts';
import { deriveFrom } from './0004-signals-traits.ts';
import type { Migration } from './index.ts';

/**
 * Data for the search signals: message row ids derived from their positions, speakers and months as index tokens, index
 * vocabularies, and traits and dates of every text. Reindexes existing rows; takes some minutes per million messages.
 */
export const signals: Migration = {
  name: '0004-signals',
  async up(db) {
    for (const table of ['memories', 'messages', 'episodes']) {
      await db.raw(`ALTER TABLE ${table} ADD COLUMN traits INTEGER NOT NULL DEFAULT 0`);
      await db.raw(`ALTER TABLE ${table} ADD COLUMN dates TEXT`);
    }
    await numberMessages(db);
    for (const [table, sql] of Object.entries(TEXTS)) await indexAnew(db, table, sql);
  },
};

/** Row ids reserved per conversation. */
const PLACES = 2 ** 22;

/** Text, speaker and time range of each table's rows. */
const TEXTS = {
  memories: `m.content, m.tags, NULL AS speaker, COALESCE(m."occurredAt", m."createdAt") AS at,
    COALESCE(m."occurredAt", m."createdAt") AS until, m.current = 1 AND m."validTo" IS NULL AS live FROM memories m`,
  messages: `m.content, '[]' AS tags, m.name AS speaker, m."createdAt" AS at, m."createdAt" AS until, 1 AS live
    FROM messages m`,
  episodes: `m.title || ' ' || COALESCE(m.summary, '') || ' ' || COALESCE(m.outcome, '') AS content, '[]' AS tags,
    NULL AS speaker, m."startedAt" AS at, m."endedAt" AS until, 1 AS live FROM episodes m`,
};
const INDICES = { memories: 'memoryText', messages: 'messageText', episodes: 'episodeText' } as Record<string, string>;

interface Row {
  number: number;
  scope: number;
  content: string;
  tags: string;
  speaker: string | null;
  at: number;
  until: number;
  live: number;
}

async function numberMessages(db: Knex): Promise<void> {
  await db.raw('ALTER TABLE conversations ADD COLUMN number INTEGER NOT NULL DEFAULT 0');
  await db.raw(`UPDATE conversations SET number = n.number FROM
    (SELECT "tenantId", id, ROW_NUMBER() OVER (ORDER BY id, "tenantId") AS number FROM conversations) n
    WHERE n."tenantId" = conversations."tenantId" AND n.id = conversations.id`);
  await db.raw('CREATE UNIQUE INDEX conversations_number ON conversations (number)');
  // Negative row ids first: assigning the final ones directly would collide halfway.
  await db.raw(`UPDATE messages SET number = -(c.number * ${PLACES} + messages.ordinal) FROM conversations c
    WHERE c."tenantId" = messages."tenantId" AND c.id = messages."conversationId"`);
  await db.raw('UPDATE messages SET number = -number WHERE number < 0');
  // The row id now orders the messages of a conversation.
  await db.raw('DROP INDEX messages_tenantid_conversationid_ordinal_unique');
}

async function indexAnew(db: Knex, table: string, texts: string): Promise<void> {
  const index = INDICES[table]!;
  await db.raw(`DROP TABLE "${index}"`);
  await db.raw(`CREATE VIRTUAL TABLE "${index}" USING fts5(body, content='', contentless_delete=1,
    tokenize="porter ascii tokenchars '_'")`);
  await db.raw(`CREATE VIRTUAL TABLE "${index}Words" USING fts5vocab("${index}", 'row')`);
  let beyond = 0;
  for (;;) {
    const rows: Row[] = await db.raw(
      `SELECT m.number, m.scope, ${texts} WHERE m.number > ? ORDER BY m.number LIMIT 500`,
      [beyond],
    );
    for (const row of rows) await indexRow(db, table, row);
    if (rows.length < 500) return;
    beyond = rows.at(-1)!.number;
  }
}

async function indexRow(db: Knex, table: string, row: Row): Promise<void> {
  const { number, scope, content, at, until, speaker } = row;
  const { traits, dates } = deriveFrom(content, at);
  await db.raw(`UPDATE ${table} SET traits = ?, dates = ? WHERE number = ?`, [traits, dates, number]);
  const body = bodyOf({
    ...{ scope, speaker, at, until },
    texts: [content, ...tagsOf(row)],
    dates: table === 'episodes' ? null : dates,
    part: row.live === 1 ? 'live' : 'past',
  });
  await db.raw(`INSERT INTO "${INDICES[table]}" (rowid, body) VALUES (?, ?)`, [number, body]);
}

function tagsOf({ tags }: Row): string[] {
  return tags.startsWith('[') ? (JSON.parse(tags) as string[]) : [];
}
