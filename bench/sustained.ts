import type { BenchOptions } from './benchmarks.ts';
import { type FilledTenant, fillFolder } from './fill-folder.ts';
import { type LoadResult, load } from './load.ts';
import { inFreshFolder, startDaemon } from './processes.ts';
import type { Section } from './report.ts';
import { adding, searching, shuffled } from './routes.ts';
import { median } from './statistics.ts';
import { createTexts } from './texts.ts';

/** Enough tenants to stay below the rate limit of 3,000 requests a minute each. */
const SMALL = { tenants: 60, memories: 200 };
const LARGE = { tenants: 4, memories: 10_000 };
const WRITES = { connections: 8, perSecond: 200 };
const SEARCHES = { connections: 4, perSecond: 20 };
const PARTS = 10;
/** Caches are full by then. */
const WARM_PARTS = 2;
const SEARCH_P99_AIM_MS = 40;
const GROWTH_AIM = 1.15;

interface Part {
  writes: LoadResult;
  searches: LoadResult;
  residentMib: number;
  /** Without the database file, of which more is mapped as it grows. */
  ownMib: number;
}

/** Writes and searches of small and large tenants together, at a steady rate, for `seconds` in ten parts. */
export async function benchSustained(options: BenchOptions): Promise<Section> {
  const { seconds, nodeOptions, progress } = options;
  return inFreshFolder(async (dataDir) => {
    progress(`filling ${LARGE.tenants} tenants of 10,000 memories and ${SMALL.tenants} of ${SMALL.memories}`);
    const [small, large] = await fillFolder({ dataDir, groups: [SMALL, LARGE], seed: 5 });
    const daemon = await startDaemon({ dataDir, nodeOptions });
    const parts: Part[] = [];
    try {
      for (let part = 1; part <= PARTS; part += 1) {
        progress(`part ${part} of ${PARTS}`);
        const measured = await measure(daemon.url, [...small!, ...large!], seconds / PARTS);
        parts.push({ ...measured, residentMib: await daemon.residentMib(), ownMib: await daemon.ownMib() });
      }
    } finally {
      await daemon.stop();
    }
    return sectionOf(parts, seconds);
  });
}

async function measure(url: string, tenants: readonly FilledTenant[], seconds: number) {
  const texts = createTexts(6);
  const writing = { ...WRITES, requestsOf: () => shuffled(tenants).map((tenant) => adding(tenant, texts)) };
  const asking = { ...SEARCHES, requestsOf: () => shuffled(tenants).map((tenant) => searching(tenant, texts)) };
  const [writes, searches] = await Promise.all([load({ url, seconds, ...writing }), load({ url, seconds, ...asking })]);
  return { writes, searches };
}

function sectionOf(parts: readonly Part[], seconds: number): Section {
  const warm = parts.slice(WARM_PARTS);
  // Garbage collection lets it rise and fall.
  const ownMibOf = (some: readonly Part[]) => median(some.map(({ ownMib }) => ownMib));
  return {
    name: 'sustained',
    title: `${WRITES.perSecond} writes and ${SEARCHES.perSecond} searches a second together, ${seconds} seconds`,
    rows: parts.map(({ writes, searches, residentMib, ownMib }, index) => ({
      part: String(index + 1),
      'writes per s': writes.perSecond,
      'write p50 ms': writes.p50,
      'write p99 ms': writes.p99,
      'search p50 ms': searches.p50,
      'search p99 ms': searches.p99,
      'resident MiB': residentMib,
      'without files': ownMib,
    })),
    findings: [
      { name: 'writes, p99 ms, median of the parts', value: median(warm.map(({ writes }) => writes.p99)) },
      {
        name: 'searches, p99 ms, median of the parts',
        value: median(warm.map(({ searches }) => searches.p99)),
        atMost: SEARCH_P99_AIM_MS,
      },
      {
        name: 'memory without mapped files, of the last three parts relative to the first three warm ones',
        value: ownMibOf(warm.slice(-3)) / ownMibOf(warm.slice(0, 3)),
        atMost: GROWTH_AIM,
      },
    ],
  };
}
