import { signal } from '@preact/signals';
import type { Fetch, FetchRequest, FetchResponse } from '../client/client.ts';
import { isReadOnlyPost } from '../client/transport.ts';
import { type DaemonState, DISK_FULL, describeRefusal, judgeReadiness, UNREACHABLE, WELL } from './readiness.ts';

/** Whether the daemon responds and can store. */
export const daemonState = signal<DaemonState>(WELL);

/** A newer version of svc, if the daemon looks for one. */
export const availableUpdate = signal<string | undefined>(undefined);

/** How many times the daemon has come back from being unreachable or unable to store. */
export const recoveries = signal(0);

/** Intervals of checks while the daemon is not well, and while it is. */
const LOOK_INTERVAL_MS = 4000;
const CALM_INTERVAL_MS = 60_000;
/** The daemon repeats its checks after a second. */
const CHECKS_REPEATED_MS = 1200;
const TIMEOUT_MS = 5000;

let looking: Promise<void> | undefined;
let nextLook: ReturnType<typeof setTimeout> | undefined;
let wasFull = false;

/** Checks whether the daemon is ready, and schedules the next check. Never throws. */
export function lookAtDaemon(): Promise<void> {
  looking ??= readReadiness()
    .then(show)
    .finally(() => {
      looking = undefined;
    });
  return looking;
}

/** Checks the daemon now, periodically, and whenever the page is shown again. Returns a function that stops it. */
export function watchDaemon(): () => void {
  const onShown = () => document.visibilityState === 'visible' && void lookAtDaemon();
  document.addEventListener('visibilitychange', onShown);
  void lookAtDaemon();
  return () => {
    document.removeEventListener('visibilitychange', onShown);
    clearTimeout(nextLook);
  };
}

async function readReadiness(): Promise<DaemonState> {
  try {
    const response = await fetch('/readyz', { cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const body: unknown = await response.json().catch(() => undefined);
    const { update } = Object(body) as { update?: unknown };
    availableUpdate.value = typeof update === 'string' ? update : undefined;
    return judgeReadiness({ status: response.status, body, wasFull });
  } catch {
    return UNREACHABLE;
  }
}

function show(state: DaemonState): void {
  const before = daemonState.peek();
  if (JSON.stringify(before) !== JSON.stringify(state)) daemonState.value = state;
  lookIn(state.kind === 'well' ? CALM_INTERVAL_MS : LOOK_INTERVAL_MS);
  const isBack = state.kind === 'well' || state.kind === 'warned';
  if (!isBack) return;
  wasFull = false;
  if (before.kind === 'readOnly' || before.kind === 'unreachable') recoveries.value += 1;
}

/** Skips the check while the page is hidden: it is repeated when the page is shown. */
function lookIn(ms: number): void {
  clearTimeout(nextLook);
  nextLook = setTimeout(() => document.visibilityState === 'visible' && void lookAtDaemon(), ms);
}

/** Wraps a `fetch` to update the state from its outcomes. */
export function watched(fetch: Fetch): Fetch {
  return async (url, request) => {
    try {
      const response = await fetch(url, request);
      learnFrom(response, isChange(url, request));
      return response;
    } catch (error) {
      if (!isCancelled(request.signal)) void lookAtDaemon();
      throw error;
    }
  };
}

function learnFrom({ status }: FetchResponse, wasChange: boolean): void {
  if (status === 507 && wasChange) {
    wasFull = true;
    show(DISK_FULL);
  } else if (status === 502 || status === 504) void lookAtDaemon();
  else if (status === 503) lookIn(CHECKS_REPEATED_MS);
  else if (daemonState.peek().kind === 'unreachable') void lookAtDaemon();
}

/** Whether the caller gave up, and not the time limit. */
function isCancelled({ aborted, reason }: AbortSignal): boolean {
  return aborted && (reason as Error | undefined)?.name !== 'TimeoutError';
}

/** Wraps a `fetch` to refuse changes, without sending them, while the daemon cannot store. */
export function guarded(fetch: Fetch): Fetch {
  return async (url, request) => {
    const refusal = isChange(url, request) ? refusedBecause() : undefined;
    return refusal === undefined ? fetch(url, request) : refusalOf(refusal);
  };
}

/** Why changes are refused at the moment; undefined if they are not. */
export function refusedBecause(): string | undefined {
  const state = daemonState.peek();
  return state.kind === 'readOnly' ? describeRefusal(state.reason) : undefined;
}

function isChange(url: string, { method }: FetchRequest): boolean {
  return method !== 'GET' && !(method === 'POST' && isReadOnlyPost(new URL(url).pathname));
}

/** Answers as the daemon would. A client waits less than `Retry-After` says, so that it does not repeat the call. */
function refusalOf(detail: string): FetchResponse {
  const problem = { type: 'urn:svc:problem:unavailable', title: 'Read only', status: 503, detail, code: 'unavailable' };
  return {
    ok: false,
    status: 503,
    headers: new Headers({ 'retry-after': '3600' }),
    text: async () => JSON.stringify({ ...problem, requestId: 'none' }),
    body: null,
  };
}
