import { startBareServer } from './bare.ts';
import type { BenchOptions } from './benchmarks.ts';
import { type FilledTenant, fillFolder } from './fill-folder.ts';
import { type LoadRequest, type LoadResult, load } from './load.ts';
import { inFreshFolder, startDaemon } from './processes.ts';
import type { Section } from './report.ts';
import { median, medianOf } from './statistics.ts';
import { createTexts, type Texts } from './texts.ts';

const CONNECTIONS = 50;
/** Enough tenants to stay below the rate limit of 3,000 requests a minute each. */
const SMALL = { tenants: 120, memories: 100 };
const LARGE = { tenants: 12, memories: 10_000 };

interface Route {
  name: string;
  /** Minimum share of bare Fastify's throughput. */
  target?: number;
  requestsOf(connection: number): LoadRequest[];
}

/** Measures three routes at 50 connections, each against a bare Fastify route of the same shape, alternating. */
export async function benchRoutes(options: BenchOptions): Promise<Section> {
  return inFreshFolder(async (dataDir) => {
    options.progress('filling 12 tenants of 10,000 memories and 120 of 100');
    const [small, large] = await fillFolder({ dataDir, groups: [SMALL, LARGE], seed: 1 });
    const daemon = await startDaemon({ dataDir, nodeOptions: options.nodeOptions });
    const bare = await startBareServer();
    try {
      const measured = [];
      for (const route of routesOver(small!, large!)) {
        options.progress(`${route.name} at ${CONNECTIONS} connections`);
        measured.push({ route, ...(await measure(route, daemon.url, bare.url, options)) });
      }
      return sectionOf(measured);
    } finally {
      await daemon.stop();
      await bare.stop();
    }
  });
}

function routesOver(small: readonly FilledTenant[], large: readonly FilledTenant[]): Route[] {
  const texts = createTexts(2);
  return [
    {
      name: 'POST /v1/memories',
      target: 0.2,
      requestsOf: () => shuffled(small).map((tenant) => adding(tenant, texts)),
    },
    {
      name: 'GET /v1/memories/{id}',
      target: 0.4,
      requestsOf: () =>
        shuffled(small.flatMap(({ apiKey, ids }) => ids.slice(0, 10).map((id) => ({ apiKey, id })))).map(
          ({ apiKey, id }) => ({ method: 'GET', path: `/v1/memories/${id}`, apiKey }),
        ),
    },
    {
      name: 'POST /v1/search',
      requestsOf: () =>
        Array.from({ length: 20 }, () => shuffled(large).map((tenant) => searching(tenant, texts))).flat(),
    },
  ];
}

let added = 0;

/** Adds a memory with unique content; repeated content would not be stored again. */
export function adding({ apiKey }: FilledTenant, texts: Texts): LoadRequest {
  // Generated once, with a counter appended: generating each text would load the client more than the server.
  const content = texts.memory();
  return {
    method: 'POST',
    path: '/v1/memories',
    apiKey,
    body: () => JSON.stringify({ content: `${content} ${++added}` }),
  };
}

export function searching({ apiKey }: FilledTenant, texts: Texts): LoadRequest {
  return { method: 'POST', path: '/v1/search', apiKey, body: JSON.stringify({ query: texts.query() }) };
}

/** Returns the items in random order, so that connections do not run in lockstep. */
export function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, order: Math.random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);
}

interface Measured {
  daemon: LoadResult;
  bare: LoadResult;
  ratio: number;
}

async function measure(
  { requestsOf }: Route,
  daemonUrl: string,
  bareUrl: string,
  { rounds, seconds }: BenchOptions,
): Promise<Measured> {
  const one = (url: string, length: number) => load({ url, connections: CONNECTIONS, seconds: length, requestsOf });
  await one(daemonUrl, 2);
  await one(bareUrl, 2);
  const daemon: LoadResult[] = [];
  const bare: LoadResult[] = [];
  for (let round = 0; round < rounds; round += 1) {
    daemon.push(await one(daemonUrl, seconds));
    bare.push(await one(bareUrl, seconds));
  }
  const ratios = daemon.map(({ perSecond }, round) => perSecond / bare[round]!.perSecond);
  return { daemon: medianOf(daemon), bare: medianOf(bare), ratio: median(ratios) };
}

function sectionOf(measured: readonly (Measured & { route: Route })[]): Section {
  return {
    name: 'routes',
    title: `Requests at ${CONNECTIONS} connections, against a bare Fastify route of the same shape`,
    rows: measured.flatMap(({ route, daemon, bare, ratio }) => [
      { route: route.name, server: 'svc', ...columnsOf(daemon), ratio },
      { route: '', server: 'bare Fastify', ...columnsOf(bare) },
    ]),
    findings: measured.map(({ route, ratio }) => ({
      name: `${route.name}, requests per second relative to bare Fastify`,
      value: ratio,
      ...(route.target !== undefined && { atLeast: route.target }),
    })),
  };
}

/** Returns a result as table columns. */
export function columnsOf({ perSecond, p50, p95, p99 }: LoadResult): Record<string, number> {
  return { 'per s': perSecond, 'p50 ms': p50, 'p95 ms': p95, 'p99 ms': p99 };
}
