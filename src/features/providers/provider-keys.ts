import type { BoundedListQuery } from '../../contract/common.ts';
import { AppError } from '../../contract/errors.ts';
import type { ModelChoice } from '../../contract/provider-settings.ts';
import { type NewProviderKey, PROVIDERS, type Provider, type ProviderKey } from '../../contract/providers.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import type { Clock } from '../../lib/clock.ts';
import { contentTagOf } from '../../lib/entity-tag.ts';
import type { Ids } from '../../lib/ids.ts';
import { createKeyedAborts } from '../../lib/keyed-abort.ts';
import { ProviderFault } from '../../outside/providers/provider-fault.ts';
import type { ProviderAccess, ProviderModels } from '../../outside/providers/provider-models.ts';
import type { Envelope } from '../envelope/envelope.ts';
import { requireMatch } from '../idempotency/precondition.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import type { Cursors } from '../text/page-cursor.ts';
import { checkKey, type KeyCheck, requireAccepted } from './key-check.ts';
import { parseProvider, requireCompleteKey } from './key-validation.ts';
import { checkedFields, disallowedReason, last4Of, sealContextOf, toProviderKey } from './provider-key-row.ts';
import {
  type CheckedFields,
  deleteProviderKey,
  findProviderKey,
  listProviderKeys,
  type ProviderKeyRow,
  replaceProviderKey,
  updateChecked,
} from './provider-keys-store.ts';

const CHECK_MS = 5000;

/**
 * Runs work that uses a key. The signal aborts it within five seconds after another daemon removed or replaced the key, and
 * this rejects with the result of `removed`.
 */
