import type { Migration } from './index.ts';
import { TEXT } from './postgres/tables.ts';

/** A version of each user's index, which every change replaces. Runs on both engines. */
export const indexVersions: Migration = {
  name: '0031-index-versions',
  async up(db) {
    // Null until the next change.
    await db.raw(`ALTER TABLE "wordTotals" ADD COLUMN version ${db.client.config.client === 'pg' ? TEXT : 'TEXT'}`);
  },
};
