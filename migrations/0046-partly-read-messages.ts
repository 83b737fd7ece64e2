import type { Migration } from './index.ts';
import { TEXT } from './postgres/tables.ts';

/** How far memories were extracted from a message that is read in parts. Runs on both engines. */
export const partlyReadMessages: Migration = {
  name: '0046-partly-read-messages',
  async up(db) {
    const text = db.client.config.client === 'pg' ? TEXT : 'TEXT';
    await db.raw(`ALTER TABLE jobs ADD COLUMN "partlyRead" ${text}`);
    await db.raw(`ALTER TABLE extractions ADD COLUMN "partlyRead" ${text}`);
  },
};
