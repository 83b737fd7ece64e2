import { AppError } from '../../contract/errors.ts';
import type { CheckOutcome } from '../../contract/providers.ts';
import { ProviderFault } from '../../outside/providers/provider-fault.ts';
import type { ProviderAccess, ProviderModels } from '../../outside/providers/provider-models.ts';

/** What the provider said to a key. */
export interface KeyCheck {
  outcome: CheckOutcome;
  message: string;
  /** Empty where it named none. */
  models: string[];
}

/** Asks the provider with its cheapest authenticated call. Throws `unprocessable` where its address may not be called. */
export async function checkKey(
  models: ProviderModels,
  access: ProviderAccess,
  signal?: AbortSignal,
): Promise<KeyCheck> {
  try {
    return { outcome: 'ok', message: 'The provider takes the key.', models: await models.list(access, signal) };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    const { reason, message } = error;
    if (reason === 'address') throw unprocessable('/baseUrl', message);
    return { outcome: reason === 'input' ? 'failed' : reason, message, models: [] };
  }
}

/** Whether the provider said no: to what is no key, or to one that may not do what svc asks. */
export function isRefusal(outcome: CheckOutcome): boolean {
  return outcome === 'refused' || outcome === 'out_of_scope';
}

/** Throws `unprocessable` for a key that is refused; says which of the two it was, in words and as `outcome`. */
export function requireAccepted({ outcome, message }: KeyCheck): void {
  if (isRefusal(outcome)) throw unprocessable('/key', message, { outcome });
}

function unprocessable(path: string, message: string, extra?: { outcome: CheckOutcome }): AppError {
  return new AppError('unprocessable', message, { errors: [{ path, message }], ...(extra && { extra }) });
}
