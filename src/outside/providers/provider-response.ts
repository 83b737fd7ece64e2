import { APICallError } from '@ai-sdk/provider';
import type { Clock } from '../../lib/clock.ts';
import { InvalidVectors } from '../models/vector-response.ts';
import { errorResponseFault } from './provider-error-response.ts';
import { causesOf, connectionFault, ProviderFault } from './provider-fault.ts';
import type { ProviderHttp, Purpose } from './provider-http.ts';

/** The HTTP client, and the clock against which dates in responses are measured. */
export interface ProviderTransport {
  http: ProviderHttp;
  clock: Clock;
}

/** Of an error response: more tells nothing about the reason. */
const MAX_ERROR_CHARACTERS = 1024 * 1024;

/** The server does not stream its responses. */
export class StreamingUnsupported extends ProviderFault {
  constructor() {
    super('failed', 'The provider does not stream its response.');
  }
}

/** Returns a fetch that resolves only with successful responses and otherwise throws a `ProviderFault`. */
export function fetchOrFault({ http, clock }: ProviderTransport, purpose: Purpose): typeof fetch {
  const fetch = http.fetch(purpose);
  return async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok) {
      const { status, headers } = response;
      const body = (await response.text()).slice(0, MAX_ERROR_CHARACTERS);
      throw errorResponseFault({ status, headers, body }, clock.nowMs());
    }
    if (purpose === 'stream' && response.headers.get('content-type')?.startsWith('application/json')) {
      await response.body?.cancel();
      throw new StreamingUnsupported();
    }
    return response;
  };
}

/** Converts any error of a call, svc's own or the AI SDK's, to a `ProviderFault`. */
export function toProviderFault(error: unknown, { clock }: ProviderTransport): ProviderFault {
  const chain = causesOf(error);
  if (chain.some((cause) => cause instanceof ProviderFault)) return connectionFault(error);
  const invalid = chain.find((cause) => cause instanceof InvalidVectors);
  if (invalid) return unusableResponse(invalid.message, invalid.maybeTexts);
  const call = chain.find((cause) => APICallError.isInstance(cause));
  if (call?.statusCode !== undefined && call.statusCode >= 400) {
    const { statusCode: status, responseHeaders = {}, responseBody: body = '' } = call;
    return errorResponseFault({ status, headers: new Headers(responseHeaders), body }, clock.nowMs());
  }
  return unusableResponse(`something that svc cannot read (${chain.at(-1)?.name ?? 'no error'})`, true);
}

/** A successful response with unusable content. */
export function unusableResponse(what: string, maybeInput: boolean, spent?: ProviderFault['spent']): ProviderFault {
  const message = `The provider returned ${what}. Try again, or choose another model.`;
  return new ProviderFault('failed', message, { maybeInput, spent });
}

/** Converts an error reported within a stream, as the provider's own object or as wrapped by the AI SDK. */
export function streamFault(error: unknown, transport: ProviderTransport): ProviderFault {
  if (error instanceof Error) return toProviderFault(error, transport);
  const response = { status: statusOf(error), headers: new Headers(), body: JSON.stringify({ error }) };
  return errorResponseFault(response, transport.clock.nowMs());
}

function statusOf(error: unknown): number {
  const { code, type } = (error ?? {}) as { code?: unknown; type?: unknown };
  const number = Number(code);
  if (number >= 400 && number < 600) return number;
  const names = `${code} ${type}`;
  if (/overloaded/.test(names)) return 529;
  return /rate_limit|insufficient_quota/.test(names) ? 429 : 500;
}
