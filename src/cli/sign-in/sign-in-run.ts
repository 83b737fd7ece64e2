import { UnreachableError } from '../../client/transport.ts';
import { AppError } from '../../contract/errors.ts';
import { type Clock, parseTimestamp } from '../../lib/clock.ts';
import { normalizeCode } from '../../lib/secret.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import { type LoopbackServer, startLoopbackServer } from './loopback-server.ts';
import type { Attempts, SignedIn } from './sign-in-attempts.ts';

/** A sign-in as it stands, for whoever shows it. */
export interface SignInState {
  /** `over`: no code can succeed any more, a new link is needed. */
  phase: 'sending' | 'waiting' | 'checking' | 'over';
  /** When the newest link expires, on the monotonic clock. */
  deadlineMs: number;
  /** The last thing that happened, where it has to be told. */
  notice?: { tone: 'bad' | 'good'; text: string };
}

/** One sign-in, from the first link until there is a key. */
export interface SignInRun {
  state(): SignInState;
  /** Called at every change; returns how to end that. */
  subscribe(listener: () => void): () => void;
  /** What a person typed: a code. Resolves when it has been tried; what came of it is in the state. */
  typeCode(typed: string): Promise<void>;
  /** Another link. Those before stay good for as long as the daemon keeps them. */
  resend(): Promise<void>;
  /** Ends it with `reason`. A code that is being redeemed is waited for first: the key that it makes must not be lost. */
  cancel(reason?: CommandFailure): void;
  done: Promise<SignedIn>;
  /** Stops listening. */
  close(): Promise<void>;
}

interface Run {
  attempts: Attempts;
  clock: Clock;
  state: SignInState;
  listeners: Set<() => void>;
  ending: ReturnType<typeof deferred<SignedIn>>;
  loopback: LoopbackServer | undefined;
  cancelled: CommandFailure | undefined;
  /** One step after the other: a hand-over may come while a link is being sent. */
  turn: Promise<void>;
}

const LINK_MS = 15 * 60_000;
const CODE = /^[0-9A-Z]{4}-[0-9A-Z]{4}$/;
const OVER = 'This sign-in is over: five wrong codes, or it has expired. Enter r for a new link.';
const BAD_CODE = 'A code has eight letters and digits, like 7KQ2-M9XD.';

/**
 * Sends the link and returns the run. Throws what the daemon answers to this first request; what it refuses later is a
 * notice. Without a free port the code is typed: nothing depends on the hand-over.
 */
export async function startSignIn(options: {
  attempts: Attempts;
  clock: Clock;
  handOver: boolean;
}): Promise<SignInRun> {
  const { attempts, clock } = options;
  const state: SignInState = { phase: 'sending', deadlineMs: clock.monotonicMs() + LINK_MS };
  const ending = deferred<SignedIn>();
  const turn = Promise.resolve();
  const run: Run = {
    attempts,
    clock,
    state,
    listeners: new Set(),
    ending,
    loopback: undefined,
    cancelled: undefined,
    turn,
  };
  if (options.handOver) {
    const onCode = (handed: { code: string; state: string }) =>
      void enqueue(run, () => check(run, normalizeCode(handed.code), handed.state));
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
    cancel(reason = new CommandFailure(EXIT_INTERRUPTED, 'Stopped. Nobody was signed in.')) {
      run.cancelled = reason;
      if (run.state.phase !== 'checking') ending.reject(reason);
    },
    done: ending.promise,
    close: async () => run.loopback?.close(),
  };
}

function enqueue(run: Run, step: () => Promise<void>): Promise<void> {
  run.turn = run.turn.then(step).catch(run.ending.reject);
  return run.turn;
}

function update(run: Run, change: Omit<Partial<SignInState>, 'notice'>, tone?: 'bad' | 'good', text = ''): void {
  const { notice: _, ...rest } = run.state;
  run.state = { ...rest, ...change, ...(tone && { notice: { tone, text } }) };
  for (const listener of run.listeners) listener();
}

async function sendLink(run: Run): Promise<void> {
  const { expiresAt } = await run.attempts.send(run.loopback?.port);
  const leftMs = (parseTimestamp(expiresAt) ?? 0) - run.clock.nowMs();
  // The clocks of two machines may differ; no link lives longer than a quarter of an hour.
  const believable = leftMs > 0 && leftMs <= LINK_MS;
  update(run, { phase: 'waiting', deadlineMs: run.clock.monotonicMs() + (believable ? leftMs : LINK_MS) });
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
    if ('signedIn' in outcome) return run.ending.resolve(outcome.signedIn);
    const { triesLeft } = outcome;
    const left = triesLeft === 1 ? 'One try left.' : `${triesLeft} tries left.`;
    if (triesLeft === 0) update(run, { phase: 'over' }, 'bad', OVER);
    else update(run, { phase: 'waiting' }, 'bad', `That is not the code. ${left}`);
  } catch (error) {
    update(run, { phase: 'waiting' }, 'bad', describeError(error));
  }
  if (run.cancelled) run.ending.reject(run.cancelled);
}

/** In words; what is no trouble of the daemon or the way to it is a fault of ours and thrown. */
function describeError(error: unknown): string {
  if (error instanceof UnreachableError) return `${error.message} Try again, or enter r for a new link.`;
  if (!(error instanceof AppError)) throw error;
  const { retryAfterSeconds } = error.options;
  return retryAfterSeconds === undefined ? error.message : `Too many tries. Wait ${retryAfterSeconds} seconds.`;
}

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (reason: Error) => void;
  const promise = new Promise<T>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  // Whoever waits learns of it; a run that is cancelled before anyone waits is no fault.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
