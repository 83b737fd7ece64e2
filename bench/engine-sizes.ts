import { join } from 'node:path';
import pg from 'pg';
import { openPlainConnection } from '../src/db/connection.ts';
import type { BenchOptions } from './benchmarks.ts';
import type { Bar } from './charts/bar-chart.ts';
import { cpuMsOf, cpuMsOfFamily } from './cpu.ts';
import { settingsOf, withPostgres } from './databases.ts';
import { type FilledTenant, fillFolder } from './fill-folder.ts';
import { type LoadResult, load } from './load.ts';
import { inFreshFolder, type ServerProcess, startDaemon } from './processes.ts';
import { type Finding, formatNumber, type Section } from './report.ts';
import { columnsOf, searching } from './routes.ts';
import { medianOf } from './statistics.ts';
import { createTexts } from './texts.ts';

const SIZES = [10_000, 100_000];
/** Stays below the rate limit of 3,000 requests per minute. */
const REQUESTS = 200;
const WARM_UP = 50;
const CHART_TITLE = 'Search by memories in the account, 95th percentile';

/** A database with one tenant of each size, served by one daemon. */
interface Engine {
  name: 'SQLite' | 'PostgreSQL';
  daemon: ServerProcess;
  tenants: FilledTenant[];
  bytes: Bytes;
  /** CPU time of the daemon and the database's own processes so far. */
  cpuMs(): Promise<number>;
}

/** Bytes on disk, with those of their indexes. */
interface Bytes {
  /** Of the memories as rows. */
  rows: number;
  /** Of the full-text index. */
  text: number;
}

interface Measured extends LoadResult {
  /** Per request. */
  cpuMs: number;
}

/** Measures searches by the size of the tenant on both engines, alternating, and what a memory needs on disk. */
export async function benchEngineSizes(options: BenchOptions): Promise<Section> {
  const sizes = options.memories ?? SIZES;
  return inFreshFolder((folder) =>
    withEngines(folder, sizes, options, async (engines) => {
      const rows: Section['rows'] = [];
      const bars: Bar[] = [];
      for (const [index, memories] of sizes.entries()) {
        options.progress(`search of ${memories} memories`);
        for (const engine of engines) await measure(engine, index, WARM_UP);
        const rounds: Measured[][] = engines.map(() => []);
        for (let round = 0; round < options.rounds; round += 1) {
          for (const [at, engine] of engines.entries()) rounds[at]!.push(await measure(engine, index, REQUESTS));
        }
        for (const [at, { name }] of engines.entries()) {
          const result = medianOf(rounds[at]!);
          const size = at === 0 ? String(memories) : '';
          bars.push({
            label: `${memories.toLocaleString('en')}, ${name}`,
            value: result.p95,
            text: `${formatNumber(result.p95)} ms`,
            isOwn: name === 'SQLite',
          });
          rows.push({ memories: size, engine: name, ...columnsOf(result), 'CPU ms': result.cpuMs });
        }
      }
      const total = sizes.reduce((sum, memories) => sum + memories, 0);
      return {
        name: 'engine-sizes',
        title: 'Searches by the size of the tenant on both engines, one caller',
        rows,
        findings: engines.flatMap(({ name, bytes }) => findingsOf(name, bytes, total)),
        charts: [{ name: 'search-by-size', title: CHART_TITLE, subtitle: 'one caller; shorter is better', bars }],
      };
    }),
  );
}

function findingsOf(engine: string, { rows, text }: Bytes, memories: number): Finding[] {
  return [
    { name: `${engine}, bytes per memory, rows and their indexes`, value: rows / memories },
    { name: `${engine}, bytes per memory, full-text index`, value: text / memories },
  ];
}

async function withEngines<T>(
  folder: string,
  sizes: readonly number[],
  { nodeOptions, progress }: BenchOptions,
  work: (engines: Engine[]) => Promise<T>,
): Promise<T> {
  const groups = sizes.map((memories) => ({ tenants: 1, memories }));
  const fill = async (dataDir: string, settings: Record<string, string>) =>
    (await fillFolder({ dataDir, settings, groups, seed: 14 })).flat();
  const started: ServerProcess[] = [];
  return withPostgres(async (server) => {
    try {
      const folders = { sqlite: join(folder, 'sqlite'), postgres: join(folder, 'postgres') };
      progress(`filling SQLite with tenants of ${sizes.join(', ')} memories`);
      const onSqlite = await fill(folders.sqlite, {});
      const sqliteBytes = await sqliteBytesOf(join(folders.sqlite, 'svc.db'));
      progress(`filling PostgreSQL with tenants of ${sizes.join(', ')} memories`);
      const url = await server.createDatabase();
      const onPostgres = await fill(folders.postgres, settingsOf(url));
      const postgresBytes = await postgresBytesOf(url);
      const sqlite = await startDaemon({ dataDir: folders.sqlite, nodeOptions });
      started.push(sqlite);
      const postgres = await startDaemon({ dataDir: folders.postgres, settings: settingsOf(url), nodeOptions });
      started.push(postgres);
      return await work([
        {
          ...{ name: 'SQLite', daemon: sqlite, tenants: onSqlite, bytes: sqliteBytes },
          cpuMs: () => cpuMsOf(sqlite.pid),
        },
        {
          ...{ name: 'PostgreSQL', daemon: postgres, tenants: onPostgres, bytes: postgresBytes },
          cpuMs: async () => (await cpuMsOf(postgres.pid)) + (await cpuMsOfFamily(server.pid()!)),
        },
      ]);
    } finally {
      await Promise.all(started.map((daemon) => daemon.stop()));
    }
  });
}

async function measure({ daemon, tenants, cpuMs }: Engine, index: number, amount: number): Promise<Measured> {
  const texts = createTexts(15);
  const requestsOf = () => Array.from({ length: amount }, () => searching(tenants[index]!, texts));
  const beforeMs = await cpuMs();
  const result = await load({ url: daemon.url, connections: 1, amount, requestsOf });
  return { ...result, cpuMs: ((await cpuMs()) - beforeMs) / amount };
}

async function sqliteBytesOf(file: string): Promise<Bytes> {
  const connection = await openPlainConnection(file, { readOnly: true });
  try {
    return bytesOf(
      await connection.all(`SELECT m.tbl_name AS name, SUM(s.pgsize) AS bytes
        FROM dbstat s JOIN sqlite_master m ON m.name = s.name GROUP BY 1`),
    );
  } finally {
    await connection.close();
  }
}

/** After what autovacuum does in time, and with the space that it leaves for other rows. */
async function postgresBytesOf(url: string): Promise<Bytes> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query('VACUUM ANALYZE');
    const { rows } = await client.query<{ name: string; bytes: string }>(
      "SELECT tablename AS name, pg_total_relation_size(quote_ident(tablename)) AS bytes FROM pg_tables WHERE schemaname = 'public'",
    );
    return bytesOf(rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) })));
  } finally {
    await client.end();
  }
}

/** Every other table is small or of the daemon. */
function bytesOf(tables: readonly { name: string; bytes: number }[]): Bytes {
  const sum = (pattern: RegExp) =>
    tables.filter(({ name }) => pattern.test(name)).reduce((total, { bytes }) => total + bytes, 0);
  return { rows: sum(/^memor(ies|yTags|ySources)$/), text: sum(/^(memoryText|textDocuments|textPostings|wordTotals)/) };
}
