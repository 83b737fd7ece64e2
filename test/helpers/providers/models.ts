import type { AllowedHost, LookupAll } from '../../../src/outside/providers/provider-address.ts';
import {
  createProviderHttp,
  PROVIDER_HTTP_LIMITS,
  type ProviderHttpLimits,
  type Purpose,
} from '../../../src/outside/providers/provider-http.ts';
import {
  createProviderModels,
  ProviderFault,
  type ProviderModels,
} from '../../../src/outside/providers/provider-models.ts';
import { createTestClock } from '../clock.ts';

/** The first instant of 2026. */
const NEW_YEAR_MS = Date.UTC(2026, 0, 1);

/** The production limits with short timeouts, so that hanging requests end soon. */
export function soon(ms: number): ProviderHttpLimits {
  const exchange = { ...PROVIDER_HTTP_LIMITS.exchange };
  for (const purpose of Object.keys(exchange) as Purpose[]) {
    exchange[purpose] = { ...exchange[purpose], firstMs: ms, idleMs: ms, wholeMs: 10 * ms };
  }
  return { connectMs: ms, exchange };
}

/** Provider models over real sockets, with a clock fixed at the first instant of 2026. */
export function modelsFor(
  allowedHosts: readonly AllowedHost[],
  more: { lookup?: LookupAll; limits?: ProviderHttpLimits } = {},
): ProviderModels {
  const clock = createTestClock();
  clock.freeze();
  clock.setWall(NEW_YEAR_MS);
  return createProviderModels({ http: createProviderHttp({ allowedHosts, ...more }), clock });
}

export const SCHEMA = {
  type: 'object',
  properties: { facts: { type: 'array', items: { type: 'string' } } },
  required: ['facts'],
  additionalProperties: false,
} as const;

/** Generates a small object with the given model. */
export function ask(model: string, prompt = 'I live in Bergen.') {
  return { model, system: 'Tell facts.', prompt, schema: SCHEMA, schemaName: 'facts', maxOutputTokens: 500 };
}

/** Returns the fault that `work` must throw. */
export async function faultOf(work: Promise<unknown>): Promise<ProviderFault> {
  const ended = await work.then(
    () => 'no fault at all',
    (error: unknown) => error,
  );
  if (!(ended instanceof ProviderFault))
    throw new Error(`It ends with ${ended instanceof Error ? ended.stack : ended}`);
  return ended;
}
