import { ApiError, UnreachableError } from '../../client/errors.ts';
import { type Clock, parseTimestamp } from '../../lib/clock.ts';
import { normalizeCode } from '../../lib/secret.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts';
import type { Attempts, SignedIn } from './sign-in-attempts.ts';

/** The current state of a sign-in, for display. */
interface SignInState {
  /** `over`: no code can succeed; a new link is needed. */
  phase: 'sending' | 'waiting' | 'checking' | 'over';
  /** When the newest link expires, by the monotonic clock. */
  deadlineMs: number;
  /** The latest event to show, if any. */
  notice?: { tone: 'bad' | 'good'; text: string };
}

/** One sign-in, from the first link to the key. */
export interface SignInRun {
  state(): SignInState;
  /** Calls `listener` on every change; returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** Tries a typed code. Resolves when the attempt is over; the state has the outcome. */
  typeCode(typed: string): Promise<void>;
  /** Requests a new link. Earlier links stay valid for as long as the daemon accepts them. */
  resend(): Promise<void>;
  /** Rejects `done` with `reason`. Waits for a code that is being redeemed: the key it creates must not be lost. */
  cancel(reason?: CommandFailure): void;
  done: Promise<SignedIn>;
  /** Stops the loopback server. */
  close(): Promise<void>;
}

interface Run {
  attempts: Attempts;
  clock: Clock;
  state: SignInState;
  listeners: Set<() => void>;
  completion: ReturnType<typeof deferred<SignedIn>>;
  loopback: LoopbackServer | undefined;
  canceled: CommandFailure | undefined;
  /** Serializes steps: the browser may send the code while a link is being requested. */
  queue: Promise<void>;
}

const LINK_MS = 15 * 60_000;
const CODE = /^[0-9A-Z]{4}-[0-9A-Z]{4}$/;
const OVER = 'This sign-in is over: five wrong codes, or it has expired. Enter r for a new link.';
const BAD_CODE = 'A code is eight letters and digits, like 7KQ2-M9XD.';

/**
 * Requests the first link and returns the run. Throws if this request fails; later failures become notices. If the
 * loopback server cannot start, the code is typed instead.
 */
export async function startSignIn(options: {
  attempts: Attempts;
  clock: Clock;
  handOver: boolean;
}): Promise<SignInRun> {
  const { attempts, clock } = options;
  const state: SignInState = { phase: 'sending', deadlineMs: clock.monotonicMs() + LINK_MS };
  const completion = deferred<SignedIn>();
  const queue = Promise.resolve();
  const run: Run = {
    attempts,
    clock,
    state,
    listeners: new Set(),
    completion,
    loopback: undefined,
    canceled: undefined,
    queue,
  };
  if (options.handOver) {
    const onCode = (received: { code: string; state: string }) =>
      void enqueue(run, () => check(run, normalizeCode(received.code), received.state));
    run.loopback = await startLoopbackServer({ states: attempts.challenges, onCode }).catch(() => undefined);
  }
  try {
    await sendLink(run);
  } catch (error) {
    await run.loopback?.close();
    throw error;
  }
  return {
    state: () => run.state,
    subscribe(listener) {
      run.listeners.add(listener);
      return () => void run.listeners.delete(listener);
    },
    typeCode: (typed) => enqueue(run, () => checkTyped(run, normalizeCode(typed))),
    resend: () => enqueue(run, () => resend(run)),
    cancel(reason = new CommandFailure(EXIT_INTERRUPTED, 'Canceled. Nobody was signed in.')) {
      run.canceled = reason;
      if (run.state.phase !== 'checking') completion.reject(reason);
    },
    done: completion.promise,
    close: async () => run.loopback?.close(),
  };
}

function enqueue(run: Run, step: () => Promise<void>): Promise<void> {
  run.queue = run.queue.then(step).catch(run.completion.reject);
  return run.queue;
}

function update(run: Run, change: Omit<Partial<SignInState>, 'notice'>, tone?: 'bad' | 'good', text = ''): void {
  const { notice: _, ...rest } = run.state;
  run.state = { ...rest, ...change, ...(tone && { notice: { tone, text } }) };
  for (const listener of run.listeners) listener();
}

async function sendLink(run: Run): Promise<void> {
  const { expiresAt } = await run.attempts.send(run.loopback?.port);
  const leftMs = (parseTimestamp(expiresAt) ?? 0) - run.clock.nowMs();
  // The daemon's clock may differ from ours; no link is valid for longer than fifteen minutes.
  const plausible = leftMs > 0 && leftMs <= LINK_MS;
  update(run, { phase: 'waiting', deadlineMs: run.clock.monotonicMs() + (plausible ? leftMs : LINK_MS) });
}

async function resend(run: Run): Promise<void> {
  const { phase } = run.state;
  update(run, { phase: 'sending' });
  try {
    await sendLink(run);
    update(run, {}, 'good', 'A new link is on its way.');
  } catch (error) {
    update(run, { phase }, 'bad', describeError(error));
  }
}

async function checkTyped(run: Run, code: string): Promise<void> {
  if (run.state.phase === 'over') return update(run, {}, 'bad', OVER);
  if (!CODE.test(code)) return update(run, {}, 'bad', BAD_CODE);
  await check(run, code);
}

async function check(run: Run, code: string, challenge?: string): Promise<void> {
  update(run, { phase: 'checking' });
  try {
    const outcome = await run.attempts.redeem(code, challenge);
    if ('signedIn' in outcome) return run.completion.resolve(outcome.signedIn);
    const { triesLeft } = outcome;
    const left = triesLeft === 1 ? 'One try left.' : `${triesLeft} tries left.`;
    if (triesLeft === 0) update(run, { phase: 'over' }, 'bad', OVER);
    else update(run, { phase: 'waiting' }, 'bad', `Wrong code. ${left}`);
  } catch (error) {
    update(run, { phase: 'waiting' }, 'bad', describeError(error));
  }
  if (run.canceled) run.completion.reject(run.canceled);
}

/** Describes an error from the daemon or the connection to it. Rethrows anything else: that is a bug. */
function describeError(error: unknown): string {
  if (error instanceof UnreachableError) return `${error.message} Try again, or enter r for a new link.`;
  if (!(error instanceof ApiError)) throw error;
  const { retryAfterSeconds } = error;
  return retryAfterSeconds === undefined ? error.message : `Too many attempts. Wait ${retryAfterSeconds} seconds.`;
}

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: Error) => void;
  const promise = new Promise<T>((resolvePromise, rejectPromise) => {
    resolve = resolvePromise;
    reject = rejectPromise;
  });
  // Avoids an unhandled rejection if the run is canceled before anyone awaits it.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
