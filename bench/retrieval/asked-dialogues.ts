import type { Database } from '../../src/db/open.ts';
import { insertRows } from '../../src/db/values.ts';
import { quantize } from '../../src/features/embeddings/quantize.ts';
import { agreementOf } from '../../src/features/search/agreement.ts';
import { type Candidate, compareCandidates } from '../../src/features/search/candidate.ts';
import { toCandidateQuery } from '../../src/features/search/candidate-query.ts';
import { createCandidates } from '../../src/features/search/candidates.ts';
import { parseQuery } from '../../src/features/search/parsed-query.ts';
import { matchesOf, rankMatches } from '../../src/features/search/ranking.ts';
import { type Recall, recallOf } from '../recall.ts';
import { isHeadline } from './recall-table.ts';
import type { StandIn } from './stand-ins.ts';
import type { StoredDialogues } from './stored-dialogues.ts';

/** An asked question. */
export interface Asked {
  /** How far the model agreed with words, as searches store it. */
  agreement: number | undefined;
  /** By similarity in meaning only. */
  alone: Recall;
  /** By the default weights, with that of meaning multiplied. */
  recallAt(factor: number): Recall;
}

interface OwnedRow {
  tenantId: string;
  scope: number;
  number: number;
  type: 'memory' | 'message';
}

const MODEL = 1;
const ROWS_PER_WRITE = 200;
const FIRST = 10;

/** Asks in this process, so that a question can be ranked by several weights. */
export async function createAskedDialogues(db: Database, { dialogues, idOf }: StoredDialogues) {
  const rows = await ownedRows(db);
  // Ids differ with each run.
  const keyOf = new Map([...idOf].map(([place, id]) => [id, place]));
  const idOfTurn = (sampleId: string, diaId: string) => idOf.get(`${sampleId} ${diaId}`)!;
  const candidates = createCandidates();
  const nowMs = Date.now();

  async function embed(standIn: StandIn): Promise<void> {
    // Turns with the same text are one memory.
    const vectors = new Map(
      dialogues.flatMap(({ sampleId, turns }) =>
        turns.map(({ diaId, text }) => {
          const id = idOfTurn(sampleId, diaId);
          return [id, quantize(standIn.turn(keyOf.get(id)!, text))] as const;
        }),
      ),
    );
    const values = [...vectors].map(([id, embedding]) => {
      const { tenantId, scope, type, number } = rows.get(id)!;
      return [tenantId, MODEL, scope, type, number, embedding];
    });
    await db.writes.write('daemon', async (connection) => {
      await connection.run('DELETE FROM vectors WHERE model = ?', [MODEL]);
      for (let at = 0; at < values.length; at += ROWS_PER_WRITE) {
        const batch = values.slice(at, at + ROWS_PER_WRITE);
        await insertRows(connection, 'INSERT INTO vectors (tenantId, model, scope, type, number, embedding)', batch);
      }
    });
  }

  async function askOne(query: string, wanted: readonly string[], standIn: StandIn | undefined): Promise<Asked> {
    const { tenantId, scope } = rows.get(wanted[0]!)!;
    const parsed = parseQuery(query, nowMs);
    const asked = toCandidateQuery({ tenantId, endUser: '' }, { query }, parsed, nowMs);
    const embedding =
      standIn &&
      quantize(
        standIn.question(
          query,
          wanted.map((id) => keyOf.get(id)!),
        ),
      );
    const vector = embedding && Promise.resolve({ model: MODEL, embedding });
    const found = await candidates.find(db.readers.of(tenantId), { ...asked, scope }, vector);
    const matches = matchesOf(found, parsed, nowMs);
    const recall = (ranked: readonly { item: Candidate }[]) =>
      recallOf(
        wanted,
        ranked.slice(0, FIRST).map(({ item }) => item.facts.id),
      );
    const nearest = matches
      .filter(({ item }) => item.scores.vector !== undefined)
      .sort((a, b) => b.item.scores.vector! - a.item.scores.vector! || compareCandidates(a.item, b.item));
    return {
      agreement: agreementOf(matches, found.memories),
      alone: recall(nearest),
      recallAt: (factor) => recall(rankMatches(matches, 'default', { meaning: factor }).ranked),
    };
  }

  return {
    /** Asks all questions but the adversarial ones, in turn of the dialogues. */
    async ask(standIn: StandIn | undefined): Promise<Asked[]> {
      if (standIn !== undefined) await embed(standIn);
      const questions = dialogues.flatMap(({ sampleId, questions: own }) =>
        own
          .filter(({ category }) => isHeadline(category))
          .map(({ text, evidence }) => ({ text, wanted: evidence.map((diaId) => idOfTurn(sampleId, diaId)) })),
      );
      const asked: Asked[] = [];
      for (const { text, wanted } of questions) asked.push(await askOne(text, wanted, standIn));
      return asked;
    },
  };
}

async function ownedRows(db: Database): Promise<Map<string, OwnedRow>> {
  const rows = await db.readers.all<OwnedRow & { id: string }>(
    `SELECT id, tenantId, scope, number, 'message' AS type FROM messages
     UNION ALL SELECT id, tenantId, scope, number, 'memory' FROM memories WHERE current = 1`,
  );
  return new Map(rows.map((row) => [row.id, row]));
}
