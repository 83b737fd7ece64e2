import { type Client, createClient } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import { type AccountContext, openKeychain } from '../account-context.ts';
import { isUnencrypted, parseDaemonUrl, unanswered } from '../daemon-url.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import { createHttpFetch } from '../http-fetch.ts';
import type { Output } from '../output.ts';
import { isAnswering } from '../service/daemon-probe.ts';
import { findProfile } from '../session.ts';
import { DEFAULT_URL, type Profile, type Settings } from '../settings.ts';
import { endCredential } from './end-credential.ts';
import { chooseKeyStore, type KeyStorageDependencies, type StoredKey, storeKey } from './key-storage.ts';
import { chooseProfile } from './profile-choice.ts';
import { looksLikeEmail, type SignInPrompts } from './prompts.ts';
import { createAttempts, type SignedIn } from './sign-in-attempts.ts';
import { type SignInRun, startSignIn } from './sign-in-run.ts';

export interface SignInRequest {
  email?: string | undefined;
  url?: string | undefined;
  profile?: string | undefined;
  keyStore?: Profile['keyStore'] | undefined;
  handOver: boolean;
  timeoutMs?: number | undefined;
}

export interface SignInParts {
  context: AccountContext;
  settings: Settings;
  prompts: SignInPrompts;
  output: Output;
}

/** The stored key, with the account as the daemon reports it. */
export interface SignInResult extends StoredKey {
  account: SignedIn['account'];
}

/** A sign-in whose profile, address and key storage are settled. */
export interface PreparedSignIn {
  url: string;
  email: string;
  client(apiKey?: string): Client;
  /** Stores the key or token, and the profile. */
  store(signedIn: SignedIn): Promise<StoredKey>;
}

/**
 * Runs a sign-in from the first prompt to the stored key. Everything that can fail is checked before the key is
 * created.
 */
export async function signIn(request: SignInRequest, parts: SignInParts): Promise<SignInResult> {
  const { url, email, client, store } = await prepareSignIn(request, parts);
  const { clock, random, hostName } = parts.context;
  const attempts = createAttempts({ client: client(), random, email, device: deviceName(hostName) });
  const run = await startSignIn({ attempts, clock, handOver: request.handOver }).catch(rejectAddress);
  const signedIn = await followRun(run, { url, email }, request.timeoutMs, parts);
  return { ...(await store(signedIn)), account: signedIn.account };
}

/** Asks for missing options, and checks that a key can be stored. */
export async function prepareSignIn(request: SignInRequest, parts: SignInParts): Promise<PreparedSignIn> {
  const { context, settings, prompts, output } = parts;
  const current = findProfile(settings, request.profile)?.profile;
  const url = parseDaemonUrl(request.url ?? settings.overrides.url ?? current?.url ?? DEFAULT_URL);
  if (isUnencrypted(url)) output.warn(`${url} does not use HTTPS: the key will be sent over the network unencrypted.`);
  if (settings.overrides.apiKey !== undefined) {
    output.warn('SVC_API_KEY is set and takes precedence over this sign-in; unset it to use the new key.');
  }
  if (request.email === undefined) await requireDaemon(context, url);
  const email = await resolveEmail(request, current?.email ?? settings.lastEmail(), prompts);
  const name = await resolveName(request, { url, email }, parts);
  const options = { baseUrl: url, retries: 0, ...(context.fetch && { fetch: context.fetch }) };
  const client = (apiKey?: string) => createClient({ ...options, apiKey });
  const storage: KeyStorageDependencies = {
    settings,
    keychain: openKeychain(context),
    requested: request.keyStore,
    prompts,
    output,
    revoke: (apiKey) => endCredential({ ...options, apiKey }),
  };
  const choice = await chooseKeyStore(storage);
  return { url, email, client, store: (signedIn) => storeKey(storage, { name, url, choice }, signedIn) };
}

/** Looks for the daemon before the address is asked for. Throws `CommandFailure` if nothing answers. */
async function requireDaemon({ fetch = createHttpFetch() }: AccountContext, url: string): Promise<void> {
  if (await isAnswering(fetch, url)) return;
  throw new CommandFailure(EXIT.unreachable, unanswered(url));
}

async function resolveEmail(
  { email }: SignInRequest,
  remembered: string | undefined,
  prompts: SignInPrompts,
): Promise<string> {
  if (email === undefined) return prompts.askEmail(remembered);
  if (looksLikeEmail(email)) return email.trim();
  throw new CommandFailure(EXIT.usage, `${JSON.stringify(email)} is not an email address.`);
}

async function resolveName(
  request: SignInRequest,
  { url, email }: { url: string; email: string },
  { settings, prompts }: SignInParts,
): Promise<string> {
  const { name, otherAccount } = chooseProfile(settings, { requested: request.profile, url, email });
  if (!otherAccount) return name;
  const owner = otherAccount.url === url ? otherAccount.email : otherAccount.url;
  return prompts.askProfile(name, `Profile ${settings.profileName(undefined)} is for ${owner}.`);
}

/** Shows the run until it ends. A stop signal or the timeout cancels it like Ctrl-C does. */
async function followRun(
  run: SignInRun,
  target: { url: string; email: string },
  timeoutMs: number | undefined,
  { context, prompts }: SignInParts,
): Promise<SignedIn> {
  void context.stopSignal().then(() => run.cancel());
  const onTimeout = () =>
    run.cancel(new CommandFailure(EXIT.failed, 'The link was not used in time. Run svc login again.'));
  const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, timeoutMs);
  const stopFollowing = prompts.follow(run, target);
  try {
    return await run.done;
  } finally {
    clearTimeout(timer);
    stopFollowing();
    await run.close();
  }
}

/** An email address that the daemon rejects is a usage error. */
export function rejectAddress(error: unknown): never {
  if (error instanceof ApiError && error.code === 'invalid_request') {
    throw new CommandFailure(EXIT.usage, error.message);
  }
  throw error;
}

/** The host name without control characters, cut to the length that the contract accepts. */
export function deviceName(hostName: string): string {
  return hostName.replace(/[\u0000-\u001f\u007f]/g, '').slice(0, 100) || 'a terminal';
}
