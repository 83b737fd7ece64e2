import { ITEM_TYPES } from '../../../src/contract/search.ts';
import { backfillBatch, countWaiting, countWaitingFor } from '../../../src/features/embeddings/backfill-store.ts';
import {
  listDueJobs,
  storeVectors,
  updateAfterRejection,
} from '../../../src/features/embeddings/embedding-jobs-store.ts';
import {
  type EmbeddingModel,
  findModel,
  listModels,
  OPERATOR,
  resetBackfill,
} from '../../../src/features/embeddings/models-store.ts';
import {
  findServing,
  listOpenModels,
  promoteFillingModels,
} from '../../../src/features/embeddings/tenant-models-store.ts';
import { vectorProblems } from '../../../src/features/embeddings/vector-sync.ts';
import { deleteEmbedded, insertJobs } from '../../../src/features/embeddings/vector-sync-store.ts';
import {
  addModelAgreements,
  deleteModelAgreementsOf,
  deleteSomeAgreementsOfRemoved,
  findModelAgreement,
} from '../../../src/features/learning/model-agreements-store.ts';
import type { CandidateQuery } from '../../../src/features/search/candidate.ts';
import { createCandidates, SEARCH_ENGINES } from '../../../src/features/search/candidates.ts';
import { createSourceSearch } from '../../../src/features/search/source-search.ts';
import { SOURCES } from '../../../src/features/search/sources-store.ts';
import { readTotals } from '../../../src/features/text/word-totals.ts';
import { numbersOf, readerOf, STRAY, scopeOf, write } from './twin-statements.ts';
import type { Scenario, Twin } from './twin-world.ts';

const STRAY_NUMBER = 666_666_666;
const TABLES = { memory: 'memories', message: 'messages', episode: 'episodes' } as const;
const ADD_MODEL = `INSERT INTO embeddingModels (tenantId, provider, name, state) VALUES (?, NULL, 'small', ?)`;

const modelOf = async (twin: Twin, tenantId: string): Promise<EmbeddingModel | undefined> =>
  findServing(readerOf(twin), tenantId);

const queryOf = (tenantId: string, scope: number): CandidateQuery => ({
  ...{ tenantId, endUser: 'default', scope, terms: ['heron', 'pond'], months: [], filter: {} },
  ...{ asOfMs: undefined, nowMs: 0, pool: 9 },
});

/** Rows as no rule would write them: under the model or the number of another tenant. */
async function addWaiting(
  twin: Twin,
  { id }: EmbeddingModel,
  row: { type: string; number: number; tenantId: string },
): Promise<void> {
  await write(twin, (connection) =>
    connection.run(
      `INSERT INTO unembedded (model, type, number, tenantId, scope, attempts, dueAt) VALUES (?, ?, ?, ?, 1, 0, 0)
       ON CONFLICT DO NOTHING`,
      [id, row.type, row.number, row.tenantId],
    ),
  );
}

