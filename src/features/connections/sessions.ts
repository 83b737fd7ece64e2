import { UNAUTHENTICATED } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import { hashSecret, mintToken } from '../../lib/secret.ts';
import type { Credential, Principal } from '../keys/keys.ts';
import { addConnection } from './connection-writes.ts';
import { deleteConnections, hasCredential } from './connections-store.ts';
import { deleteTicket, findTicket, insertTicket, type TicketRow } from './tickets-store.ts';
import { createTokenLookup } from './token-lookup.ts';

/** A session that was just made. Its token is stored only as a hash. */
export interface NewSession {
  id: string;
  token: string;
  createdAt: number;
  expiresAt: number;
}

/** The client that a connection is made for: its name and IP address. */
export interface ClientOrigin {
  client: string;
  address: string;
}

/**
 * The browser that a session is for. A session of the same account that it has already is replaced. While it has one of
 * another account none is made, because a link could sign a person in to the account of someone else unnoticed.
 */
interface NewBrowser extends ClientOrigin {
  current: Principal | undefined;
}

/** Sessions of browsers. They are independent of the API key. Timestamps are epoch milliseconds. */
export interface Sessions {
  /** Makes a session in the caller's transaction. Throws `gone` if the account is being erased. */
  begin(connection: Connection, tenantId: string, origin: ClientOrigin): Promise<NewSession>;
  /**
   * Makes a session for the tenant of an API key. Throws `unauthenticated` if the key has just ended, and `conflict`: see
   * `NewBrowser`.
   */
  beginFor(principal: Principal, browser: NewBrowser): Promise<NewSession>;
  /**
   * Returns the principal of a session's token, or `undefined` if it has ended. Queries the database on every request
   * instead of caching, so that a revocation takes effect immediately. Throws `unavailable` if the database fails.
   */
  authenticate(token: string, address: string): Promise<Principal | undefined>;
  /** Re-reads the principal of a token's hash. Throws `unauthenticated` if the session has ended. */
  refresh(hash: string): Promise<Principal>;
  /**
   * Makes a ticket that opens a session once, within a minute, with the scope of the credential. Throws
   * `unauthenticated` if the credential has just ended.
   */
  issueTicket(principal: Principal): Promise<{ ticket: string; expiresAt: number }>;
  /** Returns the address of the account that a ticket opens. Throws `gone` if it was used or has expired. */
  checkTicket(ticket: string): Promise<string>;
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

/** Creates the sessions of a database. */
export function createSessions({ db, clock, random, ids, log }: Dependencies): Sessions {
  const lookup = createTokenLookup({ db, clock, log }, { kind: 'page', endsAfter: (nowMs) => nowMs + MAX_IDLE_MS });

  async function begin(
    connection: Connection,
    tenantId: string,
    { client, address }: ClientOrigin,
    opening?: Pick<TicketRow, 'sessionExpiresAt' | 'scope' | 'openedBy'>,
  ): Promise<NewSession> {
    const token = mintToken(random);
    const nowMs = clock.nowMs();
    const { sessionExpiresAt: expiresAt = nowMs + MAX_AGE_MS, scope = 'account', openedBy = null } = opening ?? {};
    const session = { id: ids.next('con'), createdAt: nowMs, expiresAt };
    await addConnection(connection, {
      ...session,
      tenantId,
      kind: 'page',
      tokenHash: hashSecret(token),
      ...{ client, verifiedHost: null, address, scope, openedBy },
      lastUsedAt: nowMs,
      endsAt: Math.min(expiresAt, nowMs + MAX_IDLE_MS),
    });
    return { ...session, token };
  }

  async function beginIn(
    browser: NewBrowser,
    connection: Connection,
    tenantId: string,
    ticket?: TicketRow,
  ): Promise<NewSession> {
    const current = browser.current?.credential;
    if (current?.kind === 'session') await deleteConnections(connection, tenantId, [current.id]);
    return begin(connection, tenantId, browser, ticket);
  }

  return {
    begin,
    async beginFor({ tenantId, credential: { hash } }, browser) {
      requireSameAccount(browser, tenantId);
      return db.writes.write(tenantId, async (connection) => {
        const isValid = await hasCredential(connection, { tenantId, hash, nowMs: clock.nowMs() });
        if (!isValid) throw new AppError('unauthenticated', UNAUTHENTICATED);
        return beginIn(browser, connection, tenantId);
      });
    },
    authenticate: lookup.authenticate,
    async refresh(hash) {
      const principal = await lookup.find(hash);
      if (!principal) throw sessionEnded();
      return principal;
    },
    async issueTicket({ tenantId, scope, credential }) {
      const ticket = mintToken(random);
      const nowMs = clock.nowMs();
      const expiresAt = nowMs + TICKET_MS;
      // A session cannot prolong itself.
      const sessionExpiresAt = credential.kind === 'session' ? credential.expiresAt : nowMs + MAX_AGE_MS;
      const openedBy = openerOf(credential);
      const row = { tenantId, tokenHash: hashSecret(ticket), expiresAt, sessionExpiresAt, scope, openedBy };
      const isAdded = await db.writes.write(tenantId, (connection) => insertTicket(connection, row, credential.hash));
      if (!isAdded) throw new AppError('unauthenticated', UNAUTHENTICATED);
      return { ticket, expiresAt };
    },
    async checkTicket(ticket) {
      const found = await findTicket(db.lookups, hashSecret(ticket));
      if (!found || found.expiresAt <= clock.nowMs()) throw spent();
      return found.email;
    },
    async redeemTicket(ticket, browser) {
      const found = await findTicket(db.lookups, hashSecret(ticket));
      if (!found) throw spent();
      const { tenantId, tokenHash, expiresAt } = found;
      requireSameAccount(browser, tenantId);
      return db.writes.write(tenantId, async (connection) => {
        const isFirst = await deleteTicket(connection, tenantId, tokenHash);
        if (!isFirst || expiresAt <= clock.nowMs()) throw spent();
        return beginIn(browser, connection, tenantId, found);
      });
    },
  };
}

/** The error of a request with the cookie of a session that has ended, or that never was. */
export function sessionEnded(): AppError {
  return new AppError('unauthenticated', 'This session has ended. Sign in again, or run svc open.');
}

/** The connection that ends the sessions opened with a credential when it ends. Sessions of a browser stay. */
function openerOf(credential: Credential): string | null {
  if (credential.kind === 'apiKey') return null;
  return credential.kind === 'session' ? credential.openedBy : credential.id;
}

function requireSameAccount({ current }: NewBrowser, tenantId: string): void {
  if (current === undefined || current.tenantId === tenantId) return;
  const message = `This browser is signed in as ${current.email}, which is another account. Sign out there first.`;
  throw new AppError('conflict', message);
}

function spent(): AppError {
  return new AppError('gone', 'This link has been used or has expired. Run svc open again, or sign in.');
}
