import type { Migration } from './index.ts';
import { TEXT } from './postgres/tables.ts';

/** Who said each memory. Runs on both engines. */
export const memorySpeakers: Migration = {
  name: '0032-memory-speakers',
  async up(db) {
    // Null where it is not known.
    await db.raw(`ALTER TABLE memories ADD COLUMN origin ${db.client.config.client === 'pg' ? TEXT : 'TEXT'}`);
  },
};
