import { type Client, createClient, type Space } from '../../client/client.ts';
import { UnreachableError } from '../../client/errors.ts';
import type { Account } from '../../contract/account.ts';
import { OWN_SPACE } from '../../contract/space-names.ts';
import type { AccountContext } from '../account-context.ts';
import { parseDaemonUrl, unanswered } from '../daemon-url.ts';
import { EXIT } from '../exit.ts';
import { CommandFailure, toFailure } from '../failure.ts';
import { createHttpFetch } from '../http-fetch.ts';
import { isAnswering } from '../service/daemon-probe.ts';
import { findProfile, openSession, type Session, type SessionOptions } from '../session.ts';
import { DEFAULT_URL, EVERYWHERE, type Settings } from '../settings.ts';

/** A profile as stored here, with what its daemon reports. */
export interface AccountStatus {
  profile: string;
  url: string;
  /** As the daemon reports it, or as stored if the daemon was not reached. */
  email: string | undefined;
  keyStore: Session['keyStore'];
  /** `undefined` if the daemon could not be queried. */
  signedIn: boolean | undefined;
  reachable: boolean;
  latencyMs?: number;
  account?: Account;
  /** The space that commands act in, if not the own account. */
  space?: SpaceStatus;
  /** Projects on this machine that are tied to a space; only if there are some. */
  ties?: TieStatus[];
  /** What hooks read together, besides what ties say; only if there is a list. */
  reads?: ReadStatus[];
  /** A newer version of svc, if the daemon looks for one. */
  update?: string;
  /** Scheduled backups fail; only if this account may see backups. */
  backupFails?: boolean;
  /** The problem and how to fix it. */
  problem?: string;
  exitCode: number;
}

/** A space as it is named here, with the membership that the daemon reports; without a role there is none. */
export interface SpaceStatus {
  name: string;
  id?: string;
  role?: Space['role'];
  members?: number | null;
}

interface TieStatus {
  folder: string;
  space: SpaceStatus;
}

interface ReadStatus {
  /** The folder of the project; null for all projects without a list of their own that are not tied. */
  folder: string | null;
  spaces: SpaceStatus[];
}

type Dependencies = SessionOptions & Pick<AccountContext, 'clock' | 'fetch'>;

/**
 * Queries the daemon of a session. A profile whose key cannot be read is also a status; throws if the profile does
 * not exist.
 */
export async function accountStatus(dependencies: Dependencies): Promise<AccountStatus> {
  const session = await openSession(dependencies).catch((error: unknown) => error);
  if (!isSession(session)) return statusWithoutKey(session, dependencies);
  const { profileName, url, apiKey, keyStore, profile } = session;
  const known = { profile: profileName, url, email: profile?.email, keyStore };
  const { clock, fetch } = dependencies;
  const beganMs = clock.monotonicMs();
  try {
    const client = createClient({ baseUrl: url, apiKey, retries: 0, timeoutMs: 10_000, ...(fetch && { fetch }) });
    const account = await client.account.get();
    const latencyMs = Math.round(clock.monotonicMs() - beganMs);
    const shared = await sharedWith(client, session, dependencies.settings);
    const signedIn = { email: account.email, signedIn: true, reachable: true, latencyMs, account };
    return { ...known, ...signedIn, ...shared, exitCode: EXIT.done };
  } catch (error) {
    const failure = toFailure(error);
    if (!failure) throw error;
    const reachable = !(error instanceof UnreachableError);
    const signedIn = failure.exitCode === EXIT.notSignedIn ? false : undefined;
    return { ...known, signedIn, reachable, problem: failure.message, exitCode: failure.exitCode };
  }
}

/** The space in use, the ties of projects and what hooks read, with what the daemon says of the memberships. */
async function sharedWith(
  client: Client,
  { space }: Pick<Session, 'space'>,
  settings: Pick<Settings, 'ties' | 'reads'>,
): Promise<Pick<AccountStatus, 'space' | 'ties' | 'reads'>> {
  const [tied, reads] = [Object.entries(settings.ties()), Object.entries(settings.reads())];
  if (!space && tied.length === 0 && reads.length === 0) return {};
  const joined = (await client.spaces.list()).data.filter(({ state }) => state === 'joined');
  const statusOf = (key: string, name: string): SpaceStatus => {
    if (key === OWN_SPACE) return { name };
    const found = joined.find((one) => one.id === key) ?? joined.find((one) => one.name === key);
    return found ? { name: found.name, id: found.id, role: found.role, members: found.members } : { name };
  };
  return {
    ...(space && { space: statusOf(space.key, space.name) }),
    ...(tied.length > 0 && { ties: tied.map(([folder, { id, name }]) => ({ folder, space: statusOf(id, name) })) }),
    ...(reads.length > 0 && {
      reads: reads.map(([folder, spaces]) => ({
        folder: folder === EVERYWHERE ? null : folder,
        spaces: spaces.map(({ id, name }) => statusOf(id, name)),
      })),
    }),
  };
}

function isSession(result: unknown): result is Session {
  return !(result instanceof Error);
}

/** What is known without a key: whether the daemon answers, too. */
async function statusWithoutKey(error: unknown, dependencies: Dependencies): Promise<AccountStatus> {
  const { settings, profile: requested, fetch = createHttpFetch() } = dependencies;
  if (!(error instanceof CommandFailure) || settings.overrides.apiKey !== undefined) throw error;
  // With SVC_URL not the current profile, which may be of another daemon.
  const found = findProfile(settings, requested);
  if (!found) {
    if (requested !== undefined) throw error;
    const address = parseDaemonUrl(settings.overrides.url ?? DEFAULT_URL);
    const daemon = (await isAnswering(fetch, address)) ? `A daemon answers at ${address}.` : unanswered(address);
    throw new CommandFailure(error.exitCode, `${error.message}\n${daemon}`);
  }
  const { name, profile } = found;
  const { url, email, keyStore } = profile;
  const signedIn = error.exitCode === EXIT.notSignedIn ? false : undefined;
  return {
    profile: name,
    url,
    email,
    keyStore,
    signedIn,
    reachable: await isAnswering(fetch, url),
    problem: error.message,
    exitCode: error.exitCode,
  };
}
