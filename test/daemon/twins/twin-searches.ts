import { findMemoryVector } from '../../../src/features/embeddings/vector-sync-store.ts';
import {
  deleteExcessWords,
  deleteSelectedWords,
  deleteSomeWordsOf,
  deleteWords,
  findWordItems,
  findWordsByRoot,
  findWordsOfItems,
  listWords,
} from '../../../src/features/learning/learned-words-store.ts';
import { findShownTexts } from '../../../src/features/learning/learning-store.ts';
import { addMemoryUses, findMemoryUses } from '../../../src/features/learning/memory-uses-store.ts';
import { findStoredSearch } from '../../../src/features/learning/stored-searches-store.ts';
import { readerOf, STRAY, write } from './twin-statements.ts';
import type { Scenario } from './twin-world.ts';

const STRAY_NUMBER = 777_777_777;
const ADD_SEARCH = `INSERT INTO searches (tenantId, id, endUser, bucket, candidates, signals, shown, createdAt, learnedFrom)
  VALUES (?, 'srch_stray', 'default', 'other', '', ?, ?, 1, '')`;
const EMPTY = Buffer.alloc(0);
const ADD_MEMORY = `INSERT INTO memories (tenantId, id, version, current, scope, endUser, content, contentHash, tags, metadata,
  validFrom, createdAt, updatedAt) VALUES (?, 'mem_stray', 1, 1, 1, 'default', 'x', 'x', '[]', '{}', 1, 1, 1)`;
const ADD_WORD = `INSERT INTO learnedWords (tenantId, endUser, root, itemId, word, strength, uses, observedUses, updatedAt)
  VALUES (?, 'default', 'griffin', 'mem_stray', 'griffin', 1, 1, 0, 1)`;
const ADD_MODEL = `INSERT INTO embeddingModels (tenantId, provider, name, state) VALUES (?, NULL, 'stray', 'serving')`;
const ADD_VECTOR = `INSERT INTO vectors (model, scope, type, number, tenantId, embedding)
  SELECT MAX(id), 1, 'memory', ?, ?, ? FROM embeddingModels WHERE tenantId = ?`;

/** Stored searches, uses and vectors of another, under ids that no rule would pass on to a store. */
export const STORED_SEARCHES: Record<string, Scenario> = {
  async 'find only its own searches and uses'(twin) {
    const { tenantId } = twin;
    const reader = readerOf(twin);
    await write(twin, async (connection) => {
      await connection.run(ADD_SEARCH, [STRAY, EMPTY, EMPTY]);
      await connection.run(ADD_MEMORY, [STRAY]);
      await connection.run(`INSERT INTO memoryUses (tenantId, memoryId, shown, used) VALUES (?, 'mem_used', 7, 7)`, [
        STRAY,
      ]);
      await addMemoryUses(connection, { tenantId, ids: ['mem_stray'], as: 'shown' });
    });
    twin.record('search', await findStoredSearch(reader, { tenantId, id: 'srch_stray', sinceMs: 0 }));
    twin.record('uses', await findMemoryUses(reader, tenantId, ['mem_used']));
    twin.record('counted uses', await findMemoryUses(reader, tenantId, ['mem_stray']));
    await write(twin, async (connection) => {
      for (const table of ['searches', 'memories', 'memoryUses']) {
        await connection.run(`DELETE FROM ${table} WHERE tenantId = ?`, [STRAY]);
      }
    });
  },

  async 'find, count and forget only its own learned words'(twin) {
    const user = { tenantId: twin.tenantId, endUser: 'default' };
    const reader = readerOf(twin);
    const words = [{ root: 'griffin', itemId: 'mem_stray' }];
    await write(twin, async (connection) => {
      await connection.run(ADD_MEMORY, [STRAY]);
      await connection.run(ADD_WORD, [STRAY]);
      await deleteWords(connection, user, words);
      await deleteSelectedWords(connection, user, { root: 'griffin' });
      await deleteExcessWords(connection, user, 0);
      await connection.run(ADD_WORD, [twin.tenantId]);
      await deleteExcessWords(connection, user, 1);
      twin.record('kept', await findWordsByRoot(connection, user, ['griffin']));
      await deleteSomeWordsOf(connection, { tenantId: twin.tenantId }, 100);
    });
    twin.record('by root', await findWordsByRoot(reader, user, ['griffin']));
    twin.record('of items', await findWordsOfItems(reader, user, ['mem_stray']));
    twin.record('items', await findWordItems(reader, twin.tenantId, 'memory', ['mem_stray']));
    const shown = new Map([['memory', ['mem_stray']]] as const);
    twin.record('texts', await findShownTexts(reader, twin.tenantId, shown, 99));
    twin.record('list', await listWords(reader, user, { itemId: 'mem_stray', after: undefined, limit: 9 }));
    await write(twin, async (connection) => {
      const left = await connection.all('SELECT root FROM learnedWords WHERE tenantId = ?', [STRAY]);
      twin.record('left', left);
      await connection.run('DELETE FROM learnedWords WHERE tenantId = ?', [STRAY]);
      await connection.run('DELETE FROM memories WHERE tenantId = ?', [STRAY]);
    });
  },

  async 'find only its own vectors'(twin) {
    const { tenantId } = twin;
    await write(twin, async (connection) => {
      for (const owner of [tenantId, STRAY]) await connection.run(ADD_MODEL, [owner]);
      // Of another's model, and of another's row.
      await connection.run(ADD_VECTOR, [STRAY_NUMBER, tenantId, EMPTY, STRAY]);
      await connection.run(ADD_VECTOR, [STRAY_NUMBER + 1, STRAY, EMPTY, tenantId]);
    });
    for (const number of [STRAY_NUMBER, STRAY_NUMBER + 1]) {
      twin.record('vector', await findMemoryVector(readerOf(twin), { tenantId, scope: 1, number }));
    }
    await write(twin, async (connection) => {
      await connection.run('DELETE FROM vectors WHERE number IN (?, ?)', [STRAY_NUMBER, STRAY_NUMBER + 1]);
      await connection.run(`DELETE FROM embeddingModels WHERE name = 'stray'`);
    });
  },
};