async function whileKeyLasts<T>(
  reader: Reader,
  { tenantId, provider, id, version }: ProviderKeyRow,
  removed: () => AppError,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  async function check(): Promise<void> {
    const row = await findProviderKey(reader, tenantId, provider);
    // One that was removed and added again begins with the first version.
    if (row?.id !== id || row.version !== version) controller.abort(removed());
  }
  const checking = setInterval(() => {
    check().catch(() => {
      // While the database is away, nobody removes a key.
    });
  }, CHECK_MS).unref();
  try {
    return await work(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearInterval(checking);
  }
}

/** Features that depend on keys. */
export interface ProviderKeyObserver {
  /** Called in the transaction that removes a key, so that nothing remains that would call the provider with it. */
  keyRemoved(connection: Connection, tenantId: string, provider: Provider): Promise<void>;
  /** Called when a key was stored, or accepted again by its provider: clear any backoff. */
  keyAccepted?(tenantId: string): void;
}

/**
 * A tenant's provider keys: one per provider, sealed, used for that tenant only. Other tenants' ids and names throw
 * `not_found`.
 */
export interface ProviderKeys {
  /**
   * Checks the key with the provider and stores it in place of the previous one; as `unverified` if the provider cannot
   * be reached. Throws `unprocessable` if the provider rejects it or its address is not allowed.
   */
  put(principal: Principal, provider: string, body: NewProviderKey, ifMatch?: string): Promise<ProviderKey>;
  list(principal: Principal, query: BoundedListQuery): Promise<{ data: ProviderKey[]; nextCursor: string | null }>;
  get(principal: Principal, provider: string): Promise<ProviderKey>;
  /** Checks the stored key again. Throws `unprocessable` if the provider now rejects it, and stores it as `refused`. */
  validate(principal: Principal, provider: string): Promise<ProviderKey>;
  /** Resolves once the key is erased from disk and requests using it are aborted. */
  remove(principal: Principal, provider: string, ifMatch?: string): Promise<void>;
  /** Lists the tenant's keys, the newest first. */
  available(reader: Reader, tenantId: string): Promise<ProviderKey[]>;
  /** Throws `unprocessable` if the tenant's key is limited to other models. */
  requireModelAllowed(reader: Reader, tenantId: string, choice: ModelChoice): Promise<void>;
  /**
   * Runs work with the tenant's own key, never with another tenant's or the operator's. The signal aborts it when the
   * key is removed. Throws `not_found` if there is no key, `unprocessable` if it is limited to other models, and
   * `unavailable` if it cannot be unsealed.
   */
  use<T>(
    tenantId: string,
    choice: ModelChoice,
    work: (access: ProviderAccess, signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  /** Removes all of a tenant's keys, in the caller's transaction. */
  forget(connection: Connection, tenantId: string): Promise<void>;
  erase(tenant: Owner): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  cursors: Cursors;
  usage: Usage;
  envelope: Envelope;
  models: ProviderModels;
  observers: readonly ProviderKeyObserver[];
}

/** Unseals keys on use and never caches them. */
export function createProviderKeys(parts: Parts): ProviderKeys {
  const { db, clock, ids, cursors, usage, envelope, models, observers } = parts;
  /** Running uses of keys, by tenant and provider. */
  const activeUses = createKeyedAborts();
  const abort = (tenantId: string, provider: Provider) =>
    activeUses.abort(providerKeyScope(tenantId, provider), keyRemoved());

  function notifyAccepted(tenantId: string): void {
    for (const observer of observers) observer.keyAccepted?.(tenantId);
  }

  async function accessOf(reader: Reader, row: ProviderKeyRow): Promise<ProviderAccess> {
    const { tenantId, provider, sealed, baseUrl } = row;
    const key = sealed === null ? undefined : await envelope.open(reader, tenantId, sealed, sealContextOf(row));
    return { provider, key, baseUrl: baseUrl ?? undefined };
  }

  async function store(
    connection: Connection,
    tenantId: string,
    provider: Provider,
    accepted: AcceptedKey,
  ): Promise<ProviderKey> {
    await usage.requireTenant(connection, tenantId);
    const nowMs = clock.nowMs();
    const before = await findProviderKey(connection, tenantId, provider);
    const { body, check, ifMatch } = accepted;
    requireMatch(ifMatch, before && contentTagOf(toProviderKey(before)), 'provider key');
    const row: ProviderKeyRow = {
      tenantId,
      provider,
      id: before?.id ?? accepted.id,
      version: (before?.version ?? 0) + 1,
      sealed: null,
      last4: last4Of(body.key),
      baseUrl: body.baseUrl ?? null,
      givenModels: body.models === undefined ? null : JSON.stringify(body.models),
      createdAt: before?.createdAt ?? nowMs,
      updatedAt: nowMs,
      ...checkedFields(check, undefined, nowMs),
    };
    const sealed =
      body.key === undefined ? null : await envelope.seal(connection, tenantId, body.key, sealContextOf(row));
    await replaceProviderKey(connection, { ...row, sealed });
    return toProviderKey(row);
  }

  async function forget(connection: Connection, { tenantId, provider }: ProviderKeyRow): Promise<void> {
    await deleteProviderKey(connection, tenantId, provider);
    for (const observer of observers) await observer.keyRemoved(connection, tenantId, provider);
    await envelope.forgetUnused(connection, tenantId);
  }

  async function forgetAll(connection: Connection, tenantId: string): Promise<void> {
    for (const row of await listProviderKeys(connection, tenantId)) await forget(connection, row);
  }

  async function use<T>(
    tenantId: string,
    provider: Provider,
    work: (access: ProviderAccess, signal: AbortSignal, row: ProviderKeyRow) => Promise<T>,
  ): Promise<T> {
    return activeUses.run(providerKeyScope(tenantId, provider), async (signal) => {
      const row = await loadProviderKey(db.readers, tenantId, provider);
      const access = await accessOf(db.readers, row);
      if (db.readers.engine === 'sqlite') return work(access, signal, row);
      return whileKeyLasts(db.readers, row, keyRemoved, (lasting) =>
        work(access, AbortSignal.any([signal, lasting]), row),
      );
    });
  }

  async function recordCheck(row: ProviderKeyRow, check: KeyCheck): Promise<CheckedFields> {
    const checked = checkedFields(check, row, clock.nowMs());
    await db.writes.write(row.tenantId, (connection) => updateChecked(connection, row, checked));
    return checked;
  }

  /** Records a rejection seen while using a key, without a separate check. */
  async function recordRejection(row: ProviderKeyRow, error: unknown): Promise<void> {
    if (!(error instanceof ProviderFault) || error.reason !== 'refused') return;
    await recordCheck(row, { outcome: error.reason, message: error.message, models: [] });
  }

  return {
    async put({ tenantId }, name, body, ifMatch) {
      const provider = parseProvider(name);
      requireCompleteKey(provider, body);
      const access: ProviderAccess = { provider, key: body.key, baseUrl: body.baseUrl };
      const check = await checkKey(models, access);
      requireAccepted(check);
      const accepted = { body, check, id: ids.next('pk'), ifMatch };
      const stored = await db.writes.write(tenantId, (connection) => store(connection, tenantId, provider, accepted));
      // Requests started with the previous key must not continue.
      abort(tenantId, provider);
      notifyAccepted(tenantId);
      return stored;
    },
    async list({ tenantId }, query) {
      const all = (await listProviderKeys(db.readers, tenantId)).map(toProviderKey);
      const positionOf = ({ createdAt, id }: ProviderKey) => `${createdAt} ${id}`;
      return cursors.pageOfAll(all, query, ['provider-keys', tenantId], { by: 'desc', positionOf });
    },
    async get({ tenantId }, name) {
      return toProviderKey(await loadProviderKey(db.readers, tenantId, parseProvider(name)));
    },
    validate: ({ tenantId }, name) =>
      use(tenantId, parseProvider(name), async (access, signal, row) => {
        const check = await checkKey(models, access, signal);
        const checked = await recordCheck(row, check);
        requireAccepted(check);
        if (check.outcome === 'ok') notifyAccepted(tenantId);
        return toProviderKey({ ...row, ...checked });
      }),
    async remove({ tenantId }, name, ifMatch) {
      const provider = parseProvider(name);
      await db.writes.write(tenantId, async (connection) => {
        const row = await loadProviderKey(connection, tenantId, provider);
        requireMatch(ifMatch, row && contentTagOf(toProviderKey(row)), 'provider key');
        await forget(connection, row);
      });
      abort(tenantId, provider);
      // The write-ahead log still contains the key.
      await db.emptyLog();
    },
    available: async (reader, tenantId) => (await listProviderKeys(reader, tenantId)).map(toProviderKey),
    async requireModelAllowed(reader, tenantId, { provider, model }) {
      requireAllowed(await loadProviderKey(reader, tenantId, provider), model);
    },
    use: (tenantId, { provider, model }, work) =>
      use(tenantId, provider, async (access, signal, row) => {
        requireAllowed(row, model);
        try {
          return await work(access, signal);
        } catch (error) {
          await recordRejection(row, error);
          throw error;
        }
      }),
    forget: forgetAll,
    async erase({ tenantId }) {
      await db.writes.write(tenantId, (connection) => forgetAll(connection, tenantId));
      for (const provider of PROVIDERS) abort(tenantId, provider);
    },
  };
}

interface AcceptedKey {
  body: NewProviderKey;
  check: KeyCheck;
  /** Used for the first key of this provider. */
  id: string;
  ifMatch: string | undefined;
}

function keyRemoved(): AppError {
  return new AppError('conflict', 'The key was replaced or removed in the meantime.');
}

function providerKeyScope(tenantId: string, provider: Provider): string {
  return `${tenantId} ${provider}`;
}

/** The stored key for a provider. Throws `not_found` if the tenant has none. */
async function loadProviderKey(reader: Reader, tenantId: string, provider: Provider): Promise<ProviderKeyRow> {
  const row = await findProviderKey(reader, tenantId, provider);
  if (!row) throw keyNotFound(provider);
  return row;
}

/** Throws `unprocessable` if the key is limited to other models. */
function requireAllowed(row: ProviderKeyRow, model: string): void {
  const reason = disallowedReason(row, model);
  if (reason !== undefined) throw new AppError('unprocessable', reason);
}

function keyNotFound(provider: Provider): AppError {
  const advice = `Add one with svc provider add ${provider}.`;
  return new AppError('not_found', `This account has no key for ${provider}. ${advice}`);
}
