import type { Reply } from './wire.ts';

/** An error body in OpenAI's format, which others copy. */
export function openaiError(message: string, type: string, code: string | null) {
  return { error: { message, type, param: null, code } };
}

const anthropicError = (type: string, message: string) => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_1',
});
const googleError = (code: number, status: string, message: string, details: unknown[] = []) => ({
  error: { code, message, status, details },
});

const GOOGLE_KEY_INVALID = {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason: 'API_KEY_INVALID',
  domain: 'googleapis.com',
  metadata: { service: 'generativelanguage.googleapis.com' },
};
const GOOGLE_RETRY = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '37s' };

/**
 * Error responses of the providers, from their documentation and from reports of users. `KEY` in a body is replaced by
 * the key, which some of them echo.
 */
export const PUBLISHED = {
  openai: {
    wrongKey: {
      status: 401,
      body: openaiError(
        'Incorrect API key provided: KEY. You can find your API key at https://platform.openai.com/account/api-keys.',
        'invalid_request_error',
        'invalid_api_key',
      ),
    },
    missingScope: {
      status: 403,
      body: openaiError(
        'You have insufficient permissions for this operation. Missing scopes: model.read.',
        'invalid_request_error',
        null,
      ),
    },
    missingScopeAs401: {
      status: 401,
      body: openaiError(
        'You have insufficient permissions for this operation. Missing scopes: api.model.read.',
        'invalid_request_error',
        'missing_scope',
      ),
    },
    rateLimit: {
      status: 429,
      headers: {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '6m0.5s',
        'x-ratelimit-remaining-tokens': '900',
        'x-ratelimit-reset-tokens': '12m',
      },
      body: openaiError('Rate limit reached for KEY', 'requests', 'rate_limit_exceeded'),
    },
    noCredit: {
      status: 429,
      body: openaiError(
        'You exceeded your current quota, please check your plan and billing details.',
        'insufficient_quota',
        'insufficient_quota',
      ),
    },
    noModel: {
      status: 404,
      body: openaiError(
        'The model `x` does not exist or you do not have access to it.',
        'invalid_request_error',
        'model_not_found',
      ),
    },
    tooLong: {
      status: 400,
      body: openaiError(
        "This model's maximum context length is 8192 tokens.",
        'invalid_request_error',
        'context_length_exceeded',
      ),
    },
    broken: {
      status: 500,
      body: openaiError('The server had an error while processing your request.', 'server_error', null),
    },
    overloaded: {
      status: 503,
      headers: { 'retry-after-ms': '1500' },
      body: openaiError('The engine is currently overloaded.', 'server_error', null),
    },
  },
  anthropic: {
    wrongKey: { status: 401, body: anthropicError('authentication_error', 'invalid x-api-key') },
    forbidden: {
      status: 403,
      body: anthropicError('permission_error', 'Your API key does not have permission to use the specified resource.'),
    },
    rateLimit: {
      status: 429,
      headers: { 'retry-after': '9', 'anthropic-ratelimit-requests-reset': '2026-01-01T00:01:00Z' },
      body: anthropicError('rate_limit_error', 'This request would exceed your rate limit.'),
    },
    rateLimitByReset: {
      status: 429,
      headers: {
        'anthropic-ratelimit-requests-remaining': '0',
        'anthropic-ratelimit-requests-reset': '2026-01-01T00:01:00Z',
      },
      body: anthropicError('rate_limit_error', 'This request would exceed your rate limit.'),
    },
    overloaded: {
      status: 529,
      headers: { 'retry-after': '3' },
      body: anthropicError('overloaded_error', 'Overloaded'),
    },
    noCredit: {
      status: 400,
      body: anthropicError(
        'invalid_request_error',
        'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
      ),
    },
  },
  google: {
    wrongKey: {
      status: 400,
      body: googleError(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
        GOOGLE_KEY_INVALID,
      ]),
    },
    forbidden: {
      status: 403,
      body: googleError(
        403,
        'PERMISSION_DENIED',
        'Generative Language API has not been used in project 1 before or it is disabled.',
      ),
    },
    wrongCountry: {
      status: 400,
      body: googleError(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
    },
    rateLimit: {
      status: 429,
      body: googleError(
        429,
        'RESOURCE_EXHAUSTED',
        'You exceeded your current quota, please check your plan and billing details.',
        [GOOGLE_RETRY],
      ),
    },
    invalid: {
      status: 400,
      body: googleError(400, 'INVALID_ARGUMENT', 'The input token count exceeds the maximum number of tokens allowed.'),
    },
    overloaded: {
      status: 503,
      body: googleError(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    },
  },
  mistral: {
    wrongKey: { status: 401, body: { message: 'Unauthorized', request_id: '1' } },
    rateLimit: {
      status: 429,
      body: {
        object: 'error',
        message: 'Requests rate limit exceeded',
        type: 'rate_limited',
        param: null,
        code: '1300',
      },
    },
    invalid: {
      status: 422,
      body: {
        object: 'error',
        message: { detail: [{ type: 'missing', loc: ['body', 'model'], msg: 'Field required' }] },
        type: 'invalid_request_error',
      },
    },
  },
  cohere: {
    wrongKey: { status: 401, body: { id: '1', message: 'invalid api token' } },
    trialLimit: {
      status: 429,
      headers: { 'x-trial-endpoint-call-limit': '20' },
      body: { message: 'You are using a Trial key, which is limited to 20 API calls / minute.' },
    },
    blocked: { status: 498, body: { message: 'The api token is blocked.' } },
  },
  voyage: {
    wrongKey: { status: 401, body: { detail: 'Provided API key is invalid.' } },
    rateLimit: {
      status: 429,
      body: {
        detail:
          'You have not yet added your payment method in the billing page and will have reduced rate limits of 3 RPM and 10K TPM.',
      },
    },
  },
  openrouter: {
    wrongKey: { status: 401, body: { error: { message: 'No auth credentials found', code: 401 } } },
    noCredit: {
      status: 402,
      body: { error: { message: 'Insufficient credits. Add more using https://openrouter.ai/credits', code: 402 } },
    },
    flagged: {
      status: 403,
      body: {
        error: {
          message: 'Your chosen model requires moderation',
          code: 403,
          metadata: { reasons: ['violence'], flagged_input: 'some text', provider_name: 'x' },
        },
      },
    },
    keyLimit: {
      status: 403,
      body: {
        error: {
          message: 'Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys',
          code: 403,
        },
      },
    },
    rateLimit: {
      status: 429,
      headers: { 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1767225690000' },
      body: { error: { message: 'Rate limit exceeded: free-models-per-min. ', code: 429 } },
    },
  },
  ollama: {
    wrongKey: { status: 401, body: { error: 'unauthorized' } },
    noModel: { status: 404, body: { error: 'model "x" not found, try pulling it first' } },
  },
} as const satisfies Record<string, Record<string, Reply>>;
