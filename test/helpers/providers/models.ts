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

/** 2026, the first instant. */
export const NEW_YEAR_MS = Date.UTC(2026, 0, 1);

/** The limits that hold, but for time: what hangs is given up soon. */
export function soon(ms: number): ProviderHttpLimits {
  const exchange = { ...PROVIDER_HTTP_LIMITS.exchange };
  for (const purpose of Object.keys(exchange) as Purpose[]) {
    exchange[purpose] = { ...exchange[purpose], firstMs: ms, idleMs: ms, wholeMs: 10 * ms };
  }
  return { connectMs: ms, exchange };
}

/** The models over real sockets, with a clock that stands at the first instant of 2026. */
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

/** One small object, by the model that is named. */
export function ask(model: string, prompt = 'I live in Bergen.') {
  return { model, system: 'Tell facts.', prompt, schema: SCHEMA, schemaName: 'facts', maxOutputTokens: 500 };
}

/** The fault with which `work` ends; it must. */
export async function faultOf(work: Promise<unknown>): Promise<ProviderFault> {
  const ended = await work.then(
    () => 'no fault at all',
    (error: unknown) => error,
  );
  if (!(ended instanceof ProviderFault))
    throw new Error(`It ends with ${ended instanceof Error ? ended.stack : ended}`);
  return ended;
}
