import type { Connection } from '../../db/connection.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { hashSecret, mintToken } from '../../lib/secret.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { MailQueue } from '../mail/mail-queue.ts';
import { canSendMail, type SignInKind } from './mail-rate-limit.ts';
import { signInMail } from './sign-in-mail.ts';
import { insertSignIn, listMailed, type SignInRow } from './sign-in-store.ts';

/** A link to mail, with what its row stores besides. */
export interface NewLink
  extends Partial<Pick<SignInRow, 'cookieHash' | 'codeChallenge' | 'redirectPort' | 'clientRequest'>> {
  kind: SignInKind;
  email: string;
  /** The name of the requesting terminal. */
  device?: string | undefined;
  deviceCodeHash?: string;
  /** How long it works, at most 15 minutes. */
  minutes?: number;
}

/** Links that are mailed to sign in, or to allow a device or an OAuth client. */
export interface MailedLinks {
  /**
   * Stores a link and queues its mail in the caller's transaction; call `mailQueue.wake` afterwards. The work is the same
   * for every address: known, unknown, barred or over its mail limit. Returns when the link expires.
   */
  add(connection: Connection, link: NewLink): Promise<number>;
}

interface Dependencies {
  clock: Clock;
  random: Random;
  accounts: Accounts;
  mailQueue: MailQueue;
  publicUrl: () => string;
}

export const LINK_MINUTES = 15;
/** The page that a link opens to allow a client. */
export const CLIENT_LINK_PATH = '/v1/oauth/confirm';
const CALLBACK = '/v1/auth/callback';
const PATHS: Record<SignInKind, string> = {
  ...{ browser: CALLBACK, terminal: CALLBACK, device: CALLBACK },
  client: CLIENT_LINK_PATH,
};
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Creates the links of a daemon. */
export function createMailedLinks({ clock, random, accounts, mailQueue, publicUrl }: Dependencies): MailedLinks {
  return {
    async add(connection, { kind, email, device, minutes = LINK_MINUTES, ...columns }) {
      const nowMs = clock.nowMs();
      const mailed = await listMailed(connection, email, nowMs - HOUR_MS);
      const links = mailed.map((row) => ({
        kind: kindOf(row),
        createdAt: row.createdAt,
        live: row.usedAt === null && row.expiresAt > nowMs,
      }));
      const isAllowed = await accounts.canSignIn(connection, email);
      const delivered = canSendMail(kind, links, nowMs) && isAllowed;
      const token = mintToken(random);
      const expiresAtMs = nowMs + minutes * MINUTE_MS;
      await insertSignIn(connection, {
        ...{ cookieHash: null, codeChallenge: null, redirectPort: null, deviceCodeHash: null, clientRequest: null },
        ...columns,
        ...{ tokenHash: hashSecret(token), email, createdAt: nowMs, expiresAt: expiresAtMs, usedAt: null },
        ...{ delivered: delivered ? 1 : 0, device: device ?? null, codeHash: null, wrongCodes: 0 },
      });
      const link = `${publicUrl()}${PATHS[kind]}?token=${token}`;
      const mail = signInMail({ kind, link, email, expiresInMinutes: minutes, device });
      await mailQueue.enqueue(connection, mail, { expiresAtMs, suppressed: !delivered });
      return expiresAtMs;
    },
  };
}

/** The purpose of a link. */
export function kindOf({ codeChallenge, deviceCodeHash, clientRequest }: SignInRow): SignInKind {
  if (clientRequest !== null) return 'client';
  if (deviceCodeHash !== null) return 'device';
  return codeChallenge === null ? 'browser' : 'terminal';
}
