import { type ChildProcess, spawn } from 'node:child_process';
import http from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchOptions } from './benchmarks.ts';
import { withDatabases } from './databases.ts';
import { type FilledTenant, fillFolder } from './fill-folder.ts';
import { cleanEnvironment, inFreshFolder, ROOT, startDaemon } from './processes.ts';
import type { Finding, Section } from './report.ts';
import { latenciesOf, quantile } from './statistics.ts';
import { createTexts, type Texts } from './texts.ts';

/** What a loud tenant does; see `fairness-load.ts`. */
export type FairnessLoad =
  | 'ligatures'
  | 'messages'
  | 'memories'
  | 'searches'
  | 'contexts'
  | 'import'
  | 'export'
  | 'hostile';

/** A load, and the tenant that causes it. */
export interface LoadOrder {
  load: FairnessLoad;
  url: string;
  tenant: FilledTenant;
  seconds: number;
  /** Share of the full load. */
  scale: number;
}

interface FairnessOptions extends BenchOptions {
  /** Share of the tenants' contents and of what loads send: fewer texts, each as long as ever. 1 by default. */
  scale?: number;
}

/** Each load with the group of its tenant: `small`, or `large` with 20,000 messages. */
const TITLES: Readonly<Record<FairnessLoad, { title: string; from: 'small' | 'large' }>> = {
  ligatures: { title: '3 messages of 99,999 × U+FDFA, twice a second', from: 'small' },
  messages: { title: '500 messages of 2 KB, twice a second', from: 'small' },
  memories: { title: '100 memories of 300 KB at once', from: 'small' },
  searches: { title: '110 searches of 20,000 messages at once', from: 'large' },
  contexts: { title: '110 contexts of 20,000 messages at once', from: 'large' },
  import: { title: 'import of 30 MB', from: 'small' },
  export: { title: 'export read at 40 KB/s', from: 'large' },
  hostile: { title: 'nested and wide bodies of 1 MB, without pause from four addresses', from: 'small' },
};
export const LOADS = Object.keys(TITLES) as FairnessLoad[];

/** Requests of the quiet tenant are sent at fixed times, so that a slow answer does not thin out the measurement. */
const ROUND_MS = 150;
/** A load that takes longer is measured for as long as the quiet tenant stays below its own rate limit. */
const LONGEST_MS = 40_000;
const MAX_HEALTH_MS = 50;
const MAX_STOP_MS = 50;
const MAX_HOSTILE_GET_P95_MS = 50;
/** The interval of the daemon's own measurement, which is part of every delay it reports. */
const LOOP_SAMPLE_MS = 10;

interface Measured {
  latencies: Record<Operation, number[]>;
  /** The longest stop of the daemon's event loop. */
  stopMs: number;
}

const OPERATIONS = ['GET', 'POST', 'search', '/healthz'] as const;
type Operation = (typeof OPERATIONS)[number];

/** Measures a quiet Pro tenant alone and beside each load of a Free tenant inside its rate limit. */
export async function benchFairness(options: FairnessOptions): Promise<Section> {
  return withDatabases(options.engine ?? 'sqlite', async (createDatabase) => {
    const settings = await createDatabase();
    return inFreshFolder((dataDir) => measureAll(dataDir, settings, options));
  });
}

async function measureAll(
  dataDir: string,
  settings: Record<string, string>,
  { seconds, nodeOptions, progress, loads = LOADS, scale = 1 }: FairnessOptions,
): Promise<Section> {
  const unknown = loads.find((name) => !LOADS.includes(name as FairnessLoad));
  if (unknown !== undefined) throw new Error(`Unknown load: ${unknown}`);
  progress('filling a tenant for each load and its measurement');
  const conversations = { count: 100 * scale, messages: 200 };
  const [quiet, small, large] = await fillFolder({
    dataDir,
    settings,
    seed: 11,
    groups: [
      { tenants: LOADS.length, tier: 'Pro', memories: 1000 * scale },
      { tenants: LOADS.length, tier: 'Free', memories: 0, conversations: { count: 1, messages: 1 } },
      { tenants: 3, tier: 'Free', memories: 0, conversations },
    ],
  });
  const loud = { small: small!, large: large! };
  const daemon = await startDaemon({ dataDir, settings, nodeOptions });
  const measured: { load: FairnessLoad; alone: Measured; beside: Measured }[] = [];
  try {
    for (const [index, load] of LOADS.entries()) {
      if (!loads.includes(load)) continue;
      progress(TITLES[load].title);
      const tenant = loud[TITLES[load].from].pop()!;
      const target = { url: daemon.url, tenant: quiet![index]! };
      await measure(target, () => sleep(1000));
      const alone = await measure(target, () => sleep(seconds * 1000));
      const child = await prepareLoad({ load, url: daemon.url, tenant, seconds: 2 * seconds, scale });
      const beside = await measure(target, () => Promise.race([child.run(), sleep(LONGEST_MS)]));
      measured.push({ load, alone, beside });
      progress(`answers by status: ${await child.ended}`);
    }
  } finally {
    await daemon.stop();
  }
  return sectionOf(measured);
}

