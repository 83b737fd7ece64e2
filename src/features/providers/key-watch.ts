import type { AppError } from '../../contract/errors.ts';
import type { Reader } from '../../db/connection.ts';
import { findProviderKey, type ProviderKeyRow } from './provider-keys-store.ts';

const CHECK_MS = 5000;

/**
 * Runs work that uses a key. The signal aborts it within five seconds after another daemon removed or replaced the key, and
 * this rejects with the result of `removed`.
 */
export async function whileKeyLasts<T>(
  reader: Reader,
  { tenantId, provider, version }: ProviderKeyRow,
  removed: () => AppError,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  async function check(): Promise<void> {
    const row = await findProviderKey(reader, tenantId, provider);
    if (row?.version !== version) controller.abort(removed());
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
