import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { codeChallengeOf, equalSecrets, hashSecret, mintToken } from '../../lib/secret.ts';
import { requireValid } from '../connections/credential-check.ts';
import type { GrantedConnections } from '../connections/granted-connections.ts';
import type { Principal } from '../keys/keys.ts';
import { ACCESS_PREFIX } from './access-tokens.ts';
import type { AuthorizationRequest } from './authorization-request.ts';
import type { OAuthClients } from './clients.ts';
import { OAuthError } from './oauth-error.ts';
import { isWithin, type OAuthScope, requestedScope } from './oauth-scope.ts';
import { type Parameters, required } from './parameters.ts';
import {
  deleteAccessTokensBut,
  deleteToken,
  deleteTokensBefore,
  deleteTokensOf,
  deleteTokensOfConnection,
  deleteTokensWithoutConnection,
  findToken,
  findTokenOfFamily,
  insertToken,
  type TokenRow,
  updateTokenUsed,
} from './tokens-store.ts';

const PREFIX = 'svc_ort_';
const PARTS = /^svc_ort_([\w-]{43})[\w-]{43}$/;

/** A refresh token that was just made. */
interface NewRefreshToken {
  token: string;
  tokenHash: string;
  /** The hash of what all refresh tokens of the grant have in common. */
  familyHash: string;
}

/**
 * Generates a refresh token: 256 random bits shared by all tokens of a grant, then 256 unique ones. A spent token thus
 * identifies its grant without being stored.
 */
function mintRefreshToken(random: Random, family: string = mintToken(random)): NewRefreshToken {
  const token = `${PREFIX}${family}${mintToken(random)}`;
  return { token, tokenHash: hashSecret(token), familyHash: hashSecret(family) };
}

/** Returns what the tokens of the same grant begin with. Tokens that svc made before it had families have none. */
function familyOf(token: string): string | undefined {
  return PARTS.exec(token)?.[1];
}

/** A successful answer of the token endpoint (RFC 6749, section 5.1). */
export interface IssuedTokens {
  access_token: string;
  token_type: 'Bearer';
  /** Seconds. */
  expires_in: number;
  refresh_token: string;
  scope: OAuthScope;
}

/** The account owner who allows a client. */
interface Allowing {
  tenantId: string;
  /** Where the browser is. */
  address: string;
}

/** The grants that account owners gave to clients, with their codes and tokens. */
export interface Grants {
  /**
   * Makes a connection for a client and returns the code that redeems it once, within a minute. Throws `unauthenticated` if
   * the session of `principal` has ended, and `gone` if the account is being erased.
   */
  allow(principal: Principal, address: string, request: AuthorizationRequest): Promise<string>;
  /** The same in the caller's transaction, which has checked who allows it. */
  allowIn(connection: Connection, by: Allowing, request: AuthorizationRequest): Promise<string>;
  /**
   * Exchanges a code, or a refresh token, which is replaced. Throws an `OAuthError`. If it was used before, someone else
   * has it too: the connection ends.
   */
  redeemCode(parameters: Parameters): Promise<IssuedTokens>;
  redeemRefreshToken(parameters: Parameters): Promise<IssuedTokens>;
  /** Ends the connection of an access or refresh token of this client. Unknown ones are ignored. */
  revoke(parameters: Parameters): Promise<void>;
  /** Deletes all codes and tokens of an account. */
  erase(owner: { tenantId: string; endUser?: string }): Promise<void>;
  sweep(): Promise<void>;
}

interface Dependencies {
  db: Database;
  clock: Clock;
  random: Random;
  clients: OAuthClients;
  connections: GrantedConnections;
}

const CODE_MS = 60_000;
const ACCESS_MS = 3_600_000;
const REFRESH_MS = 30 * 24 * 3_600_000;
/** Access tokens per grant. A client that refreshes more often within an hour loses the oldest. */
const MAX_ACCESS_TOKENS = 10;
/** A code that is used again later than this after its minute is unknown, and ends nothing. */
const REMEMBERED_MS = 3_600_000;

