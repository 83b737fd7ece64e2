import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa, type ResultPromise } from 'execa';
import type { Certificate } from './certificate.ts';
import { freePort } from './free-port.ts';

export type RedisServer = Awaited<ReturnType<typeof startRedis>>;

/** Starts a real Redis in a temporary folder, in memory alone, with TLS alone if it has a certificate. */
export async function startRedis(certificate?: Certificate) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-redis-'));
  const port = await freePort();
  const tls = certificate && {
    'tls-port': port,
    'tls-cert-file': certificate.certificateFile,
    'tls-key-file': certificate.keyFile,
    'tls-auth-clients': 'no',
  };
  const settings = { port: tls ? 0 : port, ...tls, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no' };
  const words = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
  let running: ResultPromise | undefined;

  async function start(): Promise<void> {
    if (running !== undefined) return;
    running = execa('redis-server', words, { reject: false, buffer: false, stdin: 'ignore' });
    await untilReady(running);
  }

  async function kill(): Promise<void> {
    running?.kill('SIGCONT');
    running?.kill('SIGKILL');
    await running;
    running = undefined;
  }

  await start();
  return {
    port,
    url: `redis${tls ? 's' : ''}://127.0.0.1:${port}`,
    /** Starts it again after `kill`, on the same port and empty; nothing if it runs. */
    start,
    kill,
    /** Stops answering; connections stay open. */
    pause: () => running?.kill('SIGSTOP'),
    resume: () => running?.kill('SIGCONT'),
    /** Ends it and removes its folder. */
    async close() {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilReady(server: ResultPromise): Promise<void> {
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.stdout?.on('data', (chunk) => {
      log += String(chunk);
      if (log.includes('Ready to accept connections')) resolve();
    });
    server.then(({ code }) => {
      const advice = code === 'ENOENT' ? 'apt-get install -y --no-install-recommends redis-server' : log;
      reject(new Error(`Redis did not start: ${advice}`));
    });
  });
}
