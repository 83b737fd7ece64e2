import type { ProviderKey } from '../../contract/providers.ts';
import { toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';
import { isRefusal, type KeyCheck } from './key-check.ts';
import type { CheckedFields, ProviderKeyRow } from './provider-keys-store.ts';

/** Binds a key to its place: also to the address, so that nobody who can write the database sends it elsewhere. */
export function sealContextOf({ tenantId, provider, id, version, baseUrl }: ProviderKeyRow): string {
  return JSON.stringify(['provider key', tenantId, provider, id, version, baseUrl]);
}

/** Four of seven letters would be too much of it. */
export function last4Of(key: string | undefined): string | null {
  return key === undefined || key.length < 8 ? null : key.slice(-4);
}

/** One that is refused is of no use; a provider that cannot be asked says nothing against a key that it took before. */
export function checkedFields(
  { outcome, message, models }: KeyCheck,
  before: CheckedFields | undefined,
  nowMs: number,
): CheckedFields {
  const ok = outcome === 'ok';
  return {
    namedModels: ok ? JSON.stringify(models) : (before?.namedModels ?? '[]'),
    status: ok ? 'valid' : isRefusal(outcome) ? 'refused' : (before?.status ?? 'unverified'),
    validatedAt: ok ? nowMs : (before?.validatedAt ?? null),
    checkOutcome: outcome,
    checkMessage: message,
    checkedAt: nowMs,
  };
}

/** Why the key may not be used with a model; `undefined` where it may. */
export function disallowedReason({ provider, givenModels }: ProviderKeyRow, model: string): string | undefined {
  const allowed = givenModels === null ? undefined : (JSON.parse(givenModels) as string[]);
  if (allowed === undefined || allowed.includes(model)) return undefined;
  return `The key for ${provider} is limited to these models: ${allowed.join(', ')}.`;
}

/** As it is shown: nothing of the key but its last four characters. */
export function toProviderKey(row: ProviderKeyRow): ProviderKey {
  return {
    id: row.id,
    provider: row.provider,
    last4: row.last4,
    status: row.status,
    validatedAt: toTimestampOrNull(row.validatedAt),
    models: JSON.parse(row.givenModels ?? row.namedModels) as string[],
    baseUrl: row.baseUrl,
    check: { outcome: row.checkOutcome, message: row.checkMessage, at: toTimestamp(row.checkedAt) },
    createdAt: toTimestamp(row.createdAt),
    updatedAt: toTimestamp(row.updatedAt),
  };
}
