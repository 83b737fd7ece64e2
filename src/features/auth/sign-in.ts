import type { MagicLinkRequest } from '../../contract/auth.ts';
import { AppError } from '../../contract/errors.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import type { Sealer } from '../../lib/seal.ts';
import { codeChallengeOf, equalSecrets, hashSecret, mintCode, mintToken, normalizeCode } from '../../lib/secret.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { normalizeEmail } from '../accounts/email-address.ts';
import type { ClientOrigin, NewSession, Sessions } from '../connections/sessions.ts';
import type { Keys, RotationReason } from '../keys/keys.ts';
import type { MailQueue } from '../mail/mail-queue.ts';
import type { SignInKind } from './mail-rate-limit.ts';
import { kindOf, type MailedLinks, type NewLink } from './mailed-links.ts';
import {
  deleteSignInsBefore,
  findSignIn,
  listByChallenge,
  type SignInRow,
  updateCode,
  updateUsed,
  updateVoid,
  updateWrongCodes,
} from './sign-in-store.ts';

/** Outcome of redeeming a link. */
export type Redeemed =
  | { kind: 'browser'; apiKey: string; session: NewSession }
  /** A terminal requested the link. The key is rotated only when the terminal sends this code. */
  | { kind: 'terminal'; code: string; device: string; loopback: { port: number; state: string } | undefined };

/** A link that has not been consumed, as its confirmation page shows it. */
interface PendingLink {
  email: string;
  device: string | undefined;
  /** Whether it allows a device, instead of signing in. */
  isForDevice: boolean;
  /** Whether the request carries the cookie of the browser that requested the link. */
  sameBrowser: boolean;
}

/** Passwordless sign-in by mailed link. Tokens, cookies and codes are stored only as hashes. */
export interface SignIn {
  /**
   * Queues the mail. Response and work are the same for every address: known, unknown, barred or over its mail limit.
   * `cookie` identifies this browser. Throws `invalid_request` if `email` is not an address.
   */
  request(request: MagicLinkRequest): Promise<{ expiresAtMs: number; cookie: string }>;
  /** Reads a link without consuming it. Throws `gone`. */
  inspect(token: string, cookie: string | undefined): Promise<PendingLink>;
  /** Consumes a link, once, in the browser `origin`. Throws `gone`. */
  redeem(token: string, origin: ClientOrigin): Promise<Redeemed>;
  /** Redeems the code of a terminal sign-in. Throws `invalid_request` for a wrong code or verifier, `gone` if expired. */
  redeemCode(code: string, codeVerifier: string): Promise<{ apiKey: string }>;
  sweep(): Promise<void>;
}

interface Dependencies {
  db: Database;
  clock: Clock;
  random: Random;
  sealer: Sealer;
  keys: Keys;
  sessions: Sessions;
  accounts: Accounts;
  links: MailedLinks;
  mailQueue: MailQueue;
}

/** The links that sign in: those of devices and clients only allow them. */
const SIGNS_IN: ReadonlySet<SignInKind> = new Set(['browser', 'terminal']);
const CODE_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;
export const MAX_WRONG_CODES = 5;

