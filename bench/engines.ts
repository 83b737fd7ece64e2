import { join } from 'node:path';
import type { BenchOptions } from './benchmarks.ts';
import { cpuMsOf, cpuMsOfFamily } from './cpu.ts';
import { settingsOf, withPostgres } from './databases.ts';
import { type FilledTenant, fillFolder } from './fill-folder.ts';
import { type LoadRequest, type LoadResult, load } from './load.ts';
import { inFreshFolder, type ServerProcess, startDaemon } from './processes.ts';
import type { Section } from './report.ts';
import { adding, columnsOf, searching, shuffled } from './routes.ts';
import { median, medianOf } from './statistics.ts';
import { createTexts } from './texts.ts';

/** Daemons that share the PostgreSQL database. */
const DAEMONS = [1, 2, 4];
/** Divisible by each of them. */
const CONNECTIONS = 48;
const WARM_UP_SECONDS = 2;
/** Enough tenants to stay below the rate limit of 3,000 requests a minute each. */
const SMALL = { tenants: 120, memories: 100 };
const LARGE_TENANTS = 12;
const MEMORIES = 10_000;

/** Daemons that serve one database, and the tenants in it. */
interface Setup {
  engine: 'SQLite' | 'PostgreSQL';
  daemons: ServerProcess[];
  /** CPU time of the database's own processes so far. */
  databaseCpuMs(): Promise<number>;
  tenants: FilledTenant[][];
}

interface Measured extends LoadResult {
  /** CPU time per request. */
  daemonCpuMs: number;
  databaseCpuMs: number;
}

interface Operation {
  name: string;
  requestsOf(tenants: FilledTenant[][]): LoadRequest[];
}

/** Measures writes, reads and searches on SQLite and on PostgreSQL with one, two and four daemons, alternating. */
export async function benchEngines(options: BenchOptions): Promise<Section> {
  const [memories = MEMORIES] = options.memories ?? [];
  return inFreshFolder((folder) =>
    withSetups(folder, memories, options, async (setups) => {
      const measured: { operation: Operation; rounds: Measured[][] }[] = [];
      for (const operation of operations()) {
        await warmUp(setups, operation);
        const rounds: Measured[][] = [];
        for (let round = 0; round < options.rounds; round += 1) {
          options.progress(`${operation.name}, round ${round + 1} of ${options.rounds}`);
          const results: Measured[] = [];
          for (const setup of setups) results.push(await measure(setup, operation, options.seconds));
          rounds.push(results);
        }
        measured.push({ operation, rounds });
      }
      return sectionOf(setups, measured, memories);
    }),
  );
}

/** Fills both engines alike and runs `work` with daemons on them; PostgreSQL's setups share its database. */
async function withSetups<T>(
  folder: string,
  memories: number,
  { nodeOptions, progress }: BenchOptions,
  work: (setups: Setup[]) => Promise<T>,
): Promise<T> {
  const groups = [SMALL, { tenants: LARGE_TENANTS, memories }];
  const started: ServerProcess[] = [];
  const start = async (dataDir: string, settings: Record<string, string>) => {
    const daemon = await startDaemon({ dataDir, settings, nodeOptions });
    started.push(daemon);
    return daemon;
  };
  return withPostgres(async (server) => {
    try {
      const filling = `${LARGE_TENANTS} tenants of ${memories} memories and ${SMALL.tenants} of ${SMALL.memories}`;
      progress(`filling SQLite with ${filling}`);
      const dataDir = join(folder, 'sqlite');
      const onSqlite = await fillFolder({ dataDir, groups, seed: 12 });
      progress(`filling PostgreSQL with ${filling}`);
      const settings = settingsOf(await server.createDatabase());
      const onPostgres = await fillFolder({ dataDir: join(folder, 'filling'), settings, groups, seed: 12 });
      const sqlite = await start(dataDir, {});
      const daemons: ServerProcess[] = [];
      for (let index = 0; index < Math.max(...DAEMONS); index += 1) {
        daemons.push(await start(join(folder, `daemon-${index}`), settings));
      }
      const databaseCpuMs = () => cpuMsOfFamily(server.pid()!);
      return await work([
        { engine: 'SQLite', daemons: [sqlite], databaseCpuMs: async () => 0, tenants: onSqlite },
        ...DAEMONS.map(
          (count): Setup => ({
            engine: 'PostgreSQL',
            daemons: daemons.slice(0, count),
            databaseCpuMs,
            tenants: onPostgres,
          }),
        ),
      ]);
    } finally {
      await Promise.all(started.map((daemon) => daemon.stop()));
    }
  });
}

