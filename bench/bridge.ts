import { type ChildProcessByStdio, spawn } from 'node:child_process';
import http from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { signInByMail } from './api-session.ts';
import type { BenchOptions } from './benchmarks.ts';
import { cleanEnvironment, inFreshFolder, ROOT, runNode, startDaemon } from './processes.ts';
import type { Section } from './report.ts';
import { latenciesOf, median } from './statistics.ts';

const CALLS = 200;
const STARTS = 15;
const INITIALIZE = rpc('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
});
const SEARCH = rpc('tools/call', { name: 'memory_search', arguments: { query: 'oolong' } });

/** Measures the latency the stdio bridge adds to a call over HTTP, and its time to the first response. */
export async function benchBridge({ progress }: BenchOptions): Promise<Section> {
  return inFreshFolder(async (dataDir) => {
    const daemon = await startDaemon({ dataDir, settings: { SVC_DEFAULT_TIER: 'Enterprise' } });
    try {
      const apiKey = await signInByMail(daemon.url, join(dataDir, 'mail'), 'bridge@example.com');
      const target = { url: daemon.url, apiKey, folder: join(dataDir, 'settings') };
      progress('calls through the bridge');
      const calls = await measureCalls(target);
      progress('start-ups of the bridge');
      const startups = await measureStarts(target);
      return sectionOf(calls, startups);
    } finally {
      await daemon.stop();
    }
  });
}

interface Target {
  url: string;
  apiKey: string;
  folder: string;
}

function sectionOf(
  calls: Record<'direct' | 'bridge', number[]>,
  startups: Record<'node' | 'bridge', number[]>,
): Section {
  const row = (what: string, values: number[]) => ({
    what,
    'p50 ms': median(values),
    'p95 ms': latenciesOf(values).p95,
  });
  return {
    name: 'bridge',
    title: 'The stdio bridge',
    rows: [
      row('memory_search over HTTP', calls.direct),
      row('memory_search through svc mcp', calls.bridge),
      row('node -e 0', startups.node),
      row('svc mcp to its first response', startups.bridge),
    ],
    findings: [
      { name: 'ms the bridge adds to a call', value: median(calls.bridge) - median(calls.direct), atMost: 5 },
      { name: 'ms from start to first response', value: median(startups.bridge), atMost: 250 },
      { name: 'start to first response relative to node -e 0', value: median(startups.bridge) / median(startups.node) },
    ],
  };
}

async function measureCalls(target: Target): Promise<Record<'direct' | 'bridge', number[]>> {
  const bridge = startBridge(target);
  const agent = new http.Agent({ keepAlive: true });
  const direct = () => post(target, agent);
  for (let round = 0; round < 20; round += 1) await Promise.all([bridge.ask(SEARCH), direct()]);
  const durations = { direct: [] as number[], bridge: [] as number[] };
  for (let round = 0; round < CALLS; round += 1) {
    durations.direct.push(await timed(direct));
    durations.bridge.push(await timed(() => bridge.ask(SEARCH)));
  }
  await bridge.end();
  agent.destroy();
  return durations;
}

async function measureStarts(target: Target): Promise<Record<'node' | 'bridge', number[]>> {
  const durations = { node: [] as number[], bridge: [] as number[] };
  for (let round = 0; round < STARTS; round += 1) {
    durations.node.push((await runNode(['-e', '0'])).ms);
    const startedMs = performance.now();
    const bridge = startBridge(target);
    await bridge.ask(INITIALIZE);
    durations.bridge.push(performance.now() - startedMs);
    await bridge.end();
  }
  return durations;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** Starts `svc mcp` the way an assistant does; one call at a time. */
function startBridge({ url, apiKey, folder }: Target) {
  const env = cleanEnvironment({ SVC_URL: url, SVC_API_KEY: apiKey, SVC_CONFIG_DIR: folder });
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(process.execPath, [join(ROOT, 'bin/svc'), 'mcp'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const lines = createInterface({ input: child.stdout });
  return {
    ask(line: string): Promise<string> {
      const answer = new Promise<string>((resolve) => lines.once('line', resolve));
      child.stdin.write(`${line}\n`);
      return answer;
    },
    async end() {
      child.stdin.end();
      await gone;
    },
  };
}

/** Sends the same call directly over HTTP. */
function post({ url, apiKey }: Target, agent: http.Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    };
    const request = http.request(`${url}/v1/mcp`, { method: 'POST', agent, headers }, (response) => {
      const parts: string[] = [];
      response.setEncoding('utf8').on('data', (part: string) => parts.push(part));
      response.on('end', () => resolve(parts.join('')));
    });
    request.on('error', reject);
    request.end(SEARCH);
  });
}

function rpc(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}
