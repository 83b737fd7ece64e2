import type { ProviderKey } from '../../contract/providers.ts';
import { toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';
import { isRefusal, type KeyCheck } from './key-check.ts';
import type { CheckedFields, ProviderKeyRow } from './provider-keys-store.ts';

/**
 * Binds a sealed key to its row, including the base URL, so that nobody with write access to the database can redirect
 * it.
 */
export function sealContextOf({ tenantId, provider, id, version, baseUrl }: ProviderKeyRow): string {
  return JSON.stringify(['provider key', tenantId, provider, id, version, baseUrl]);
}

/** `null` for keys so short that four characters would reveal too much. */
export function last4Of(key: string | undefined): string | null {
  return key === undefined || key.length < 8 ? null : key.slice(-4);
}

/** A check that could not reach the provider keeps the previous status. */
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

/** Why the key may not be used with a model, or `undefined` if it may. */
export function disallowedReason({ provider, givenModels }: ProviderKeyRow, model: string): string | undefined {
  const allowed = givenModels === null ? undefined : (JSON.parse(givenModels) as string[]);
  if (allowed === undefined || allowed.includes(model)) return undefined;
  return `The key for ${provider} is limited to these models: ${allowed.join(', ')}.`;
}

/** Only the last four characters of the key are shown. */
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