/** Prepares a load that `run` starts. `ended` resolves with what its process printed last. */
async function prepareLoad(order: LoadOrder): Promise<{ run(): Promise<string>; ended: Promise<string> }> {
  const program = ['--import', 'tsx', 'bench/fairness-load.ts', JSON.stringify(order)];
  const child: ChildProcess = spawn(process.execPath, program, {
    cwd: ROOT,
    env: cleanEnvironment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout! }).on('line', (line) => lines.push(line));
  const ended = new Promise<string>((resolve, reject) => {
    child.once('close', (code) =>
      code === 0 ? resolve(lines.at(-1) ?? '') : reject(new Error(`${order.load} failed`)),
    );
  });
  await Promise.race([new Promise((resolve) => output.once('line', resolve)), ended]);
  const run = () => {
    child.stdin!.end('run');
    return ended;
  };
  return { run, ended };
}

interface Target {
  url: string;
  tenant: FilledTenant;
}

interface Round {
  round: number;
  texts: Texts;
  agent: http.Agent;
}

/** Sends one request of each kind per round until `work` settles. */
async function measure(target: Target, work: () => Promise<unknown>): Promise<Measured> {
  const latencies: Measured['latencies'] = { GET: [], POST: [], search: [], '/healthz': [] };
  const texts = createTexts(Date.now());
  // Per measurement: in the pause between two, the daemon may close idle connections.
  const agent = new http.Agent({ keepAlive: true });
  const pending: Promise<void>[] = [];
  await loopStopOf(target.url);
  let isEnded = false;
  const ended = work().finally(() => {
    isEnded = true;
  });
  for (let round = 0; !isEnded; round += 1) {
    for (const operation of OPERATIONS) {
      pending.push(timeOf(target, operation, { round, texts, agent }).then((ms) => void latencies[operation].push(ms)));
      await sleep(ROUND_MS / OPERATIONS.length);
    }
  }
  await ended;
  await Promise.all(pending);
  agent.destroy();
  return { latencies, stopMs: await loopStopOf(target.url) };
}

function timeOf({ url, tenant }: Target, operation: Operation, { round, texts, agent }: Round): Promise<number> {
  const { path, body } = {
    GET: { path: `/v1/memories/${tenant.ids[round % tenant.ids.length]}`, body: undefined },
    POST: { path: '/v1/memories', body: { content: `${texts.memory()} ${round}` } },
    search: { path: '/v1/search', body: { query: texts.query() } },
    '/healthz': { path: '/healthz', body: undefined },
  }[operation];
  const headers = { authorization: `Bearer ${tenant.apiKey}`, ...(body && { 'content-type': 'application/json' }) };
  const sentMs = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.request(url + path, { method: body ? 'POST' : 'GET', agent, headers }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode! < 300) resolve(performance.now() - sentMs);
        else reject(new Error(`${operation} was answered with ${response.statusCode}`));
      });
    });
    request.once('error', reject);
    request.end(body && JSON.stringify(body));
  });
}

/** The longest stop of the event loop since the last call, in milliseconds. */
export async function loopStopOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const seconds = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1];
  if (seconds === undefined) throw new Error('The daemon reports no event loop delay');
  return Math.max(0, Number(seconds) * 1000 - LOOP_SAMPLE_MS);
}

function sectionOf(measured: readonly { load: FairnessLoad; alone: Measured; beside: Measured }[]): Section {
  return {
    name: 'fairness',
    title: 'A quiet Pro tenant of 1,000 memories, alone and beside a Free tenant inside its rate limit',
    rows: measured.flatMap(({ load, alone, beside }) =>
      OPERATIONS.map((operation, index) => {
        const [before, during] = [alone, beside].map(({ latencies }) => latenciesOf(latencies[operation]));
        return {
          load: index === 0 ? load : '',
          request: operation,
          'p50 alone': before!.p50,
          'p95 alone': before!.p95,
          p50: during!.p50,
          p95: during!.p95,
          p99: during!.p99,
          max: quantile(beside.latencies[operation], 1),
          ...(index === 0 && { 'stop alone': alone.stopMs, stop: beside.stopMs }),
        };
      }),
    ),
    findings: measured.flatMap(({ load, alone, beside }) => findingsOf(load, alone, beside)),
  };
}

function findingsOf(load: FairnessLoad, alone: Measured, beside: Measured): Finding[] {
  const { title } = TITLES[load];
  const slowed = OPERATIONS.filter((operation) => operation !== '/healthz').map((operation) => {
    const [before, value] = [alone, beside].map(({ latencies }) => latenciesOf(latencies[operation]).p95);
    const isAbsolute = load === 'hostile' && operation === 'GET';
    const atMost = isAbsolute ? MAX_HOSTILE_GET_P95_MS : Math.max(2 * before!, before! + 25);
    return { name: `${title}: ${operation} p95 ms`, value: value!, atMost };
  });
  const health = {
    name: `${title}: /healthz max ms`,
    value: quantile(beside.latencies['/healthz'], 1),
    atMost: MAX_HEALTH_MS,
  };
  return [...slowed, health, { name: `${title}: event loop stop ms`, value: beside.stopMs, atMost: MAX_STOP_MS }];
}
