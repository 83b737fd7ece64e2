import { UNAUTHENTICATED } from '../../contract/account.ts';
import { AppError } from '../../contract/errors.ts';
import type { Tier } from '../../contract/limits.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { SpaceRole } from '../../contract/spaces.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { createBatchedRead } from '../../db/readers.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import { hashSecret, isApiKey, mintApiKey } from '../../lib/secret.ts';
import { createEndings, unverifiable } from './ended-key.ts';
import { deleteEndedKeysBefore, deleteEndedKeysOf, insertEndedKey } from './ended-keys-store.ts';
import {
  deleteKey,
  deleteKeysOf,
  findKeyOf,
  findKeys,
  type KeyMetadata,
  replaceKey,
  updateLastUsed,
} from './keys-store.ts';
import { createTouch } from './last-used.ts';

/** The credential of a request, as stored. Timestamps are epoch milliseconds. */
export type Credential =
  | { kind: 'apiKey'; hash: string; last4: string; createdAt: number; lastUsedAt: number | null }
  | ({ kind: 'session' } & ConnectionCredential)
  | ({ kind: 'device' } & ConnectionCredential)
  | ({ kind: 'oauth' } & ConnectionCredential);

/** The token of a connection. */
export interface ConnectionCredential {
  id: string;
  hash: string;
  client: string;
  createdAt: number;
  lastUsedAt: number;
  expiresAt: number;
  /** The connection that opened this one, and ends it when it ends. */
  openedBy: string | null;
}

/** A kind of bearer token. */
export interface BearerTokens {
  /** Whether a token has the form of this kind. */
  accepts(token: string): boolean;
  /** The path of the only route that tokens of this kind are for. Absent: all routes. */
  onlyFor?: string;
  /**
   * Returns the principal of a token, or `undefined` if it is not valid. Queries the database on every request instead of
   * caching, so that an end takes effect immediately in every process. Throws `unavailable` if the database fails.
   */
  authenticate(token: string, address: string): Promise<Principal | undefined>;
  /**
   * Returns the error of a token that ended in the last 30 days, which says why. Only a caller who presents the whole
   * token learns it. Throws `unavailable` if the database fails.
   */
  whyEnded(token: string): Promise<AppError | undefined>;
}

/** A space in which a member acts. */
export interface ActingSpace {
  id: string;
  name: string;
  role: SpaceRole;
  /** The member's own account, against which requests are limited. */
  member: { tenantId: string; tier: Tier };
}

/** The caller: a tenant and what authenticated it. */
export interface Principal {
  tenantId: string;
  email: string;
  tier: Tier;
  /** The scope of the caller. */
  scope: Scope;
  credential: Credential;
  /** The only space in which the credential may act. */
  boundTo?: string | undefined;
  /** The space in which the caller acts: `tenantId` and `tier` are those of the space. */
  space?: ActingSpace | undefined;
  /** The address of the member who acts, in a space only. */
  author?: string | null | undefined;
  /** The calling program, as in activity; absent outside of requests. */
  client?: string | undefined;
}

/** The sign-in that replaces a key; `device` is the name of its terminal. */
export type RotationReason = { endedBy: 'webSignIn' } | { endedBy: 'terminalSignIn'; device: string };

/** API keys, as bearer tokens: a rotation takes effect immediately in every process. */
export interface Keys extends BearerTokens {
  authenticate(apiKey: string): Promise<Principal | undefined>;
  /** Re-reads the principal of a key's hash. Throws `unauthenticated` if the key is no longer valid. */
  refresh(hash: string): Promise<Principal>;
  /** The calling key, or the key of the account if a session calls. */
  metadataOf(principal: Principal): Promise<KeyMetadata | undefined>;
  /**
   * Issues a new key and invalidates the previous one, in the caller's transaction. The plaintext is not stored.
   * `reason` is what callers with the previous key are told.
   */
  rotate(connection: Connection, tenantId: string, reason?: RotationReason): Promise<string>;
  /** Invalidates the calling key, or the key of the account if a session calls. */
  revoke(principal: Principal): Promise<void>;
  /** Deletes the tenant's key, and what is remembered of earlier ones, in the caller's transaction. */
  revokeAll(connection: Connection, tenantId: string): Promise<void>;
  /** Forgets why keys ended after 30 days. */
  sweep(): Promise<void>;
}

interface Dependencies {
  db: Database;
  clock: Clock;
  random: Random;
  log: Log;
  /** Called when the key of a tenant ends, in the same transaction. */
  onEnd(connection: Connection, tenantId: string): Promise<void>;
}

const REMEMBERED_MS = 30 * 24 * 3_600_000;

export function createKeys({ db, clock, random, log, onEnd }: Dependencies): Keys {
  const find = createBatchedRead(db.lookups, findKeys);
  const whyEnded = createEndings({ db, clock });
  const touch = createTouch({ db, clock, log }, updateLastUsed);

  async function findPrincipal(hash: string): Promise<Principal | undefined> {
    const row = await find(hash).catch(unverifiable);
    if (!row) return undefined;
    const { tenantId, email, tier, ...key } = row;
    return { tenantId, email, tier, scope: 'account', credential: { kind: 'apiKey', ...key } };
  }

  return {
    accepts: isApiKey,
    async authenticate(apiKey) {
      const principal = isApiKey(apiKey) ? await findPrincipal(hashSecret(apiKey)) : undefined;
      if (principal) touch({ tenantId: principal.tenantId, ...principal.credential });
      return principal;
    },
    async refresh(hash) {
      const principal = await findPrincipal(hash);
      if (!principal) throw new AppError('unauthenticated', UNAUTHENTICATED);
      return principal;
    },
    async metadataOf({ tenantId, credential }) {
      return credential.kind === 'apiKey' ? credential : findKeyOf(db.readers.of(tenantId), tenantId);
    },
    whyEnded,
    async rotate(connection, tenantId, reason) {
      if (reason) await insertEndedKey(connection, tenantId, { device: null, ...reason, endedAt: clock.nowMs() });
      await onEnd(connection, tenantId);
      const apiKey = mintApiKey(random);
      const last4 = apiKey.slice(-4);
      await replaceKey(connection, { tenantId, hash: hashSecret(apiKey), last4, createdAt: clock.nowMs() });
      return apiKey;
    },
    revoke: ({ tenantId, credential }) =>
      db.writes.write(tenantId, async (connection) => {
        const hash = (await findKeyOf(connection, tenantId))?.hash;
        if (hash === undefined || (credential.kind === 'apiKey' && credential.hash !== hash)) return;
        const ended = { endedAt: clock.nowMs(), endedBy: 'revocation', device: null } as const;
        await insertEndedKey(connection, tenantId, ended);
        await deleteKey(connection, tenantId, hash);
        await onEnd(connection, tenantId);
      }),
    async revokeAll(connection, tenantId) {
      await deleteKeysOf(connection, tenantId);
      await deleteEndedKeysOf(connection, tenantId);
    },
    sweep: () =>
      db.writes.write('daemon', (connection) => deleteEndedKeysBefore(connection, clock.nowMs() - REMEMBERED_MS)),
  };
}
