import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { HOST, type Platform, Unavailable } from './platform.ts';

const START_LIMIT_MS = 180_000;
const POLL_MS = 100;

/**
 * Starts the daemon of an unpacked program on empty data and waits until it is ready: with its own launcher, or another
 * processor's Node.js under qemu. Throws `Unavailable` if this machine cannot start it.
 */
export async function startProgram(program: string, platform: Platform): Promise<void> {
  const [command, ...words] = await commandFor(program, platform);
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-start-'));
  const env = { HOME: dataDir, PATH: '/usr/bin:/bin', SVC_DATA_DIR: dataDir, SVC_PORT: '0', UV_THREADPOOL_SIZE: '8' };
  const options = { cwd: dataDir, extendEnv: false, env, reject: false, all: true } as const;
  const daemon = execa(command!, [...words, 'serve'], options);
  let output = '';
  daemon.all.on('data', (chunk) => {
    output += String(chunk);
  });
  let isRunning = true;
  void daemon.then(() => {
    isRunning = false;
  });
  try {
    for (const deadline = performance.now() + START_LIMIT_MS; performance.now() < deadline; await sleep(POLL_MS)) {
      const url = /svc is running at (http\S+)/.exec(output)?.[1];
      if (url !== undefined && (await fetch(`${url}/readyz`)).ok) return;
      if (!isRunning) break;
    }
    throw new Error(`${program} does not start:\n${output}`);
  } finally {
    daemon.kill('SIGKILL');
    await daemon;
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function commandFor(program: string, platform: Platform): Promise<string[]> {
  if (platform === HOST) return [join(program, 'bin/svc')];
  const qemu = 'qemu-aarch64-static';
  if (platform !== 'linux-arm64') throw new Unavailable(`${platform} programs do not run on ${HOST}`);
  const { failed } = await execa('sh', ['-c', `command -v ${qemu}`], { reject: false });
  if (failed) throw new Unavailable(`${qemu} is not installed (Debian: qemu-user-static libstdc++6-arm64-cross)`);
  return [qemu, '-L', '/usr/aarch64-linux-gnu', join(program, 'runtime/node'), join(program, 'bin/svc')];
}
