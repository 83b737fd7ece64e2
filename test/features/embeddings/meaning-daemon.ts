import type { EmbedderAddress } from '../../../src/outside/models/embedder.ts';
import type { TestDaemonOptions } from '../../helpers/daemon.ts';
import { type FakeEmbedder, startEmbedder } from '../../helpers/embedder.ts';
import { startMemoryDaemon } from '../memories/memory-daemon.ts';

export type MeaningDaemon = Awaited<ReturnType<typeof startMeaningDaemon>>;

/** A daemon with an embedder, plus access to its vectors. */
export async function startMeaningDaemon(
  options: TestDaemonOptions & { embedder?: FakeEmbedder; address?: EmbedderAddress } = {},
) {
  const embedder = options.embedder ?? (await startEmbedder());
  const address = options.address ?? embedder.openai();
  const daemon = await startMemoryDaemon({ ...options, config: { embeddings: address, ...options.config } });
  const embeddings = daemon.embeddings;
  const stored = `SELECT model || ' ' || type || ' ' || number AS place FROM vectors`;
  const queued = `SELECT model || ' ' || type || ' ' || number AS place FROM unembedded`;
  const needed = (models: string) => `SELECT e.id || ' ' || r.type || ' ' || r.number AS place
    FROM embeddingModels e CROSS JOIN (
      SELECT 'memory' AS type, number, tenantId FROM memories WHERE current = 1 AND validTo IS NULL
      UNION ALL SELECT 'message', number, tenantId FROM messages
      UNION ALL SELECT 'episode', number, tenantId FROM episodes) r
    ON TRUE WHERE e.state <> 'retiring' AND e.tenantId IN ('', r.tenantId) AND ${models}`;
  const numbers = async (sql: string) =>
    (await daemon.db.readers.all<{ place: string }>(sql)).map(({ place }) => place).sort();
  return {
    ...daemon,
    embedder,
    embeddings,
    /** Embeds everything that is waiting and due. */
    async embed() {
      // The current run may have polled already.
      for (let round = 0; round < 2; round += 1) {
        await embeddings.follow();
        await daemon.tenantEmbeddings.follow();
        await daemon.tenantEmbeddings.settled();
      }
    },
    vectors: () => numbers(stored),
    jobs: () => numbers(queued),
    /** The rows that should have vectors, for each model that is not retiring. */
    rows: () => numbers(needed('TRUE')),
    /**
     * The rows that have vectors or wait for them and those that should, for each model that is backfilled and not
     * retiring. Read in one statement, because texts are embedded in the background meanwhile.
     */
    async filled() {
      const isFilled = 'COALESCE(e.memoryFill, e.messageFill, e.episodeFill) IS NULL';
      const ofFilled = (table: string) => `SELECT t.model || ' ' || t.type || ' ' || t.number AS place FROM ${table} t
        JOIN embeddingModels e ON e.id = t.model WHERE e.state <> 'retiring' AND ${isFilled}`;
      const rows = await daemon.db.readers.all<{ side: 'have' | 'need'; place: string }>(
        `SELECT 'have' AS side, place FROM (${ofFilled('vectors')} UNION ALL ${ofFilled('unembedded')}) h
         UNION ALL SELECT 'need', place FROM (${needed(isFilled)}) n ORDER BY place`,
      );
      const of = (side: 'have' | 'need') => rows.filter((row) => row.side === side).map(({ place }) => place);
      return { have: of('have'), need: of('need') };
    },
    async close() {
      await daemon.close();
      if (!options.embedder) await embedder.close();
    },
  };
}
