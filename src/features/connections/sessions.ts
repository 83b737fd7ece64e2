import { UNAUTHENTICATED } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { createBatchedRead } from '../../db/readers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import { hashSecret, mintToken } from '../../lib/secret.ts';
import type { Principal } from '../keys/keys.ts';
import { createTouch } from '../keys/last-used.ts';
import { deleteAllBut, deleteConnection, findSessions, insertConnection, updateUsed } from './connections-store.ts';
import { deleteTicket, findTicket, insertTicket } from './tickets-store.ts';

/** A session that was just made. Its token is stored only as a hash. */
export interface NewSession {
  id: string;
  token: string;
  createdAt: number;
  expiresAt: number;
}

/**
 * The browser that a session is for. A session of the same account that it has already is replaced. While it has one of
 * another account none is made, because a link could sign a person in to the account of someone else unnoticed.
 */
export interface NewBrowser {
  client: string;
  current: Principal | undefined;
}

/** Sessions of browsers. They are independent of the API key. Timestamps are epoch milliseconds. */
export interface Sessions {
  /** Makes a session in the caller's transaction. Throws `gone` if the account is being erased. */
  begin(connection: Connection, tenantId: string, client: string, expiresAt?: number): Promise<NewSession>;
  /** Makes a session for the tenant of an API key. Throws `conflict`: see `NewBrowser`. */
  beginFor(principal: Principal, browser: NewBrowser): Promise<NewSession>;
  /**
   * Returns the principal of a session's token, or `undefined` if it has ended. Queries the database on every request
   * instead of caching, so that a revocation takes effect immediately. Throws `unavailable` if the database fails.
   */
  authenticate(token: string): Promise<Principal | undefined>;
  /** Re-reads the principal of a token's hash. Throws `unauthenticated` if the session has ended. */
  refresh(hash: string): Promise<Principal>;
  /** Makes a ticket that opens a session once, within a minute. Throws `unauthenticated` if the credential has just ended. */
  issueTicket(principal: Principal): Promise<{ ticket: string; expiresAt: number }>;
  /** Consumes a ticket. Throws `gone` if it was used or has expired, and `conflict`: see `NewBrowser`. */
  redeemTicket(ticket: string, browser: NewBrowser): Promise<NewSession>;
}

interface Dependencies {
  db: Database;
  clock: Clock;
  random: Random;
  ids: Ids;
  log: Log;
}

const HOUR_MS = 3_600_000;
const MAX_AGE_MS = 30 * 24 * HOUR_MS;
const MAX_IDLE_MS = 12 * HOUR_MS;
const TICKET_MS = 60_000;
/** Of one account; one more ends the session that was not used for the longest time. */
const MAX_SESSIONS = 50;

/** Creates the sessions of a database. */
export function createSessions({ db, clock, random, ids, log }: Dependencies): Sessions {
  const find = createBatchedRead(db.lookups, findSessions);
  const touch = createTouch({ db, clock, log }, (connection, { tenantId, hash }, nowMs) =>
    updateUsed(connection, { tenantId, tokenHash: hash }, { nowMs, endsAt: nowMs + MAX_IDLE_MS }),
  );

  async function findPrincipal(hash: string): Promise<Principal | undefined> {
    const row = await find(hash).catch((cause) => {
      throw new AppError('unavailable', 'The session cannot be verified right now. Try again shortly.', {
        retryAfterSeconds: 1,
        cause,
      });
    });
    if (!row || row.endsAt <= clock.nowMs()) return undefined;
    const { tenantId, email, tier, id, createdAt, lastUsedAt, expiresAt } = row;
    return { tenantId, email, tier, credential: { kind: 'session', id, hash, createdAt, lastUsedAt, expiresAt } };
  }

  async function begin(
    connection: Connection,
    tenantId: string,
    client: string,
    expiresAt = clock.nowMs() + MAX_AGE_MS,
  ): Promise<NewSession> {
    const token = mintToken(random);
    const nowMs = clock.nowMs();
    const session = { id: ids.next('con'), createdAt: nowMs, expiresAt };
    const isAdded = await insertConnection(connection, {
      ...session,
      tenantId,
      kind: 'page',
      tokenHash: hashSecret(token),
      client,
      lastUsedAt: nowMs,
      endsAt: Math.min(expiresAt, nowMs + MAX_IDLE_MS),
    });
    if (!isAdded) throw new AppError('gone', 'This account is being erased.');
    await deleteAllBut(connection, tenantId, MAX_SESSIONS);
    return { ...session, token };
  }

  async function beginIn(
    { client, current }: NewBrowser,
    connection: Connection,
    tenantId: string,
    expiresAt?: number,
  ): Promise<NewSession> {
    if (current?.credential.kind === 'session') await deleteConnection(connection, tenantId, current.credential.id);
    return begin(connection, tenantId, client, expiresAt);
  }

  return {
    begin,
    async beginFor({ tenantId }, browser) {
      requireSameAccount(browser, tenantId);
      return db.writes.write(tenantId, (connection) => beginIn(browser, connection, tenantId));
    },
    async authenticate(token) {
      const principal = await findPrincipal(hashSecret(token));
      if (principal) touch({ tenantId: principal.tenantId, ...principal.credential });
      return principal;
    },
    async refresh(hash) {
      const principal = await findPrincipal(hash);
      if (!principal) throw sessionEnded();
      return principal;
    },
    async issueTicket({ tenantId, credential }) {
      const ticket = mintToken(random);
      const nowMs = clock.nowMs();
      const expiresAt = nowMs + TICKET_MS;
      // A session cannot prolong itself.
      const sessionExpiresAt = credential.kind === 'session' ? credential.expiresAt : nowMs + MAX_AGE_MS;
      const row = { tenantId, tokenHash: hashSecret(ticket), expiresAt, sessionExpiresAt };
      const isAdded = await db.writes.write(tenantId, (connection) => insertTicket(connection, row, credential.hash));
      if (!isAdded) throw new AppError('unauthenticated', UNAUTHENTICATED);
      return { ticket, expiresAt };
    },
    async redeemTicket(ticket, browser) {
      const found = await findTicket(db.lookups, hashSecret(ticket));
      if (!found) throw spent();
      const { tenantId, tokenHash, expiresAt, sessionExpiresAt } = found;
      requireSameAccount(browser, tenantId);
      return db.writes.write(tenantId, async (connection) => {
        const isFirst = await deleteTicket(connection, tenantId, tokenHash);
        if (!isFirst || expiresAt <= clock.nowMs()) throw spent();
        return beginIn(browser, connection, tenantId, sessionExpiresAt);
      });
    },
  };
}

/** The error of a request with the cookie of a session that has ended, or that never was. */
export function sessionEnded(): AppError {
  return new AppError('unauthenticated', 'This session has ended. Sign in again, or run svc open.');
}

function requireSameAccount({ current }: NewBrowser, tenantId: string): void {
  if (current === undefined || current.tenantId === tenantId) return;
  const message = `This browser is signed in as ${current.email}, which is another account. Sign out there first.`;
  throw new AppError('conflict', message);
}

function spent(): AppError {
  return new AppError('gone', 'This link has been used or has expired. Run svc open again, or sign in.');
}
