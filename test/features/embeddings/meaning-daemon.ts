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
    vectors: () => numbers(`SELECT model || ' ' || type || ' ' || number AS place FROM vectors`),
    jobs: () => numbers(`SELECT model || ' ' || type || ' ' || number AS place FROM unembedded`),
    /** The rows that should have vectors, for each model that is not retiring. */
    rows: () =>
      numbers(`SELECT e.id || ' ' || r.type || ' ' || r.number AS place FROM embeddingModels e CROSS JOIN (
        SELECT 'memory' AS type, number, tenantId FROM memories WHERE current = 1 AND validTo IS NULL
        UNION ALL SELECT 'message', number, tenantId FROM messages
        UNION ALL SELECT 'episode', number, tenantId FROM episodes) r
        ON TRUE WHERE e.state <> 'retiring' AND e.tenantId IN ('', r.tenantId)`),
    async close() {
      await daemon.close();
      if (!options.embedder) await embedder.close();
    },
  };
}