function operations(): Operation[] {
  const texts = createTexts(13);
  return [
    {
      name: 'POST /v1/memories',
      requestsOf: ([small]) => shuffled(small!).map((tenant) => adding(tenant, texts)),
    },
    {
      name: 'GET /v1/memories/{id}',
      requestsOf: ([small]) =>
        shuffled(small!.flatMap(({ apiKey, ids }) => ids.slice(0, 10).map((id) => ({ apiKey, id })))).map(
          ({ apiKey, id }) => ({ method: 'GET', path: `/v1/memories/${id}`, apiKey }),
        ),
    },
    {
      name: 'POST /v1/search',
      requestsOf: ([, large]) =>
        Array.from({ length: 20 }, () => shuffled(large!).map((tenant) => searching(tenant, texts))).flat(),
    },
  ];
}

/** One daemon after the other, so that all of them run optimized code. */
async function warmUp(setups: readonly Setup[], operation: Operation): Promise<void> {
  const warm = new Set<ServerProcess>();
  for (const setup of setups) {
    for (const daemon of setup.daemons.filter((one) => !warm.has(one))) {
      await measure({ ...setup, daemons: [daemon] }, operation, WARM_UP_SECONDS);
      warm.add(daemon);
    }
  }
}

async function measure(setup: Setup, { requestsOf }: Operation, seconds: number): Promise<Measured> {
  const { daemons, databaseCpuMs, tenants } = setup;
  const cpuMs = async () => {
    const own = await Promise.all(daemons.map(({ pid }) => cpuMsOf(pid)));
    return { daemons: own.reduce((sum, ms) => sum + ms, 0), database: await databaseCpuMs() };
  };
  const before = await cpuMs();
  const result = await load({
    url: daemons.map(({ url }) => url),
    connections: CONNECTIONS,
    seconds,
    requestsOf: () => requestsOf(tenants),
  });
  const after = await cpuMs();
  return {
    ...result,
    daemonCpuMs: (after.daemons - before.daemons) / result.count,
    databaseCpuMs: (after.database - before.database) / result.count,
  };
}

function sectionOf(
  setups: readonly Setup[],
  measured: readonly { operation: Operation; rounds: Measured[][] }[],
  memories: number,
): Section {
  const compared = measured.flatMap(({ operation, rounds }) =>
    setups.map(({ engine, daemons }, index) => ({
      ...{ request: operation.name, engine, daemons: daemons.length },
      result: medianOf(rounds.map((results) => results[index]!)),
      ratio: median(rounds.map((results) => results[index]!.perSecond / results[0]!.perSecond)),
    })),
  );
  return {
    name: 'engines',
    title: `SQLite, and PostgreSQL with several daemons; ${CONNECTIONS} connections, ${memories} memories in tenants searched`,
    rows: compared.map(({ request, engine, daemons, result, ratio }) => ({
      request: engine === 'SQLite' ? request : '',
      engine,
      daemons: String(daemons),
      ...columnsOf(result),
      'CPU ms daemons': result.daemonCpuMs,
      'CPU ms database': result.databaseCpuMs,
      'times SQLite': ratio,
    })),
    findings: compared
      .filter(({ engine }) => engine === 'PostgreSQL')
      .map(({ request, daemons, ratio }) => ({
        name: `${request}, requests per second with ${daemons} on PostgreSQL relative to SQLite`,
        value: ratio,
      })),
  };
}
