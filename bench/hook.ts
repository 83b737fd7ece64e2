import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { signInByMail } from './api-session.ts';
import type { BenchOptions } from './benchmarks.ts';
import { cleanEnvironment, inFreshFolder, ROOT, startDaemon } from './processes.ts';
import type { Section } from './report.ts';
import { latenciesOf, median } from './statistics.ts';

const MEMORIES = 500;
const ROUNDS_PER_MEASUREMENT = 6;

/** Measures one hook from starting its process to its end, beside an empty Node program. */
export async function benchHook({ rounds, progress }: BenchOptions): Promise<Section> {
  return inFreshFolder(async (folder) => {
    const dataDir = join(folder, 'data');
    const daemon = await startDaemon({ dataDir, settings: { SVC_DEFAULT_TIER: 'Pro' } });
    const apiKey = await signInByMail(daemon.url, join(dataDir, 'mail'), 'hook@example.com');
    await addMemories(daemon.url, apiKey);
    const signedIn = { SVC_API_KEY: apiKey, SVC_CONFIG_DIR: join(folder, 'settings') };
    let session = 0;
    const hook = (event: string, url: string, fields: object) =>
      run([join(ROOT, 'bin/svc'), 'hook', event, '--client', 'claude-code'], { ...signedIn, SVC_URL: url }, fields);
    const prompt = () => {
      session += 1;
      return { session_id: `${session}`, cwd: folder, prompt: 'which tea does person 7 drink?' };
    };
    const stop = () => ({ session_id: `${session}`, cwd: folder, last_assistant_message: `Tea, ${session}.` });
    const ms = { node: [], prompt: [], stop: [], start: [], away: [], stopAway: [] } as Record<string, number[]>;
    progress('hooks of a new daemon');
    const cold = await hook('prompt', daemon.url, prompt());
    for (let round = 0; round < rounds * ROUNDS_PER_MEASUREMENT; round += 1) {
      ms.node!.push(await run(['-e', '0'], {}, {}));
      ms.prompt!.push(await hook('prompt', daemon.url, prompt()));
      ms.stop!.push(await hook('stop', daemon.url, stop()));
      ms.start!.push(await hook('session-start', daemon.url, prompt()));
      ms.away!.push(await hook('prompt', 'http://127.0.0.1:9', prompt()));
      ms.stopAway!.push(await hook('stop', 'http://127.0.0.1:9', stop()));
    }
    await daemon.stop();
    const row = (program: string, values: number[]) => ({
      program,
      'p50 ms': latenciesOf(values).p50,
      'p95 ms': latenciesOf(values).p95,
      'over node': median(values) - median(ms.node!),
    });
    return {
      name: 'hook',
      title: 'Hooks, from the start of the process to its end',
      rows: [
        row('node -e 0', ms.node!),
        row('svc hook prompt, first of a new daemon', [cold]),
        row('svc hook prompt', ms.prompt!),
        row('svc hook stop', ms.stop!),
        row('svc hook session-start', ms.start!),
        row('svc hook prompt, no daemon', ms.away!),
        row('svc hook stop, no daemon', ms.stopAway!),
      ],
      findings: [
        { name: 'svc hook prompt, p95 in ms', value: latenciesOf(ms.prompt!).p95, atMost: 300 },
        { name: 'svc hook session-start, p95 in ms', value: latenciesOf(ms.start!).p95, atMost: 300 },
        { name: 'no daemon, ms over node', value: median(ms.away!) - median(ms.node!), atMost: 100 },
        { name: 'no daemon at stop, ms over node', value: median(ms.stopAway!) - median(ms.node!), atMost: 100 },
      ],
    };
  });
}

async function addMemories(url: string, apiKey: string): Promise<void> {
  const memories = Array.from({ length: MEMORIES }, (_, index) => ({
    content: `Person ${index} drinks tea ${index % 50}`,
  }));
  const response = await fetch(`${url}/v1/memories/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ memories }),
  });
  if (!response.ok) throw new Error(`Adding memories failed: ${response.status} ${await response.text()}`);
}

/** Runs a Node program with an object on standard input, and returns the milliseconds until it exited. */
function run(nodeArguments: readonly string[], settings: Record<string, string>, input: object): Promise<number> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, nodeArguments, {
    env: cleanEnvironment(settings),
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  // A program that reads nothing may be gone already.
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify(input));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve(performance.now() - startedMs);
      else reject(new Error(`${nodeArguments.join(' ')} exited with ${code}`));
    });
  });
}
