import { AppError } from '../../contract/errors.ts';
import type { CheckOutcome } from '../../contract/providers.ts';
import { ProviderFault } from '../../outside/provider-fault.ts';
import type { ProviderAccess, ProviderModels } from '../../outside/provider-models.ts';

/** What the provider said to a key. */
export interface KeyCheck {
  outcome: CheckOutcome;
  message: string;
  /** Empty where it named none. */
  models: string[];
}

/**
 * Asks the provider with its cheapest authenticated call. Throws `unprocessable` where its address may not be called,
 * and where it refuses the key: as no key, or as one that may not do what svc asks.
 */
export async function checkKey(
  models: ProviderModels,
  access: ProviderAccess,
  signal?: AbortSignal,
): Promise<KeyCheck> {
  try {
    return { outcome: 'ok', message: 'The provider takes the key.', models: await models.list(access, signal) };
  } catch (error) {
    if (!(error instanceof ProviderFault)) throw error;
    if (error.reason === 'address') {
      const errors = [{ path: '/baseUrl', message: error.message }];
      throw new AppError('unprocessable', error.message, { errors });
    }
    if (error.reason === 'refused' || error.reason === 'out_of_scope') throw refusal(error.reason, error.message);
    return { outcome: error.reason === 'input' ? 'failed' : error.reason, message: error.message, models: [] };
  }
}

/** Says which of the two it was, in words and as `outcome`. */
function refusal(outcome: CheckOutcome, message: string): AppError {
  const errors = [{ path: '/key', message }];
  return new AppError('unprocessable', message, { errors, extra: { outcome } });
}

/** The outcome that a refusal of `checkKey` names, if it is one of the key. */
export function refusedOutcome(error: unknown): CheckOutcome | undefined {
  return error instanceof AppError ? (error.options.extra?.outcome as CheckOutcome | undefined) : undefined;
}
