import type { Migration } from './index.ts';
import { TEXT } from './postgres/tables.ts';

/** How far each expert was trusted at the end of a day. Runs on both engines. */
export const mixtureDays: Migration = {
  name: '0024-mixture-days',
  async up(db) {
    const text = db.client.config.client === 'pg' ? TEXT : 'TEXT';
    // JSON: the probability of each expert. Null in rows that were stored before.
    await db.raw(`ALTER TABLE "learningDays" ADD COLUMN mixture ${text}`);
  },
};
