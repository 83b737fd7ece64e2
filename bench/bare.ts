import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { cleanEnvironment, ROOT, type ServerProcess, startServer } from './processes.ts';

const BUILT = join(ROOT, 'node_modules/.cache/svc-bench/bare-server.js');

/** Starts the bare server, built like the daemon, so that neither runs a TypeScript loader. */
export async function startBareServer(): Promise<ServerProcess> {
  await build({
    entryPoints: [join(ROOT, 'bench/bare-server.ts')],
    outfile: BUILT,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  return startServer([BUILT], { env: cleanEnvironment(), cwd: tmpdir(), log: join(tmpdir(), 'svc-bench-bare.log') });
}