export function createSignIn(dependencies: Dependencies): SignIn {
  const { db, clock, random, sealer, keys, sessions, accounts, links, mailQueue } = dependencies;
  const codeHashOf = (code: string) => sealer.authenticate(normalizeCode(code), 'sign-in code');

  /**
   * Issues a new key, the only place that does. Invalidates the previous key and every other link of the address. Throws
   * `gone` if the address may no longer sign in, for example because its invitation was withdrawn after the mail.
   */
  async function complete(
    connection: Connection,
    email: string,
    reason: RotationReason,
  ): Promise<{ tenantId: string; apiKey: string }> {
    await accounts.keep(connection, email);
    if (!(await accounts.canSignIn(connection, email))) throw gone();
    await updateVoid(connection, email);
    const { tenantId } = await accounts.findOrCreate(connection, email);
    return { tenantId, apiKey: await keys.rotate(connection, tenantId, reason) };
  }

  async function redeemTerminal(connection: Connection, row: SignInRow): Promise<Redeemed> {
    const code = mintCode(random);
    await updateCode(connection, row.tokenHash, codeHashOf(code), clock.nowMs() + CODE_MS);
    const loopback = row.redirectPort === null ? undefined : { port: row.redirectPort, state: row.codeChallenge! };
    return { kind: 'terminal', code, device: deviceOf(row), loopback };
  }

  return {
    async request(request) {
      const email = normalizeEmail(request.email);
      const cookie = mintToken(random);
      const { login } = request;
      const link: NewLink = login
        ? { kind: 'terminal', email, redirectPort: null, ...login }
        : { kind: 'browser', email, cookieHash: hashSecret(cookie) };
      const expiresAtMs = await db.writes.write('daemon', (connection) => links.add(connection, link));
      mailQueue.wake();
      return { expiresAtMs, cookie };
    },
    async inspect(token, cookie) {
      const row = await findSignIn(db.readers, hashSecret(token));
      if (!isOpen(row, clock.nowMs()) || kindOf(row) === 'client') throw gone();
      const isForDevice = kindOf(row) === 'device';
      const sameBrowser = isFromBrowser(row, cookie);
      return { email: row.email, device: row.device ?? undefined, isForDevice, sameBrowser };
    },
    redeem: (token, origin) =>
      db.writes.write('daemon', async (connection) => {
        const tokenHash = hashSecret(token);
        const row = await findSignIn(connection, tokenHash);
        if (!isOpen(row, clock.nowMs()) || !SIGNS_IN.has(kindOf(row))) throw gone();
        if (!(await updateUsed(connection, tokenHash, clock.nowMs()))) throw gone();
        if (kindOf(row) === 'terminal') return redeemTerminal(connection, row);
        const { tenantId, apiKey } = await complete(connection, row.email, { endedBy: 'webSignIn' });
        return { kind: 'browser', apiKey, session: await sessions.begin(connection, tenantId, origin) };
      }),
    async redeemCode(code, codeVerifier) {
      const codeChallenge = codeChallengeOf(codeVerifier);
      const outcome = await db.writes.write('daemon', async (connection) => {
        const rows = await listByChallenge(connection, codeChallenge);
        if (rows.length === 0) return { apiKey: undefined, triesLeft: undefined };
        const open = rows.filter((row) => row.expiresAt > clock.nowMs());
        if (open.length === 0) throw gone();
        const match = open.find((row) => row.codeHash !== null && equalSecrets(row.codeHash, codeHashOf(code)));
        if (match) return complete(connection, match.email, { endedBy: 'terminalSignIn', device: deviceOf(match) });
        // Return instead of throwing: a throw would roll back the count of wrong codes.
        await updateWrongCodes(connection, { codeChallenge }, MAX_WRONG_CODES);
        return { apiKey: undefined, triesLeft: Math.max(...open.map((row) => MAX_WRONG_CODES - 1 - row.wrongCodes)) };
      });
      if (outcome.apiKey !== undefined) return { apiKey: outcome.apiKey };
      throw wrongCode(outcome.triesLeft);
    },
    sweep: () => db.writes.write('daemon', (connection) => deleteSignInsBefore(connection, clock.nowMs() - HOUR_MS)),
  };
}

function deviceOf({ device }: SignInRow): string {
  return device ?? 'a terminal';
}

/** Whether a link was delivered and can still be used. */
export function isOpen(row: SignInRow | undefined, nowMs: number): row is SignInRow {
  return row !== undefined && row.delivered === 1 && row.usedAt === null && row.expiresAt > nowMs;
}

/** Whether the browser with this cookie asked for the link. */
export function isFromBrowser({ cookieHash }: SignInRow, cookie: string | undefined): boolean {
  return cookie !== undefined && cookieHash !== null && equalSecrets(hashSecret(cookie), cookieHash);
}

/** The error of a link or code that cannot be used. */
export function gone(): AppError {
  return new AppError(
    'gone',
    'This sign-in link or code has expired, or it was already used or replaced. Request a new one.',
  );
}

function wrongCode(triesLeft: number | undefined): AppError {
  const advice =
    triesLeft === undefined
      ? 'This terminal has no sign-in in progress.'
      : triesLeft > 0
        ? `${triesLeft} ${triesLeft === 1 ? 'try' : 'tries'} left.`
        : 'That was the last try. Sign in again.';
  const errors = [{ path: '/code', message: 'does not match the code on the page' }];
  return new AppError('invalid_request', `Wrong code. ${advice}`, { errors });
}
