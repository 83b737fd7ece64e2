import type { Migration } from './index.ts';

/** When a memory was corrected or stored again. Runs on both engines. */
export const memoriesSaidAgain: Migration = {
  name: '0047-memories-said-again',
  async up(db) {
    const integer = db.client.config.client === 'pg' ? 'bigint' : 'INTEGER';
    await db.raw(`ALTER TABLE memories ADD COLUMN "saidAt" ${integer}`);
  },
};
