import type { Fetch } from '../../client/client.ts';

/** Readiness report of a daemon. */
export interface DaemonFacts {
  /** Whether anything responded. */
  responds: boolean;
  isReady: boolean;
  /** Why it is not ready. */
  detail?: string;
  version?: string;
  notices?: DaemonNotices;
  /** Epoch milliseconds. */
  startedAtMs?: number;
}

const TIMEOUT_MS = 3000;

/** Notices for the operator besides readiness. */
export interface DaemonNotices {
  backupFails: boolean;
  /** A newer version of svc. */
  update?: string;
}

/** Reads what the daemon tells its operator; `undefined` if it does not answer. */
export async function readNotices(fetch: Fetch, url: string): Promise<DaemonNotices | undefined> {
  const ready = await get(fetch, `${url}/readyz`);
  return ready && noticesIn(parse(ready.text));
}

function noticesIn({ backup, update }: Record<string, unknown>): DaemonNotices {
  const isVersion = typeof update === 'string' && /^\d+\.\d+\.\d+$/.test(update);
  return { backupFails: backup === 'failing', ...(isVersion && { update }) };
}

/** Whether anything answers at the address of a daemon, ready or not. */
export async function isAnswering(fetch: Fetch, url: string): Promise<boolean> {
  return (await get(fetch, `${url}/readyz`)) !== undefined;
}

/** Asks the daemon at an address on this machine. */
export async function probeDaemon(fetch: Fetch, url: string): Promise<DaemonFacts> {
  const ready = await get(fetch, `${url}/readyz`);
  if (ready === undefined) return { responds: false, isReady: false };
  const answer = parse(ready.text);
  const { status, detail } = answer;
  if (ready.status !== 200 || status !== 'ready') {
    return { responds: true, isReady: false, detail: typeof detail === 'string' ? detail : 'it is not an svc daemon' };
  }
  const [openapi, metrics] = await Promise.all([get(fetch, `${url}/v1/openapi.json`), get(fetch, `${url}/metrics`)]);
  const { version } = Object(parse(openapi?.text ?? '').info) as { version?: unknown };
  const seconds = Number(/^process_start_time_seconds (\S+)$/m.exec(metrics?.text ?? '')?.[1] ?? Number.NaN);
  return {
    responds: true,
    isReady: true,
    notices: noticesIn(answer),
    ...(typeof version === 'string' && { version }),
    ...(Number.isFinite(seconds) && { startedAtMs: seconds * 1000 }),
  };
}

async function get(fetch: Fetch, url: string): Promise<{ status: number; text: string } | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch(url, { method: 'GET', headers: {}, signal, redirect: 'manual' });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

function parse(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}
