import type { Migration } from './index.ts';

/** The texts of each table that count as stored bytes. */
const TEXTS = {
  memories: ['content', 'tags', 'metadata', 'source'],
  conversations: ['title', 'metadata'],
  messages: ['content', 'name', 'metadata'],
  episodes: ['title', 'summary', 'outcome', 'memoryIds', 'metadata'],
};

/** The bytes of text in each row, and their total per tenant, which triggers keep in the transaction of every write. */
export const storedBytes: Migration = {
  name: '0012-stored-bytes',
  async up(db) {
    await db.raw('ALTER TABLE tenants ADD COLUMN "storedBytes" BIGINT NOT NULL DEFAULT 0');
    for (const [table, texts] of Object.entries(TEXTS)) {
      const length = texts.map((column) => `COALESCE(LENGTH(CAST("${column}" AS BLOB)), 0)`).join(' + ');
      await db.raw(`ALTER TABLE ${table} ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0`);
      await db.raw(`UPDATE ${table} SET bytes = ${length}`);
      await db.raw(`UPDATE tenants SET "storedBytes" = "storedBytes" + total.bytes
        FROM (SELECT "tenantId", SUM(bytes) AS bytes FROM ${table} GROUP BY "tenantId") AS total
        WHERE total."tenantId" = tenants."tenantId"`);
      // SQLite only: PostgreSQL needs trigger functions with the same effect.
      const add = (bytes: string, of: 'NEW' | 'OLD') =>
        `UPDATE tenants SET "storedBytes" = "storedBytes" + ${bytes} WHERE "tenantId" = ${of}."tenantId"`;
      await db.raw(`CREATE TRIGGER ${table}_bytes_added AFTER INSERT ON ${table}
        BEGIN ${add('NEW.bytes', 'NEW')}; END`);
      await db.raw(`CREATE TRIGGER ${table}_bytes_removed AFTER DELETE ON ${table}
        BEGIN ${add('(- OLD.bytes)', 'OLD')}; END`);
      await db.raw(`CREATE TRIGGER ${table}_bytes_changed AFTER UPDATE OF bytes ON ${table}
        WHEN NEW.bytes <> OLD.bytes BEGIN ${add('NEW.bytes - OLD.bytes', 'NEW')}; END`);
    }
  },
};
