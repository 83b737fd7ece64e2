import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, DeviceCodes } from '../../client/client.ts';
import { ApiError, UnreachableError } from '../../client/errors.ts';
import { type Clock, parseTimestamp } from '../../lib/clock.ts';
import type { Pause } from '../account-context.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure, EXIT_INTERRUPTED } from '../failure.ts';
import type { Output } from '../output.ts';
import type { SignedIn } from './sign-in-attempts.ts';
import {
  deviceName,
  type PreparedSignIn,
  prepareSignIn,
  rejectAddress,
  type SignInParts,
  type SignInRequest,
  type SignInResult,
} from './sign-in-flow.ts';

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = { darwin: 'macOS', linux: 'Linux', win32: 'Windows' };
const EXPIRED = 'This device was not allowed in time. Run svc login --device again.';
const CANCELED = 'Canceled. Nothing was connected.';

/**
 * Connects this machine with a separate token once it is allowed, in a browser that is signed in to the account or with
 * the mailed link. The API key stays valid. Everything that can fail is checked before a token is issued.
 */
export async function connectDevice(request: SignInRequest, parts: SignInParts): Promise<SignInResult> {
  const prepared = await prepareSignIn(request, parts);
  const { context, output } = parts;
  const { hostName, environment, clock, pause = timeout } = context;
  const { email } = prepared;
  const client = prepared.client();
  const system = SYSTEMS[environment.platform] ?? environment.platform;
  const codes = await client.auth.beginDevice({ email, name: deviceName(hostName), system }).catch(rejectAddress);
  introduce(codes, prepared, output);
  const stopped = new AbortController();
  void context.stopSignal().then(() => stopped.abort(new CommandFailure(EXIT_INTERRUPTED, CANCELED)));
  const leftMs = (parseTimestamp(codes.expiresAt) ?? 0) - clock.nowMs();
  const waitMs = Math.min(request.timeoutMs ?? MAX_WAIT_MS, leftMs > 0 ? leftMs : MAX_WAIT_MS);
  const signedIn = await collect(client, codes, { clock, pause, waitMs, stopped: stopped.signal });
  return { ...(await prepared.store(signedIn)), account: signedIn.account };
}

const timeout: Pause = (ms, signal) => sleep(ms, undefined, { signal });

/** The longest wait, even if the clocks of terminal and daemon differ. */
const MAX_WAIT_MS = 10 * 60_000;

function introduce(
  { userCode, verificationUrlComplete }: DeviceCodes,
  { email }: PreparedSignIn,
  output: Output,
): void {
  output.note(`To connect this machine to the account of ${email}, open this address in a browser that is signed in:`);
  output.note(`\n  ${verificationUrlComplete}\n`);
  output.note(`Or open the link that was mailed to ${email}. Allow the device with this code:`);
  output.note(`\n  ${output.style.bold(userCode)}\n`);
  output.note('Waiting for up to 10 minutes. Your API key does not change. Press Ctrl-C to cancel.');
}

/** Polls for the token, also while the daemon cannot be reached. */
async function collect(
  client: Pick<Client, 'auth'>,
  { deviceCode, intervalSeconds }: DeviceCodes,
  { clock, pause, waitMs, stopped }: { clock: Clock; pause: Pause; waitMs: number; stopped: AbortSignal },
): Promise<SignedIn> {
  const deadlineMs = clock.monotonicMs() + waitMs;
  let seconds = intervalSeconds;
  for (;;) {
    const answer = await client.auth.collectDevice({ deviceCode }).catch(toWait);
    if (answer && 'token' in answer) return { apiKey: answer.token, account: answer.account };
    seconds = answer?.intervalSeconds ?? seconds;
    if (clock.monotonicMs() + seconds * 1000 > deadlineMs) throw new CommandFailure(EXIT.failed, EXPIRED);
    await pause(seconds * 1000, stopped).catch(() => {
      throw stopped.reason;
    });
  }
}

/** Returns how long to wait after a temporary error. Rethrows any other. */
function toWait(error: unknown): { intervalSeconds: number } | undefined {
  if (error instanceof UnreachableError) return undefined;
  if (error instanceof ApiError && error.code === 'gone') throw new CommandFailure(EXIT.failed, error.message);
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
  if (seconds === undefined) throw error;
  return { intervalSeconds: seconds };
}
