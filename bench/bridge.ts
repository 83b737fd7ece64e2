import { type ChildProcessByStdio, spawn } from 'node:child_process';
import http from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { BenchOptions } from './benchmarks.ts';
import { signInByMail } from './person.ts';
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

/** What the stdio bridge adds to a call over plain HTTP, and how long it takes to its first answer. */
export async function benchBridge({ progress }: BenchOptions): Promise<Section> {
  return inFreshFolder(async (dataDir) => {
    const daemon = await startDaemon({ dataDir, settings: { SVC_DEFAULT_TIER: 'Enterprise' } });
    try {
      const apiKey = await signInByMail(daemon.url, join(dataDir, 'mail'), 'bridge@example.com');
      const place = { url: daemon.url, apiKey, folder: join(dataDir, 'settings') };
      progress('calls through the bridge');
      const calls = await measureCalls(place);
      progress('starts of the bridge');
      const starts = await measureStarts(place);
      return sectionOf(calls, starts);
    } finally {
      await daemon.stop();
    }
  });
}

interface Place {
  url: string;
  apiKey: string;
  folder: string;
}

function sectionOf(calls: Record<'direct' | 'bridge', number[]>, starts: Record<'node' | 'bridge', number[]>): Section {
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
      row('node -e 0', starts.node),
      row('svc mcp to its first answer', starts.bridge),
    ],
    findings: [
      { name: 'milliseconds the bridge adds to a call', value: median(calls.bridge) - median(calls.direct), atMost: 5 },
      { name: 'milliseconds from start to first answer', value: median(starts.bridge), atMost: 250 },
      { name: 'the same as a multiple of node -e 0', value: median(starts.bridge) / median(starts.node) },
    ],
  };
}

async function measureCalls(place: Place): Promise<Record<'direct' | 'bridge', number[]>> {
  const bridge = startBridge(place);
  const agent = new http.Agent({ keepAlive: true });
  const direct = () => post(place, agent);
  for (let round = 0; round < 20; round += 1) await Promise.all([bridge.ask(SEARCH), direct()]);
  const taken = { direct: [] as number[], bridge: [] as number[] };
  for (let round = 0; round < CALLS; round += 1) {
    taken.direct.push(await timed(direct));
    taken.bridge.push(await timed(() => bridge.ask(SEARCH)));
  }
  await bridge.end();
  agent.destroy();
  return taken;
}

async function measureStarts(place: Place): Promise<Record<'node' | 'bridge', number[]>> {
  const taken = { node: [] as number[], bridge: [] as number[] };
  for (let round = 0; round < STARTS; round += 1) {
    taken.node.push((await runNode(['-e', '0'])).ms);
    const startedMs = performance.now();
    const bridge = startBridge(place);
    await bridge.ask(INITIALIZE);
    taken.bridge.push(performance.now() - startedMs);
    await bridge.end();
  }
  return taken;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** `svc mcp` as an assistant starts it; one call at a time. */
function startBridge({ url, apiKey, folder }: Place) {
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

/** The same call as an assistant makes it that speaks HTTP itself. */
function post({ url, apiKey }: Place, agent: http.Agent): Promise<string> {
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