/** Creates the grants of a database. */
export function createGrants({ db, clock, random, clients, connections }: Dependencies): Grants {
  const mint = (prefix: string) => {
    const token = `${prefix}${mintToken(random)}`;
    return { token, tokenHash: hashSecret(token) };
  };

  async function allowIn(
    connection: Connection,
    { tenantId, address }: Allowing,
    { client, redirectUri, scope, codeChallenge }: AuthorizationRequest,
  ): Promise<string> {
    const { token, tokenHash } = mint('svc_oac_');
    const expiresAt = clock.nowMs() + CODE_MS;
    const { id: clientId, name, verifiedHost = null } = client;
    const grant = { tenantId, address, client: name, verifiedHost, scope, endsAt: expiresAt };
    const connectionId = await connections.begin(connection, grant);
    const row = { tenantId, connectionId, clientId, scope, redirectUri, codeChallenge, expiresAt };
    await insertToken(connection, { ...row, tokenHash, kind: 'code' });
    await clients.touch(connection, clientId);
    return token;
  }

  /** Finds a code or refresh token of the client that sends it. */
  async function find(kind: TokenRow['kind'], token: string, clientId: string): Promise<TokenRow> {
    const found = await findToken(db.lookups, hashSecret(token));
    const named = found ?? (await findSpent(kind, token));
    if (named?.kind !== kind || named.clientId !== clientId) throw invalidGrant();
    if (!found || found.usedAt !== null) {
      await db.writes.write(named.tenantId, (connection) => end(connection, named));
      throw invalidGrant();
    }
    if (found.expiresAt <= clock.nowMs()) throw invalidGrant();
    return found;
  }

  /** Finds the current refresh token of the grant of a spent one, which is not stored. */
  async function findSpent(kind: TokenRow['kind'], token: string): Promise<TokenRow | undefined> {
    const family = kind === 'refresh' ? familyOf(token) : undefined;
    return family === undefined ? undefined : findTokenOfFamily(db.lookups, hashSecret(family));
  }

  async function end(connection: Connection, { tenantId, connectionId }: TokenRow): Promise<void> {
    await connections.end(connection, tenantId, connectionId);
    await deleteTokensOfConnection(connection, tenantId, connectionId);
  }

  /** Replaces a code, or a refresh token of `family`, by new tokens. */
  async function exchange(used: TokenRow, scope: OAuthScope, family?: string): Promise<IssuedTokens> {
    const { tenantId, connectionId, clientId } = used;
    const issued = await db.writes.write(tenantId, async (connection) => {
      const nowMs = clock.nowMs();
      // Another request, in any process, may have used it since it was found.
      const isFirst = family ? await deleteToken(connection, used) : await updateTokenUsed(connection, used, nowMs);
      if (!isFirst) return end(connection, used);
      const endsAt = nowMs + REFRESH_MS;
      const [access, refresh] = [mint(ACCESS_PREFIX), mintRefreshToken(random, family)];
      const extended = { tenantId, id: connectionId, tokenHash: refresh.familyHash, endsAt };
      if (!(await connections.extend(connection, extended))) return;
      await deleteAccessTokensBut(connection, used, MAX_ACCESS_TOKENS - 1);
      const row = { tenantId, connectionId, clientId, redirectUri: null, codeChallenge: null };
      const { tokenHash } = access;
      await insertToken(connection, { ...row, tokenHash, kind: 'access', scope, expiresAt: nowMs + ACCESS_MS });
      const refreshed = { kind: 'refresh', scope: used.scope, expiresAt: endsAt } as const;
      await insertToken(connection, { ...row, tokenHash: refresh.tokenHash, ...refreshed });
      await clients.touch(connection, clientId);
      return { accessToken: access.token, refreshToken: refresh.token };
    });
    if (!issued) throw invalidGrant();
    return {
      access_token: issued.accessToken,
      token_type: 'Bearer',
      expires_in: ACCESS_MS / 1000,
      refresh_token: issued.refreshToken,
      scope,
    };
  }

  return {
    allow: (principal, address, request) =>
      db.writes.write(principal.tenantId, async (connection) => {
        // Fetching the metadata of a client may have taken seconds.
        await requireValid(connection, principal, clock.nowMs());
        return allowIn(connection, { tenantId: principal.tenantId, address }, request);
      }),
    allowIn,
    async redeemCode(parameters) {
      const code = required(parameters, 'code');
      const redirectUri = required(parameters, 'redirect_uri');
      const verifier = required(parameters, 'code_verifier');
      const found = await find('code', code, required(parameters, 'client_id'));
      if (found.redirectUri !== redirectUri) throw invalidGrant();
      if (!equalSecrets(codeChallengeOf(verifier), found.codeChallenge!)) throw invalidGrant();
      return exchange(found, found.scope);
    },
    async redeemRefreshToken(parameters) {
      const token = required(parameters, 'refresh_token');
      const found = await find('refresh', token, required(parameters, 'client_id'));
      const scope = requestedScope(parameters.scope, found.scope);
      if (!isWithin(scope, found.scope)) {
        throw new OAuthError('invalid_scope', 'scope must not be wider than what was allowed.');
      }
      return exchange(found, scope, familyOf(token));
    },
    async revoke(parameters) {
      const token = required(parameters, 'token');
      const clientId = required(parameters, 'client_id');
      const found = await findToken(db.lookups, hashSecret(token));
      if (!found || found.clientId !== clientId || found.kind === 'code') return;
      await db.writes.write(found.tenantId, (connection) => end(connection, found));
    },
    async erase({ tenantId, endUser }) {
      if (endUser === undefined) await db.writes.write(tenantId, (connection) => deleteTokensOf(connection, tenantId));
    },
    sweep: () =>
      db.writes.write('daemon', async (connection) => {
        await deleteTokensBefore(connection, clock.nowMs() - REMEMBERED_MS);
        await deleteTokensWithoutConnection(connection);
      }),
  };
}

/** One error for every cause, so that nothing can be learned about codes and tokens of others. */
function invalidGrant(): OAuthError {
  return new OAuthError(
    'invalid_grant',
    'The code or token is not valid: it may have expired, or been used or revoked.',
  );
}
