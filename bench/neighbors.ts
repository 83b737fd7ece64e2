import { join } from 'node:path';
import type { BenchOptions } from './benchmarks.ts';
import { withDatabases } from './databases.ts';
import { type FilledTenant, fillFolder } from './fill-folder.ts';
import { type LoadRequest, type LoadResult, load } from './load.ts';
import { inFreshFolder, type ServerProcess, startDaemon } from './processes.ts';
import type { Section } from './report.ts';
import { adding, columnsOf, searching, shuffled } from './routes.ts';
import { median, medianOf } from './statistics.ts';
import { createTexts, type Texts } from './texts.ts';

const CONNECTIONS = 4;
const MEMORIES = 1000;
const NEIGHBORS = 1000;
const MAX_SLOWER = 1.2;

interface Operation {
  name: string;
  /** Requests per slice. All slices together stay below one tenant's rate limit on a freshly started daemon. */
  slice: number;
  requestsOf(tenant: FilledTenant, texts: Texts): LoadRequest[];
}

const OPERATIONS: Operation[] = [
  {
    name: 'POST /v1/search',
    slice: 150,
    requestsOf: (tenant, texts) => Array.from({ length: 100 }, () => searching(tenant, texts)),
  },
  {
    name: 'GET /v1/memories/{id}',
    slice: 100,
    requestsOf: ({ apiKey, ids }) => shuffled(ids).map((id) => ({ method: 'GET', path: `/v1/memories/${id}`, apiKey })),
  },
  {
    name: 'GET /v1/memories',
    slice: 60,
    requestsOf: ({ apiKey }) => [{ method: 'GET', path: '/v1/memories', apiKey }],
  },
  { name: 'POST /v1/memories', slice: 80, requestsOf: (tenant, texts) => [adding(tenant, texts)] },
];
const SLICES = 6;

/** A filled data folder and the tenant measured in it. */
interface Target {
  dataDir: string;
  settings: Record<string, string>;
  tenant: FilledTenant;
}

/** One slice on each side. */
interface Pair {
  lone: LoadResult;
  crowd: LoadResult;
}

/** Measures a tenant alone in its data folder against the same tenant among a thousand others, alternating. */
export async function benchNeighbors(options: BenchOptions): Promise<Section> {
  return withDatabases(options.engine ?? 'sqlite', (createDatabase) =>
    inFreshFolder(async (folder) => {
      const lone = { dataDir: join(folder, 'lone'), tenants: 1 };
      const crowd = { dataDir: join(folder, 'crowd'), tenants: 1 + NEIGHBORS };
      const filled: Target[] = [];
      for (const folderPlan of [lone, crowd]) {
        options.progress(`filling ${folderPlan.tenants} tenants of ${MEMORIES} memories`);
        const groups = [{ tenants: folderPlan.tenants, memories: MEMORIES }];
        const { dataDir } = folderPlan;
        const settings = await createDatabase();
        const [tenants] = await fillFolder({ dataDir, settings, groups, seed: 5 });
        // From the middle, neither first nor last in the file.
        filled.push({ dataDir, settings, tenant: tenants![Math.floor(folderPlan.tenants / 2)]! });
      }
      const rounds: Pair[][][] = [];
      for (let round = 0; round < options.rounds; round += 1) {
        options.progress(`round ${round + 1} of ${options.rounds}`);
        rounds.push(await measure(filled[0]!, filled[1]!, options));
      }
      return sectionOf(rounds);
    }),
  );
}

/**
 * Runs every operation in slices, alternating between two freshly started daemons, so that the tenant's rate-limit
 * bucket is full. Returns the pairs of slices by operation.
 */
async function measure(lone: Target, crowd: Target, { nodeOptions }: BenchOptions): Promise<Pair[][]> {
  const texts = createTexts(6);
  const loneDaemon = await startDaemon({ ...lone, nodeOptions });
  const crowdDaemon = await startDaemon({ ...crowd, nodeOptions });
  const pairsByOperation: Pair[][] = [];
  try {
    for (const { slice, requestsOf } of OPERATIONS) {
      const one = ({ url }: ServerProcess, { tenant }: Target) =>
        load({ url, connections: CONNECTIONS, amount: slice, requestsOf: () => requestsOf(tenant, texts) });
      await one(loneDaemon, lone);
      await one(crowdDaemon, crowd);
      const pairs: Pair[] = [];
      for (let turn = 0; turn < SLICES; turn += 1) {
        // The order alternates too, so that other load on the machine affects both alike.
        const first = turn % 2 === 0 ? await one(loneDaemon, lone) : undefined;
        const crowded = await one(crowdDaemon, crowd);
        pairs.push({ lone: first ?? (await one(loneDaemon, lone)), crowd: crowded });
      }
      pairsByOperation.push(pairs);
    }
    return pairsByOperation;
  } finally {
    await loneDaemon.stop();
    await crowdDaemon.stop();
  }
}

function sectionOf(rounds: readonly Pair[][][]): Section {
  const measured = OPERATIONS.map(({ name }, index) => {
    const pairs = rounds.flatMap((operations) => operations[index]!);
    const slower = median(pairs.map(({ lone, crowd }) => crowd.p50 / lone.p50));
    const lone = pairs.map((pair) => pair.lone);
    const crowd = pairs.map((pair) => pair.crowd);
    return { name, lone: medianOf(lone), crowd: medianOf(crowd), slower };
  });
  return {
    name: 'neighbors',
    title: `A tenant of 1,000 memories, alone and among 1,000 others of the same size, ${CONNECTIONS} callers`,
    rows: measured.flatMap(({ name, lone, crowd, slower }) => [
      { request: name, tenant: 'alone', ...columnsOf(lone) },
      { request: '', tenant: 'among 1,000', ...columnsOf(crowd), 'times alone': slower },
    ]),
    findings: measured.map(({ name, slower }) => ({
      name: `${name} among 1,000 tenants relative to alone, p50`,
      value: slower,
      atMost: MAX_SLOWER,
    })),
  };
}
