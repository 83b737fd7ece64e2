import type { Knex } from 'knex';
import type { Migration } from './index.ts';

/** What BM25 needs to know of each user's texts: totals by user and type, and the occurrences of each token. */
export const wordTotals: Migration = {
  name: '0011-word-totals',
  async up(db) {
    await db.raw(`CREATE TABLE "wordTotals" ("tenantId" TEXT NOT NULL, scope INTEGER NOT NULL, type TEXT NOT NULL,
      documents INTEGER NOT NULL, words INTEGER NOT NULL, passages INTEGER NOT NULL,
      PRIMARY KEY ("tenantId", scope, type))`);
    for (const [type, { index, rows }] of Object.entries(INDICES)) {
      await db.raw(`CREATE VIRTUAL TABLE "${index}Instances" USING fts5vocab("${index}", 'instance')`);
      await count(db, type, `"${index}_docsize" d CROSS JOIN ${rows} r ON r.number = d.id`);
    }
    await db.raw(`UPDATE "wordTotals" SET passages = p.passages FROM
      (SELECT "tenantId", scope, COUNT(DISTINCT number / ${PASSAGE_MESSAGES}) AS passages FROM messages
       WHERE number IN (SELECT id FROM "messageText_docsize") GROUP BY "tenantId", scope) p
      WHERE p."tenantId" = "wordTotals"."tenantId" AND p.scope = "wordTotals".scope AND type = 'message'`);
  },
};

const INDICES = {
  memory: { index: 'memoryText', rows: 'memories' },
  message: { index: 'messageText', rows: 'messages' },
  episode: { index: 'episodeText', rows: 'episodes' },
};
const PASSAGE_MESSAGES = 64;

interface Group {
  tenantId: string;
  scope: number;
  length: string;
  documents: number;
}

async function count(db: Knex, type: string, documents: string): Promise<void> {
  const groups: Group[] = await db.raw(
    `SELECT r."tenantId", r.scope, HEX(d.sz) AS length, COUNT(*) AS documents FROM ${documents}
     GROUP BY r."tenantId", r.scope, d.sz`,
  );
  for (const { tenantId, scope, length, documents: found } of groups) {
    await db.raw(
      `INSERT INTO "wordTotals" VALUES (?, ?, ?, ?, ?, 0) ON CONFLICT DO UPDATE
       SET documents = documents + excluded.documents, words = words + excluded.words`,
      [tenantId, scope, type, found, found * lengthOfHex(length)],
    );
  }
}

/** Decodes the varint of the SQLite file format in which FTS5 stores the length of a document. */
function lengthOfHex(hex: string): number {
  let value = 0;
  for (const byte of Buffer.from(hex, 'hex')) value = value * 128 + (byte & 0x7f);
  return value;
}
