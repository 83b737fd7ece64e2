import { UNAUTHENTICATED } from '../../contract/account.ts';
import { OPERATIONS } from '../../contract/all-operations.ts';
import { AppError } from '../../contract/errors.ts';
import type { Tier } from '../../contract/limits.ts';
import { SCOPES, type Scope } from '../../contract/scopes.ts';
import { SCOPE_OF_ROLE } from '../../contract/space-names.ts';
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

const REFUSALS: Record<Scope, string> = {
  'memory:read': 'This connection may not read memories.',
  memory: 'This connection may only read. Connect again with the scope "memory" to change something.',
  account:
    'This connection may not manage the account. Use the API key, or sign in to the web app with it or by email.',
};

/** Returns the scope that an operation needs. `path` is as in the API document, such as `/v1/memories/{id}`. */
export function scopeOf(method: string, path: string): Scope {
  return operationOf(method, path)?.scope ?? (asRead(method) === 'GET' ? 'memory:read' : 'memory');
}

/** Whether an operation acts on the caller's own account and in no space. `path` is as in `scopeOf`. */
export function isPersonal(method: string, path: string): boolean {
  return operationOf(method, path)?.personal === true;
}

function operationOf(method: string, path: string) {
  return OPERATIONS[`${asRead(method)} ${path}`];
}

/** HEAD needs what GET needs: its headers tell what is there. */
const asRead = (method: string) => (method === 'HEAD' ? 'GET' : method);

/** Whether the caller's credential has a scope. */
export function hasScope({ scope }: Pick<Principal, 'scope'>, needed: Scope): boolean {
  return SCOPES.indexOf(scope) >= SCOPES.indexOf(needed);
}

/** Throws `forbidden`, with the scope that is needed, if the caller's credential does not have it. */
export function requireScope(principal: Pick<Principal, 'scope' | 'space'>, needed: Scope): void {
  if (hasScope(principal, needed)) return;
  const { space } = principal;
  if (space && !hasScope({ scope: SCOPE_OF_ROLE[space.role] }, needed)) {
    const message = `You are ${space.role} of the space ${JSON.stringify(space.name)}, which is not enough for this.`;
    // Another token with more scope would not help.
    throw new AppError('forbidden', message, { extra: { role: space.role } });
  }
  throw new AppError('forbidden', REFUSALS[needed], { extra: { scope: needed } });
}

/** The credential of a request. */
interface Used {
  tenantId: string;
  hash: string;
  lastUsedAt: number | null;
  /** Where the request came from. */
  address?: string;
}

const TOUCH_INTERVAL_MS = 60_000;

/** Returns a function that runs `update` at most once a minute per credential, without delaying the request. */
export function createTouch(
  { db, clock, log }: { db: Database; clock: Clock; log: Log },
  update: (connection: Connection, used: Used, nowMs: number) => Promise<void>,
): (used: Used) => void {
  const touching = new Set<string>();
  return (used) => {
    const { tenantId, hash, lastUsedAt } = used;
    const nowMs = clock.nowMs();
    if (touching.has(hash) || (lastUsedAt !== null && nowMs - lastUsedAt < TOUCH_INTERVAL_MS)) return;
    touching.add(hash);
    db.writes
      .write(tenantId, (connection) => update(connection, used, nowMs))
      .catch((error) => log.warn({ error }, 'failed to update lastUsedAt of a credential'))
      .finally(() => touching.delete(hash));
  };
}

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
