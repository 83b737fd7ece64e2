import { AppError } from '../../contract/errors.ts';
import type { Provider } from '../../contract/providers.ts';
import type { Reader } from '../../db/connection.ts';
import { disallowedReason } from './provider-key-row.ts';
import { findProviderKey, type ProviderKeyRow } from './provider-keys-store.ts';

/** The stored key for a provider. Throws `not_found` if the tenant has none. */
export async function loadProviderKey(reader: Reader, tenantId: string, provider: Provider): Promise<ProviderKeyRow> {
  const row = await findProviderKey(reader, tenantId, provider);
  if (!row) throw keyNotFound(provider);
  return row;
}

/** Throws `unprocessable` if the key is limited to other models. */
export function requireAllowed(row: ProviderKeyRow, model: string): void {
  const reason = disallowedReason(row, model);
  if (reason !== undefined) throw new AppError('unprocessable', reason);
}

function keyNotFound(provider: Provider): AppError {
  const advice = `Add one with svc provider add ${provider}.`;
  return new AppError('not_found', `This account has no key for ${provider}. ${advice}`);
}
