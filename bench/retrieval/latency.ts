import { startEmbedder } from '../../test/helpers/embedder.ts';
import type { BenchOptions } from '../benchmarks.ts';
import { type FilledTenant, fillFolder } from '../fill-folder.ts';
import { type LoadRequest, type LoadResult, load } from '../load.ts';
import { inFreshFolder, startDaemon } from '../processes.ts';
import type { Section } from '../report.ts';
import { columnsOf } from '../routes.ts';
import { medianOf } from '../statistics.ts';
import { createTexts, type Texts } from '../texts.ts';
import { untilEmbedded } from './stored-dialogues.ts';

/** One tenant with 10,000 messages, one with 100,000, and a thousand small ones. */
const GROUPS = [
  { tenants: 1, memories: 0, conversations: { count: 50, messages: 200 } },
  { tenants: 1, memories: 0, conversations: { count: 500, messages: 200 } },
  { tenants: 1000, memories: 10 },
];
const NAMES = ['10,000 messages', '100,000 messages', '10 memories'];
const P95_AIMS_MS = [15, 80];
/** With an embedder that answers immediately. */
const MEANING_P95_AIMS_MS = [25, 120];
const DIMENSIONS = 384;
const LOOP_DELAY_AIM_MS = 20;
/** Stays below the rate limit of 3,000 requests per minute. */
const REQUESTS = 200;
const WARM_UP = 50;

interface Measured {
  work: string;
  size: string;
  callers: number;
  result: LoadResult;
  loopDelayMs: number;
}

/** Measures searches and contexts by tenant size, and the daemon's event loop delay. */
export async function benchRecall(options: BenchOptions): Promise<Section> {
  return inFreshFolder(async (dataDir) => {
    const filled = await fillAll(dataDir, options);
    const measured = await measureAll(dataDir, {}, filled, options);
    return sectionOf('recall', 'no embedder', measured, P95_AIMS_MS);
  });
}

/** The same with vectors: each search calls the embedder and scans all vectors of its user. */
export async function benchMeaning(options: BenchOptions): Promise<Section> {
  const embedder = await startEmbedder({ dimensions: DIMENSIONS });
  try {
    return await inFreshFolder(async (dataDir) => {
      const filled = await fillAll(dataDir, options);
      const measured = await measureAll(dataDir, { SVC_EMBEDDINGS: `${embedder.base}/v1#small` }, filled, options);
      return sectionOf('meaning', `vectors of ${DIMENSIONS} dimensions`, measured, MEANING_P95_AIMS_MS);
    });
  } finally {
    await embedder.close();
  }
}

function fillAll(dataDir: string, { progress }: BenchOptions): Promise<FilledTenant[][]> {
  progress('filling tenants of 10,000 and 100,000 messages, and 1,000 small ones');
  return fillFolder({ dataDir, groups: GROUPS, seed: 7 });
}

async function measureAll(
  dataDir: string,
  settings: Record<string, string>,
  filled: FilledTenant[][],
  options: BenchOptions,
): Promise<Measured[]> {
  const daemon = await startDaemon({ dataDir, settings, nodeOptions: options.nodeOptions });
  try {
    const startMs = performance.now();
    const elapsedSeconds = () => Math.round((performance.now() - startMs) / 1000);
    await untilEmbedded(daemon.url, {
      everyMs: 10_000,
      onWaiting: (texts) => options.progress(`${texts} texts wait for their vectors after ${elapsedSeconds()} s`),
    });
    const measured: Measured[] = [];
    for (const [place, size] of NAMES.entries()) {
      for (const [path, callers] of [
        ['search', 1],
        ['search', 4],
        ['context', 1],
      ] as const) {
        options.progress(`${path} of ${size}, ${callers} ${callers === 1 ? 'caller' : 'callers'}`);
        const tenant = filled[place]![0]!;
        measured.push({ work: path, size, callers, ...(await measure(daemon.url, tenant, path, callers, options)) });
      }
    }
    return measured;
  } finally {
    await daemon.stop();
  }
}

async function measure(
  url: string,
  { apiKey }: FilledTenant,
  path: 'search' | 'context',
  callers: number,
  { rounds }: BenchOptions,
): Promise<{ result: LoadResult; loopDelayMs: number }> {
  const texts = createTexts(8);
  const requestsOf = () => [asking(apiKey, path, texts)];
  await load({ url, connections: callers, amount: WARM_UP, requestsOf });
  await loopDelayOf(url);
  const results: LoadResult[] = [];
  for (let round = 0; round < Math.min(3, rounds); round += 1) {
    results.push(await load({ url, connections: callers, amount: REQUESTS, requestsOf }));
  }
  return { result: medianOf(results), loopDelayMs: await loopDelayOf(url) };
}

function asking(apiKey: string, path: string, texts: Texts): LoadRequest {
  return { method: 'POST', path: `/v1/${path}`, apiKey, body: () => JSON.stringify({ query: texts.query() }) };
}

/** The 99th percentile since the last call, in milliseconds. */
async function loopDelayOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const seconds = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text)?.[1];
  if (seconds === undefined) throw new Error('The daemon tells no event loop delay');
  return Number(seconds) * 1000;
}

function sectionOf(name: string, what: string, measured: readonly Measured[], targetsMs: readonly number[]): Section {
  const searches = measured.filter(({ work, callers }) => work === 'search' && callers === 1);
  return {
    name,
    title: `Searches and contexts by the size of the tenant, all types, ${what}`,
    rows: measured.map(({ work, size, callers, result, loopDelayMs }) => ({
      work,
      tenant: size,
      callers: String(callers),
      ...columnsOf(result),
      'loop delay p99 ms': loopDelayMs,
    })),
    findings: [
      ...targetsMs.map((atMost, place) => ({
        name: `search of ${NAMES[place]}, one caller, p95 ms`,
        value: searches[place]!.result.p95,
        atMost,
      })),
      {
        name: 'event loop delay, p99 ms, at worst',
        value: Math.max(...measured.map(({ loopDelayMs }) => loopDelayMs)),
        atMost: LOOP_DELAY_AIM_MS,
      },
    ],
  };
}
