import { join } from 'node:path';
import { openConnection } from '../src/db/connection.ts';
import { queryTerms, scopePrefix, tokenOf } from '../src/features/text/terms.ts';
import type { BenchOptions } from './benchmarks.ts';
import { type FilledTenant, fillFolder } from './fill-folder.ts';
import { type LoadResult, load } from './load.ts';
import { inFreshFolder, startDaemon } from './processes.ts';
import type { Section } from './report.ts';
import { columnsOf, searching, shuffled } from './routes.ts';
import { latenciesOf, median, medianOf } from './statistics.ts';
import { createTexts } from './texts.ts';

const GROUP = { tenants: 10, memories: 10_000 };
const CALLERS = [1, 4];
/** The minimum a search needs from SQLite: rank through the index, then read the candidates' rows by row id. */
const SQL = `SELECT m.*, f.score FROM
    (SELECT rowid AS number, bm25(memoryText) AS score FROM memoryText
     WHERE memoryText MATCH ? ORDER BY bm25(memoryText) LIMIT 50) f
  CROSS JOIN memories m ON m.number = f.number WHERE m.tenantId = ?`;

interface BareQuery {
  match: string;
  tenantId: string;
}

/** Measures searches over HTTP against the bare full-text query in this process, on the same file, alternating. */
export async function benchQuery(options: BenchOptions): Promise<Section> {
  return inFreshFolder(async (dataDir) => {
    options.progress('filling 10 tenants of 10,000 memories');
    const [tenants] = await fillFolder({ dataDir, groups: [GROUP], seed: 3 });
    const daemon = await startDaemon({ dataDir, nodeOptions: options.nodeOptions });
    try {
      const measured = [];
      for (const callers of CALLERS) {
        options.progress(`search with ${callers} ${callers === 1 ? 'caller' : 'callers'}`);
        measured.push({ callers, ...(await measure(daemon.url, dataDir, tenants!, callers, options)) });
      }
      return sectionOf(measured);
    } finally {
      await daemon.stop();
    }
  });
}

async function measure(
  url: string,
  dataDir: string,
  tenants: readonly FilledTenant[],
  callers: number,
  { rounds, seconds }: BenchOptions,
) {
  const texts = createTexts(4);
  const requestsOf = () =>
    Array.from({ length: 50 }, () => shuffled(tenants).map((one) => searching(one, texts))).flat();
  const connections = await Promise.all(
    Array.from({ length: callers }, () => openConnection(join(dataDir, 'svc.db'), { readOnly: true })),
  );
  const scopes = await connections[0]!.all<{ tenantId: string; scope: number }>('SELECT tenantId, scope FROM scopes');
  const queries = Array.from({ length: 50 }, () => shuffled(scopes).map((one) => ({ ...one, query: texts.query() })))
    .flat()
    .map(({ tenantId, scope, query }) => ({ tenantId, match: matchOf(scope, query) }));
  const daemon: LoadResult[] = [];
  const bare: LoadResult[] = [];
  await load({ url, connections: callers, seconds: 2, requestsOf });
  await runBareQueries(connections, queries, 2);
  for (let round = 0; round < rounds; round += 1) {
    daemon.push(await load({ url, connections: callers, seconds, requestsOf }));
    bare.push(await runBareQueries(connections, queries, seconds));
  }
  for (const connection of connections) await connection.close();
  const multiple = median(daemon.map(({ p50 }, round) => p50 / bare[round]!.p50));
  return { daemon: medianOf(daemon), bare: medianOf(bare), multiple };
}

function matchOf(scope: number, query: string): string {
  const prefix = scopePrefix(scope, 'live');
  return queryTerms(query)
    .map((term) => `"${tokenOf(prefix, term)}"`)
    .join(' OR ');
}

/** Each caller uses one connection and sends its next query when the previous one has been answered. */
async function runBareQueries(
  connections: readonly Awaited<ReturnType<typeof openConnection>>[],
  queries: readonly BareQuery[],
  seconds: number,
): Promise<LoadResult> {
  const latencies: number[] = [];
  const startedMs = performance.now();
  await Promise.all(
    connections.map(async (connection, caller) => {
      for (let next = caller * 7; performance.now() - startedMs < seconds * 1000; next += 1) {
        const { match, tenantId } = queries[next % queries.length]!;
        const sentMs = performance.now();
        await connection.all(SQL, [match, tenantId]);
        latencies.push(performance.now() - sentMs);
      }
    }),
  );
  const count = latencies.length;
  return { count, perSecond: (count / (performance.now() - startedMs)) * 1000, ...latenciesOf(latencies) };
}

function sectionOf(
  measured: readonly { callers: number; daemon: LoadResult; bare: LoadResult; multiple: number }[],
): Section {
  return {
    name: 'query',
    title: 'Search over HTTP against the bare FTS5 query (10,000 memories in the tenant)',
    rows: measured.flatMap(({ callers, daemon, bare, multiple }) => [
      { callers, what: 'POST /v1/search', ...columnsOf(daemon), 'times bare': multiple },
      { callers: '', what: 'bare query', ...columnsOf(bare) },
    ]),
    findings: measured.flatMap(({ callers, daemon, multiple }) => {
      const who = `${callers} ${callers === 1 ? 'caller' : 'callers'}`;
      const times = { name: `search relative to the bare query, p50, ${who}`, value: multiple, atMost: 2 };
      return callers === 4 ? [times, { name: `search p95 in ms, ${who}`, value: daemon.p95, atMost: 15 }] : [times];
    }),
  };
}
