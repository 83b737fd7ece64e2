import { join } from 'node:path';
import type { BenchOptions } from './benchmarks.ts';
import { type FilledTenant, fillFolder } from './filling.ts';
import { type LoadRequest, type LoadResult, load } from './load.ts';
import { inFreshFolder, type ServerProcess, startDaemon } from './processes.ts';
import type { Section } from './report.ts';
import { adding, columnsOf, searching, shuffled } from './routes.ts';
import { median, medianOf } from './statistics.ts';
import { createTexts, type Texts } from './texts.ts';

const CONNECTIONS = 4;
const MEMORIES = 1000;
const NEIGHBOURS = 1000;
const MAX_SLOWER = 1.2;

interface Work {
  name: string;
  /** Requests of one turn. All turns together stay below what one tenant may ask of a daemon that has just started. */
  slice: number;
  requestsOf(tenant: FilledTenant, texts: Texts): LoadRequest[];
}

const WORKS: Work[] = [
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

/** A filled data folder and the tenant in it that is looked at. */
interface Place {
  dataDir: string;
  tenant: FilledTenant;
}

/** What one turn of each came to. */
interface Pair {
  lone: LoadResult;
  crowd: LoadResult;
}

/** A tenant alone in its data folder, and the same tenant in a folder with a thousand others, in turns. */
export async function benchNeighbours(options: BenchOptions): Promise<Section> {
  return inFreshFolder(async (folder) => {
    const lone = { dataDir: join(folder, 'lone'), tenants: 1 };
    const crowd = { dataDir: join(folder, 'crowd'), tenants: 1 + NEIGHBOURS };
    const filled: Place[] = [];
    for (const place of [lone, crowd]) {
      options.progress(`filling ${place.tenants} tenants of ${MEMORIES} memories`);
      const groups = [{ tenants: place.tenants, memories: MEMORIES }];
      const [tenants] = await fillFolder({ dataDir: place.dataDir, groups, seed: 5 });
      // One from the middle: neither the first nor the last of the file.
      filled.push({ dataDir: place.dataDir, tenant: tenants![Math.floor(place.tenants / 2)]! });
    }
    const rounds: Pair[][][] = [];
    for (let round = 0; round < options.rounds; round += 1) {
      options.progress(`round ${round + 1} of ${options.rounds}`);
      rounds.push(await measure(filled[0]!, filled[1]!, options));
    }
    return sectionOf(rounds);
  });
}

/**
 * All works in slices, the two daemons in turns. Both have just started, so that the tenant's bucket is full again.
 * The pairs of each work.
 */
async function measure(lone: Place, crowd: Place, { nodeOptions }: BenchOptions): Promise<Pair[][]> {
  const texts = createTexts(6);
  const loneDaemon = await startDaemon({ dataDir: lone.dataDir, nodeOptions });
  const crowdDaemon = await startDaemon({ dataDir: crowd.dataDir, nodeOptions });
  const pairsOfWorks: Pair[][] = [];
  try {
    for (const { slice, requestsOf } of WORKS) {
      const one = ({ url }: ServerProcess, { tenant }: Place) =>
        load({ url, connections: CONNECTIONS, amount: slice, requestsOf: () => requestsOf(tenant, texts) });
      await one(loneDaemon, lone);
      await one(crowdDaemon, crowd);
      const pairs: Pair[] = [];
      for (let turn = 0; turn < SLICES; turn += 1) {
        // Who comes first changes too: what the machine does besides hits both alike.
        const first = turn % 2 === 0 ? await one(loneDaemon, lone) : undefined;
        const beside = await one(crowdDaemon, crowd);
        pairs.push({ lone: first ?? (await one(loneDaemon, lone)), crowd: beside });
      }
      pairsOfWorks.push(pairs);
    }
    return pairsOfWorks;
  } finally {
    await loneDaemon.stop();
    await crowdDaemon.stop();
  }
}

function sectionOf(rounds: readonly Pair[][][]): Section {
  const measured = WORKS.map(({ name }, index) => {
    const pairs = rounds.flatMap((works) => works[index]!);
    const slower = median(pairs.map(({ lone, crowd }) => crowd.p50 / lone.p50));
    const lone = pairs.map((pair) => pair.lone);
    const crowd = pairs.map((pair) => pair.crowd);
    return { name, lone: medianOf(lone), crowd: medianOf(crowd), slower };
  });
  return {
    name: 'neighbours',
    title: `A tenant of 1,000 memories alone and beside 1,000 others of 1,000, ${CONNECTIONS} callers`,
    rows: measured.flatMap(({ name, lone, crowd, slower }) => [
      { request: name, tenant: 'alone', ...columnsOf(lone) },
      { request: '', tenant: 'beside 1,000', ...columnsOf(crowd), 'times alone': slower },
    ]),
    findings: measured.map(({ name, slower }) => ({
      name: `${name} beside 1,000 tenants as a multiple of alone, p50`,
      value: slower,
      atMost: MAX_SLOWER,
    })),
  };
}
