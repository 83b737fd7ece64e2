import type { Migration } from './index.ts';
import { TEXT } from './postgres/tables.ts';

/** The member of a space who answers for where a webhook sends to. Runs on both engines. */
export const webhookAuthors: Migration = {
  name: '0044-webhook-authors',
  async up(db) {
    const text = db.client.config.client === 'pg' ? TEXT : 'TEXT';
    await db.raw(`ALTER TABLE webhooks ADD COLUMN author ${text}`);
  },
};