export const VECTORS: Record<string, Scenario> = {
  async 'delete only the vectors of its rows'(twin) {
    const { tenantId, otherId } = twin;
    for (const type of ITEM_TYPES) {
      const rows = (await numbersOf(twin, otherId, TABLES[type])).map((number) => ({ tenantId, scope: 1, number }));
      await write(twin, (connection) => deleteEmbedded(connection, type, rows));
    }
  },

  async 'list texts to embed'(twin) {
    const { tenantId, otherId } = twin;
    const reader = readerOf(twin);
    const model = (await modelOf(twin, tenantId))!;
    await addWaiting(twin, model, { type: 'message', number: 999_999_999, tenantId: STRAY });
    twin.record('open models', (await listOpenModels(reader, 1)).length);
    twin.record('waiting', await countWaitingFor(reader, model));
    twin.record('waiting for the operator', await countWaiting(reader));
    for (const [type, table] of Object.entries(TABLES)) {
      const [number = 888_888_888] = await numbersOf(twin, otherId, table);
      await addWaiting(twin, model, { type, number, tenantId });
    }
    const due = await listDueJobs(reader, model.id, { afterTenant: '', nowMs: 1, limit: 20 });
    twin.record(
      'due',
      due.map((job) => [job.tenantId, job.text]),
    );
  },

  async 'know the version of its own key'(twin) {
    const { tenantId } = twin;
    const change = (by: number) =>
      write(twin, (connection) =>
        connection.run('UPDATE providerKeys SET version = version + ? WHERE tenantId = ?', [by, tenantId]),
      );
    const before = (await modelOf(twin, tenantId))!.keyVersion;
    await change(1);
    twin.record('another version', (await modelOf(twin, tenantId))!.keyVersion !== before);
    await change(-1);
  },

  async 'store vectors and rejections only for its waiting rows'(twin) {
    const { tenantId } = twin;
    const model = (await modelOf(twin, tenantId))!;
    await addWaiting(twin, model, { type: 'message', number: STRAY_NUMBER, tenantId: STRAY });
    const select = 'SELECT id, attempts, dueAt FROM unembedded WHERE tenantId = ? AND number = ?';
    const waiting = () => readerOf(twin).get<{ id: number }>(select, [STRAY, STRAY_NUMBER]);
    const job = { id: (await waiting())!.id, tenantId };
    await write(twin, (connection) => updateAfterRejection(connection, job, 1));
    twin.record('rejected', { ...(await waiting()), id: undefined });
    const vectors = [{ job, embedding: Buffer.alloc(4 * model.dimensions!) }];
    await write(twin, (connection) => storeVectors(connection, model.id, vectors, model.dimensions!));
    twin.record('waiting', { ...(await waiting()), id: undefined });
  },

  async 'weigh models'(twin) {
    const { tenantId, otherId } = twin;
    const { id } = (await modelOf(twin, tenantId))!;
    const foreign = (await modelOf(twin, otherId))?.id ?? 777;
    const agreements = () =>
      readerOf(twin).all('SELECT searches FROM modelAgreements WHERE tenantId IN (?, ?) ORDER BY searches', [
        tenantId,
        STRAY,
      ]);
    await write(twin, async (connection) => {
      const observed = [id, foreign].map((model) => ({ model, share: 1 }));
      await addModelAgreements(connection, tenantId, observed);
      await connection.run(
        'INSERT INTO modelAgreements (tenantId, model, searches, agreed) VALUES (?, ?, 8, 8), (?, 888, 9, 9)',
        [STRAY, id, STRAY],
      );
    });
    twin.record('stored', await agreements());
    twin.record('its own', await findModelAgreement(readerOf(twin), tenantId, id));
    twin.record('of a foreign model', await findModelAgreement(readerOf(twin), tenantId, foreign));
    await write(twin, (connection) => deleteSomeAgreementsOfRemoved(connection, 9));
    twin.record('of models that exist', await agreements());
    await write(twin, (connection) => deleteModelAgreementsOf(connection, tenantId));
    twin.record('left', await agreements());
    twin.record('none', await findModelAgreement(readerOf(twin), tenantId, id));
    await write(twin, (connection) => deleteModelAgreementsOf(connection, STRAY));
  },

  async 'fill a model'(twin) {
    const { tenantId } = twin;
    const { id } = (await modelOf(twin, tenantId))!;
    await write(twin, async (connection) => {
      await connection.run('DELETE FROM vectors WHERE tenantId = ?', [tenantId]);
      const restart = `memoryFill = 0, messageFill = 0, episodeFill = 0, fillAfter = ''`;
      await connection.run(`UPDATE embeddingModels SET ${restart} WHERE id = ?`, [id]);
      await connection.run(
        `INSERT INTO vectors (model, scope, type, number, tenantId, embedding)
         SELECT ?, scope, 'episode', number, ?, ? FROM episodes WHERE tenantId = ?`,
        [id, STRAY, Buffer.of(0), tenantId],
      );
    });
    twin.record('waiting for the operator', await countWaiting(readerOf(twin)));
    for (let batch = 0; batch < 12; batch += 1) {
      const model = (await findModel(readerOf(twin), id))!;
      twin.record('filled', [model.fillAfter, await countWaitingFor(readerOf(twin), model)]);
      await write(twin, (connection) => backfillBatch(connection, model, 2));
    }
    const foreign = 'SELECT type, number FROM unembedded WHERE model = ? AND tenantId NOT IN (?, ?)';
    twin.record('waiting rows of the other', await readerOf(twin).all(foreign, [id, tenantId, STRAY]));
    await write(twin, resetBackfill);
    await write(twin, (connection) => connection.run('DELETE FROM vectors WHERE tenantId = ?', [STRAY]));
  },

  async 'serve the first model'(twin) {
    const { tenantId } = twin;
    await write(twin, async (connection) => {
      await connection.run(`UPDATE embeddingModels SET state = 'filling' WHERE tenantId = ?`, [tenantId]);
      await connection.run(ADD_MODEL, [STRAY, 'filling']);
      await promoteFillingModels(connection, tenantId);
    });
    const [stray] = await listModels(readerOf(twin), STRAY);
    twin.record('the model of another', stray!.state);
    await write(twin, (connection) => connection.run(ADD_MODEL, [OPERATOR, 'serving']));
    await write(twin, resetBackfill);
    twin.record('waiting for the operator', (await countWaiting(readerOf(twin))) > 0);
    const number = (await numbersOf(twin, tenantId, 'memories')).at(-1)!;
    const row = { tenantId, scope: await scopeOf(twin, tenantId), number };
    await write(twin, (connection) => insertJobs(connection, 'memory', [row], false));
    const queued = `SELECT id FROM unembedded WHERE tenantId = ? AND type = 'memory' AND number = ?`;
    twin.record('queued without the operator', (await readerOf(twin).all(queued, [tenantId, number])).length);
  },

  async 'find vectors of other rows and models'(twin) {
    const { tenantId, otherId } = twin;
    const model = (await modelOf(twin, tenantId))!;
    await write(twin, (connection) => connection.run('DELETE FROM unembedded WHERE model = ?', [model.id]));
    for (const [type, table] of Object.entries(TABLES)) {
      const number = (await numbersOf(twin, otherId, table)).at(-1) ?? 888_888_888;
      await addWaiting(twin, model, { type, number, tenantId });
      twin.record('problems', (await write(twin, vectorProblems)).length);
    }
    const other = await modelOf(twin, otherId);
    const [number] = await numbersOf(twin, tenantId, 'episodes');
    const foreign = { ...model, id: other?.id ?? 777 };
    await addWaiting(twin, foreign, { type: 'episode', number: number!, tenantId });
    twin.record('problems', (await write(twin, vectorProblems)).length);
  },

  async 'search the index of another'(twin) {
    const { tenantId, otherId } = twin;
    const reader = readerOf(twin);
    const query = queryOf(tenantId, await scopeOf(twin, otherId));
    twin.record('totals of the other', [...(await readTotals(reader, query))]);
    await write(twin, (connection) =>
      connection.run(
        `INSERT INTO wordTotals SELECT ?, scope, type, documents, words, passages, NULL FROM wordTotals WHERE scope = ?`,
        [tenantId, query.scope],
      ),
    );
    const { candidates } = await createCandidates().find(reader, query);
    twin.record('candidates', candidates.length);
    await write(twin, (connection) =>
      connection.run('DELETE FROM wordTotals WHERE tenantId = ? AND scope = ?', [tenantId, query.scope]),
    );
    const embedding = Buffer.alloc(16, 1);
    const vector = { model: (await modelOf(twin, otherId))?.id ?? 0, embedding };
    for (const type of ['memory', 'message', 'episode'] as const) {
      const totals = { documents: 1, words: 1, passages: 1 };
      const engine = SEARCH_ENGINES[reader.engine];
      const search = createSourceSearch({ reader, query, source: SOURCES[type], engine, totals });
      twin.record(`nearest ${type}`, [...(await engine.nearest(search, vector as never, 50))].length);
    }
    twin.record('totals', await ownTotals(twin));
  },

  async 'see the message before'(twin) {
    const { tenantId } = twin;
    const reader = readerOf(twin);
    const [first] = await numbersOf(twin, tenantId, 'messages');
    await write(twin, async (connection) => {
      const row = await connection.get('SELECT * FROM messages WHERE number = ?', [first!]);
      const names = Object.keys(row!);
      const changed: Record<string, string> = { number: 'number - 1', tenantId: `'${STRAY}'`, traits: '63' };
      const values = names.map((name) => changed[name] ?? name);
      await connection.run(`INSERT INTO messages (${names}) SELECT ${values} FROM messages WHERE number = ?`, [first!]);
    });
    const { candidates } = await createCandidates().find(reader, queryOf(tenantId, await scopeOf(twin, tenantId)));
    const facts = candidates
      .filter(({ type }) => type === 'message')
      .map(({ facts: { id, traitsBefore } }) => [id, traitsBefore]);
    twin.record('traits before', facts.sort());
  },
};

async function ownTotals(twin: Twin): Promise<unknown> {
  const { tenantId } = twin;
  const totals = await readTotals(readerOf(twin), { tenantId, scope: await scopeOf(twin, tenantId) });
  return [...totals].map(([type, { documents, words, passages }]) => [type, documents, words, passages]);
}
