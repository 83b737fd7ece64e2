import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signInByMail } from './api-session.ts';
import { startBareServer } from './bare.ts';
import type { BenchOptions } from './benchmarks.ts';
import { inFreshFolder, runNode, runSvc, startDaemon } from './processes.ts';
import type { Section } from './report.ts';
import { latenciesOf, median } from './statistics.ts';

const HELP_ROUNDS = 25;
/** Long enough for the first run of the background tasks. */
const IDLE_MS = 8000;

/** Measures start-up times against an empty Node program, and the memory of an idle daemon. */
export async function benchStartup({ rounds, progress }: BenchOptions): Promise<Section> {
  return inFreshFolder(async (folder) => {
    progress('svc --help');
    const daemon = await startDaemon({ dataDir: join(folder, 'signed-in'), settings: { SVC_DEFAULT_TIER: 'Pro' } });
    const apiKey = await signInByMail(daemon.url, join(folder, 'signed-in', 'mail'), 'startup@example.com');
    const signedIn = { SVC_URL: daemon.url, SVC_API_KEY: apiKey, SVC_CONFIG_DIR: join(folder, 'settings') };
    const help = await alternate(HELP_ROUNDS, {
      node: async () => (await runNode(['-e', '0'])).ms,
      help: async () => (await runSvc(['--help'], folder)).ms,
      version: async () => (await runSvc(['--version'], folder)).ms,
      status: async () => (await runSvc(['status'], folder, signedIn)).ms,
      search: async () => (await runSvc(['search', 'tea'], folder, signedIn)).ms,
    });
    await daemon.stop();
    progress('svc serve');
    let fresh = 0;
    const serve = await alternate(rounds * 2, {
      bare: () => timeToFirstResponse(startBareServer),
      first: () => timeToFirstResponse(() => startDaemon({ dataDir: join(folder, `fresh-${fresh++}`) })),
      again: () => timeToFirstResponse(() => startDaemon({ dataDir: join(folder, 'fresh-0') })),
    });
    progress('memory of the idle daemon');
    const memory = await idleMemory(join(folder, 'idle'));
    const row = (program: string, values: number[], baseline: number[]) => ({
      program,
      'p50 ms': latenciesOf(values).p50,
      'p95 ms': latenciesOf(values).p95,
      times: median(values) / median(baseline),
    });
    return {
      name: 'startup',
      title: 'Start-up and memory',
      rows: [
        row('node -e 0', help.node, help.node),
        row('svc --help', help.help, help.node),
        row('svc --version', help.version, help.node),
        row('svc status, with the daemon’s response', help.status, help.node),
        row('svc search, with the daemon’s response', help.search, help.node),
        row('bare Fastify to its first response', serve.bare, serve.bare),
        row('svc serve to its first response, empty folder', serve.first, serve.bare),
        row('svc serve to its first response, existing folder', serve.again, serve.bare),
      ],
      findings: [
        { name: 'svc --help relative to node -e 0', value: median(help.help) / median(help.node), atMost: 1.5 },
        { name: 'idle daemon, resident MiB', value: memory.daemon },
        { name: 'idle bare Fastify, resident MiB', value: memory.bare },
        { name: 'idle daemon relative to bare Fastify', value: memory.daemon / memory.bare },
      ],
    };
  });
}

/** Runs the programs alternately and returns the durations of each in milliseconds. */
async function alternate<Name extends string>(
  rounds: number,
  programs: Record<Name, () => Promise<number>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(programs) as Name[];
  const durations = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) durations[name].push(await programs[name]());
  }
  return durations;
}

/** Milliseconds from spawning the process to its first HTTP response. */
async function timeToFirstResponse(start: () => ReturnType<typeof startDaemon>): Promise<number> {
  const server = await start();
  const sentMs = performance.now();
  await (await fetch(`${server.url}/healthz`)).text();
  const ms = server.startMs + performance.now() - sentMs;
  await server.stop();
  return ms;
}

async function idleMemory(dataDir: string): Promise<{ daemon: number; bare: number }> {
  const servers = [await startDaemon({ dataDir }), await startBareServer()];
  for (const { url } of servers) await (await fetch(`${url}/healthz`)).text();
  await sleep(IDLE_MS);
  const [daemon, bare] = await Promise.all(servers.map((server) => server.residentMib()));
  for (const server of servers) await server.stop();
  return { daemon: daemon!, bare: bare! };
}
