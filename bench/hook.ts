import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signInByMail } from './api-session.ts';
import type { BenchOptions } from './benchmarks.ts';
import { cleanEnvironment, inFreshFolder, ROOT, startDaemon } from './processes.ts';
import type { Section } from './report.ts';
import { latenciesOf, median } from './statistics.ts';

const MEMORIES = 500;
const ROUNDS_PER_MEASUREMENT = 6;
/** A port at which nothing listens. */
const AWAY = 'http://127.0.0.1:9';

/** Measures one hook from starting its process to its end, beside an empty Node program. */
export async function benchHook({ rounds, progress }: BenchOptions): Promise<Section> {
  return inFreshFolder(async (folder) => {
    const start = () => startDaemon({ dataDir: join(folder, 'data'), settings: { SVC_DEFAULT_TIER: 'Pro' } });
    let daemon = await start();
    const apiKey = await signInByMail(daemon.url, join(folder, 'data', 'mail'), 'hook@example.com');
    await addMemories(daemon.url, apiKey);
    let session = 0;
    const hook = (event: string, settings: string, fields: object = {}) =>
      run(
        [join(ROOT, 'bin/svc'), 'hook', event, '--client', 'claude-code'],
        { SVC_CONFIG_DIR: settings },
        { session_id: `${session}`, cwd: folder, ...fields },
      );
    const prompt = (settings: string) => {
      session += 1;
      return hook('prompt', settings, { prompt: 'which tea does person 7 drink?' });
    };
    const stop = (settings: string) => hook('stop', settings, { last_assistant_message: `Tea, ${session}.` });
    const away = await signedIn(join(folder, 'away'), AWAY, apiKey);
    const ms = { node: [], cold: [], prompt: [], stop: [], start: [], away: [], stopAway: [] } as Durations;
    for (let round = 0; round < rounds; round += 1) {
      progress(`hooks, round ${round + 1} of ${rounds}`);
      const settings = await signedIn(join(folder, `settings-${round}`), daemon.url, apiKey);
      ms.cold.push(await prompt(settings));
      for (let turn = 0; turn < ROUNDS_PER_MEASUREMENT; turn += 1) {
        ms.node.push(await run(['-e', '0'], {}, {}));
        ms.prompt.push(await prompt(settings));
        ms.stop.push(await stop(settings));
        ms.start.push(await hook('session-start', settings));
        ms.away.push(await prompt(away));
        ms.stopAway.push(await stop(away));
      }
      await daemon.stop();
      if (round + 1 < rounds) daemon = await start();
    }
    return sectionOf(ms);
  });
}

type Durations = Record<'node' | 'cold' | 'prompt' | 'stop' | 'start' | 'away' | 'stopAway', number[]>;

function sectionOf(ms: Durations): Section {
  const overNode = (values: number[]) => median(values) - median(ms.node);
  const row = (program: string, values: number[]) => ({
    program,
    // On a busy machine, the fastest run is the one that was disturbed least.
    'min ms': Math.min(...values),
    'p50 ms': latenciesOf(values).p50,
    'p95 ms': latenciesOf(values).p95,
    'over node': overNode(values),
    times: median(values) / median(ms.node),
  });
  return {
    name: 'hook',
    title: 'Hooks, from the start of the process to its end',
    rows: [
      row('node -e 0', ms.node),
      row('svc hook prompt, first after the daemon started', ms.cold),
      row('svc hook prompt', ms.prompt),
      row('svc hook stop', ms.stop),
      row('svc hook session-start', ms.start),
      row('svc hook prompt, no daemon', ms.away),
      row('svc hook stop, no daemon', ms.stopAway),
    ],
    findings: [
      { name: 'svc hook prompt, p95 in ms', value: latenciesOf(ms.prompt).p95, atMost: 300 },
      { name: 'svc hook session-start, p95 in ms', value: latenciesOf(ms.start).p95, atMost: 300 },
      { name: 'no daemon, ms over node', value: overNode(ms.away), atMost: 100 },
      { name: 'no daemon at stop, ms over node', value: overNode(ms.stopAway), atMost: 100 },
    ],
  };
}

/** Writes the settings of `svc login --key-store file` to a folder, and returns it. */
async function signedIn(folder: string, url: string, apiKey: string): Promise<string> {
  const profile = { url, email: 'hook@example.com', tenantId: 'ten_1', keyStore: 'file' };
  await mkdir(folder, { mode: 0o700 });
  await writeFile(
    join(folder, 'settings.json'),
    JSON.stringify({ profile: 'default', profiles: { default: profile } }),
  );
  await writeFile(join(folder, 'keys.json'), JSON.stringify({ [`default ${url}`]: apiKey }), { mode: 0o600 });
  return folder;
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
