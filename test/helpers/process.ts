import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { openMailbox } from './mailbox.ts';

/** The executable, which runs what `npm run build` produced. */
export const BIN = fileURLToPath(new URL('../../bin/svc', import.meta.url));

export interface ProcessOptions {
  dataDir: string;
  env?: Record<string, string>;
  args?: string[];
  /** Another executable than `BIN`. */
  bin?: string;
}

export interface Ended {
  exitCode: number | undefined;
  signal: string | undefined;
  stdout: string;
  stderr: string;
}

export type DaemonProcess = Awaited<ReturnType<typeof startProcess>>;

/** Isolates the process from the machine's settings; its working directory has no `.env`. */
function surroundings({ dataDir, env = {} }: ProcessOptions) {
  return {
    cwd: dataDir,
    extendEnv: false,
    env: { PATH: process.env.PATH ?? '', HOME: dataDir, SVC_DATA_DIR: dataDir, ...env },
    reject: false,
    buffer: true,
    stripFinalNewline: false,
    timeout: 60_000,
  } as const;
}

/** Runs an svc command to completion. */
export async function runCommand(options: ProcessOptions & { args: string[] }): Promise<Ended> {
  const { exitCode, signal, stdout, stderr } = await execa(BIN, options.args, {
    ...surroundings(options),
    stdin: 'ignore',
  });
  return { exitCode, signal, stdout, stderr };
}

/** Starts `svc serve` on a free port and waits until it is running; throws with its output if it fails to start. */
export async function startProcess(options: ProcessOptions) {
  const mailDir = join(options.dataDir, 'mail');
  const env = { SVC_PORT: '0', SVC_MAIL_DIR: mailDir, ...options.env };
  const child = execa(options.bin ?? BIN, ['serve', ...(options.args ?? [])], {
    ...surroundings({ ...options, env }),
    stdin: 'ignore',
    timeout: 0,
  });
  const output = { out: '', error: '' };
  child.stdout.on('data', (chunk) => {
    output.out += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    output.error += String(chunk);
  });
  let ended: Ended | undefined;
  const exited = child.then(({ exitCode, signal, stdout, stderr }): Ended => {
    ended = { exitCode, signal, stdout, stderr };
    return ended;
  });
  const url = await untilServing(output, () => ended);
  return {
    url,
    output,
    pid: child.pid!,
    mailbox: openMailbox(mailDir),
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    exited,
    /** Kills it, whatever its state. */
    async end() {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function untilServing(output: { out: string; error: string }, ended: () => Ended | undefined): Promise<string> {
  for (const deadline = performance.now() + 60_000; performance.now() < deadline; await sleep(10)) {
    const url = /svc is running at (\S+)/.exec(output.out)?.[1];
    if (url !== undefined) return url;
    if (ended() !== undefined) break;
  }
  throw new Error(`svc serve did not start:\n${output.out}${output.error}`);
}

/** Signs in with a mailed link and returns the key. */
export async function signInAt(
  { url, mailbox }: DaemonProcess,
  email: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const [before] = (await mailbox.mailsTo(email)).slice(-1);
  await fetch(`${url}/v1/auth/magic-link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ email }),
  });
  const link = await mailbox.latestLink(email, { after: before?.name });
  const token = new URL(link).searchParams.get('token') ?? '';
  const answer = await fetch(`${url}/v1/auth/callback`, {
    method: 'POST',
    redirect: 'manual',
    headers,
    body: new URLSearchParams({ token }),
  });
  const apiKey = /#key=(svc_live_[0-9a-f]{32})$/.exec(answer.headers.get('location') ?? '')?.[1];
  if (!apiKey) throw new Error(`no key: ${answer.status} ${await answer.text()}`);
  return apiKey;
}

export interface ApiAnswer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

/** Calls the REST API. */
export async function callAt(
  url: string,
  apiKey: string,
  path: string,
  {
    body,
    headers = {},
    method = body === undefined ? 'GET' : 'POST',
  }: { body?: unknown; headers?: Record<string, string>; method?: string } = {},
): Promise<ApiAnswer> {
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

/** Tracks temporary folders and processes, which `clean` removes and ends. */
export function createWorkplaces() {
  const folders: string[] = [];
  const running: { end(): Promise<void> }[] = [];
  return {
    async folder(): Promise<string> {
      const folder = await mkdtemp(join(tmpdir(), 'svc-process-'));
      folders.push(folder);
      return folder;
    },
    async start(options: ProcessOptions): Promise<DaemonProcess> {
      const daemon = await startProcess(options);
      running.push(daemon);
      return daemon;
    },
    endLater(process: { end(): Promise<void> }): void {
      running.push(process);
    },
    async clean(): Promise<void> {
      for (const daemon of running.splice(0)) await daemon.end();
      for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
    },
  };
}
