import { createClient } from '../../client/client.ts';
import { AppError } from '../../contract/errors.ts';
import { type AccountContext, openKeychain } from '../account-context.ts';
import { isUnencrypted, parseDaemonUrl } from '../daemon-url.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure } from '../failure.ts';
import type { Output } from '../output.ts';
import { findProfile } from '../session.ts';
import { DEFAULT_URL, type Profile, type Settings } from '../settings.ts';
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
  dialogue: SignInPrompts;
  output: Output;
}

/** A new key in its place, with what the daemon says of the account. */
export interface SignInResult extends StoredKey {
  account: SignedIn['account'];
}

/** Signs in from the first question to the kept key. Everything that can be refused is settled before the key is made. */
export async function signIn(request: SignInRequest, parts: SignInParts): Promise<SignInResult> {
  const { context, settings, dialogue, output } = parts;
  const present = findProfile(settings, request.profile)?.profile;
  const url = parseDaemonUrl(request.url ?? settings.overrides.url ?? present?.url ?? DEFAULT_URL);
  if (isUnencrypted(url)) output.warn(`${url} is not encrypted: the key will cross the network in the clear.`);
  if (settings.overrides.apiKey !== undefined) {
    output.warn('SVC_API_KEY is set and goes before what you sign in to here; unset it to use this sign-in.');
  }
  const email = await emailOf(request, present?.email ?? settings.lastEmail(), dialogue);
  const name = await nameOf(request, { url, email }, parts);
  const client = (apiKey?: string) =>
    createClient({ baseUrl: url, apiKey, retries: 0, ...(context.fetch && { fetch: context.fetch }) });
  const keeping: KeyStorageDependencies = {
    settings,
    keychain: openKeychain(context),
    asked: request.keyStore,
    dialogue,
    output,
    revoke: (apiKey) => client(apiKey).auth.revokeKey(),
  };
  const place = await chooseKeyStore(keeping);
  const { clock, random, hostName } = context;
  const attempts = createAttempts({ client: client(), random, email, device: deviceOf(hostName) });
  const run = await startSignIn({ attempts, clock, handOver: request.handOver }).catch(refusedAddress);
  const signedIn = await followed(run, { url, email }, request.timeoutMs, parts);
  const kept = await storeKey(keeping, { name, url, place }, signedIn);
  return { ...kept, account: signedIn.account };
}

async function emailOf(
  { email }: SignInRequest,
  remembered: string | undefined,
  dialogue: SignInPrompts,
): Promise<string> {
  if (email === undefined) return dialogue.askEmail(remembered);
  if (looksLikeEmail(email)) return email.trim();
  throw new CommandFailure(EXIT.usage, `${JSON.stringify(email)} is no e-mail address.`);
}

async function nameOf(
  request: SignInRequest,
  { url, email }: { url: string; email: string },
  { settings, dialogue }: SignInParts,
): Promise<string> {
  const { name, insteadOf } = chooseProfile(settings, { asked: request.profile, url, email });
  if (!insteadOf) return name;
  const whose = insteadOf.url === url ? insteadOf.email : insteadOf.url;
  return dialogue.askProfile(name, `Profile ${settings.profileName(undefined)} is for ${whose}.`);
}

/** Shows the run until it ends. The process being asked to stop, or the time being up, ends it as Ctrl-C does. */
async function followed(
  run: SignInRun,
  about: { url: string; email: string },
  timeoutMs: number | undefined,
  { context, dialogue }: SignInParts,
): Promise<SignedIn> {
  void context.stopSignal().then(() => run.cancel());
  const late = () =>
    run.cancel(new CommandFailure(EXIT.failed, 'Nobody followed the link in time. Run svc login again.'));
  const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
  const unfollow = dialogue.follow(run, about);
  try {
    return await run.done;
  } finally {
    clearTimeout(timer);
    unfollow();
    await run.close();
  }
}

/** An address that the daemon does not take is a fault of usage. */
function refusedAddress(error: unknown): never {
  if (error instanceof AppError && error.code === 'invalid_request') {
    throw new CommandFailure(EXIT.usage, error.message);
  }
  throw error;
}

/** As the contract takes it; what a host name cannot have is dropped. */
function deviceOf(hostName: string): string {
  return hostName.replace(/[\u0000-\u001f\u007f]/g, '').slice(0, 100) || 'a terminal';
}
