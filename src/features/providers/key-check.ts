import { AppError } from '../../contract/errors.ts';
import type { CheckOutcome } from '../../contract/providers.ts';
import { ProviderFault } from '../../outside/providers/provider-fault.ts';
import type { ProviderAccess, ProviderModels } from '../../outside/providers/provider-models.ts';

/** A provider's verdict on a key. */
export interface KeyCheck {
  outcome: CheckOutcome;
  message: string;
  /** Empty if the provider listed none. */
  models: string[];
}

/**
 * Checks a key with the provider's cheapest authenticated call. Throws `unprocessable` if its address is not allowed.
 */
export async function checkKey(
  models: ProviderModels,
  access: ProviderAccess,
  signal?: AbortSignal,
): Promise<KeyCheck> {
  try {
    return { outcome: 'ok', message: 'The provider accepted the key.', models: await models.list(access, signal) };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    const { reason, message } = error;
    if (reason === 'address') throw unprocessable('/baseUrl', message);
    return { outcome: reason === 'input' ? 'failed' : reason, message, models: [] };
  }
}

/** Whether the provider rejected the key: it is invalid, or it lacks the permissions that svc needs. */
export function isRefusal(outcome: CheckOutcome): boolean {
  return outcome === 'refused' || outcome === 'out_of_scope';
}

/** Throws `unprocessable` for a rejected key; the `outcome` field tells the two cases apart. */
export function requireAccepted({ outcome, message }: KeyCheck): void {
  if (isRefusal(outcome)) throw unprocessable('/key', message, { outcome });
}

function unprocessable(path: string, message: string, extra?: { outcome: CheckOutcome }): AppError {
  return new AppError('unprocessable', message, { errors: [{ path, message }], ...(extra && { extra }) });
}
