import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SVC = join(ROOT, 'bin/svc');

/** A server in a child process. */
export interface ServerProcess {
  url: string;
  pid: number;
  /** Time from spawning the process until it printed its address. */
  startMs: number;
  /** Sends the signal and waits for the process to exit. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Resident memory in MiB. */
  residentMib(): Promise<number>;
  /** The part of it that is not mapped files, on Linux. */
  ownMib(): Promise<number>;
}

export interface DaemonOptions {
  dataDir: string;
  /** Settings by their `SVC_` names. */
  settings?: Record<string, string>;
  /** Node options, e.g. `--cpu-prof`. */
  nodeOptions?: readonly string[];
}

/** Runs `work` in a temporary folder that is deleted afterwards. */
export async function inFreshFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the environment without the shell's own `SVC_` variables. */
export function cleanEnvironment(settings: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'));
  return { ...Object.fromEntries(kept), ...settings };
}

/** Starts the built daemon on a free port, logging to `daemon.log` in the data folder. */
export async function startDaemon({ dataDir, settings = {}, nodeOptions = [] }: DaemonOptions): Promise<ServerProcess> {
  await mkdir(dataDir, { recursive: true });
  const env = cleanEnvironment({
    SVC_DATA_DIR: dataDir,
    SVC_MAIL_DIR: join(dataDir, 'mail'),
    SVC_PORT: '0',
    ...settings,
  });
  // The data folder as working directory, so that the caller's `.env` is not read.
  return startServer([...nodeOptions, SVC, 'serve'], { env, cwd: dataDir, log: join(dataDir, 'daemon.log') });
}

/** Starts a Node program that prints its address once it is listening. */
export async function startServer(
  nodeArguments: readonly string[],
  { env, cwd, log }: { env: NodeJS.ProcessEnv; cwd: string; log: string },
): Promise<ServerProcess> {
  const startedMs = performance.now();
  const child = spawn(process.execPath, nodeArguments, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr.pipe(createWriteStream(log, { flags: 'a' }));
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await listeningAddress(child, log);
  const startMs = performance.now() - startedMs;
  return {
    url,
    pid: child.pid!,
    startMs,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await gone;
    },
    residentMib: () => residentMib(child.pid!, 'VmRSS'),
    ownMib: () => residentMib(child.pid!, 'RssAnon'),
  };
}

function listeningAddress(child: ChildProcess, log: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout!.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
      const url = /at (http:\/\/\S+)/.exec(output)?.[1];
      if (url) resolve(url);
    });
    child.once('exit', async (code) => {
      const logged = await readFile(log, 'utf8').catch(() => '');
      reject(new Error(`The server exited with ${code} before it was listening\n${output}${logged}`));
    });
  });
}

async function residentMib(pid: number, field: 'VmRSS' | 'RssAnon'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1];
  if (kibibytes !== undefined) return Number(kibibytes) / 1024;
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1024;
}

/** Runs a Node program to completion and returns its output and duration. */
export async function runNode(
  nodeArguments: readonly string[],
  { env = cleanEnvironment(), cwd = ROOT }: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<{ output: string; ms: number }> {
  const startedMs = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, nodeArguments, {
    cwd,
    env,
    maxBuffer: 256 * 1024 * 1024,
  });
  return { output: stdout, ms: performance.now() - startedMs };
}

/** Runs a command of the built CLI. */
export function runSvc(
  svcArguments: readonly string[],
  dataDir: string,
  settings: Record<string, string> = {},
): Promise<{ output: string; ms: number }> {
  return runNode([SVC, ...svcArguments], {
    env: cleanEnvironment({ SVC_DATA_DIR: dataDir, ...settings }),
    cwd: dataDir,
  });
}
