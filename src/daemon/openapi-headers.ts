interface Header {
  description: string;
  /** Every response that declares the header carries it. */
  required?: true;
  schema: Record<string, unknown>;
  example: string | number;
}

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };

/** Headers of every response. */
const COMMON: Record<string, Header> = {
  'X-Request-Id': {
    description: 'Identifies the request in the log of the daemon',
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9a-f]{32}$' },
    example: 'req_01a2016d8e3577f4b5d55323fe9aeaa9',
  },
  'X-RateLimit-Limit': { description: 'Requests per minute', required: true, schema: count, example: 120 },
  'X-RateLimit-Remaining': { description: 'Requests left now', required: true, schema: count, example: 119 },
  'X-RateLimit-Reset': {
    description: 'Unix time in seconds at which all requests are available again',
    required: true,
    schema: count,
    example: 1_795_320_287,
  },
  RateLimit: {
    description: 'What is left, as in the IETF draft on rate limit headers',
    required: true,
    schema: text,
    example: '"minute";r=119;t=1',
  },
  'RateLimit-Policy': {
    description: 'The limit, as in the IETF draft on rate limit headers',
    required: true,
    schema: text,
    example: '"minute";q=120;w=60',
  },
  'X-Content-Type-Options': {
    description: 'Keeps browsers from guessing the media type',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
    example: 'nosniff',
  },
  'Cache-Control': {
    description: 'Forbids caches to store the response: of sign-ins, and of every request with a session',
    schema: text,
    example: 'no-store',
  },
};

/** Headers of some responses. */
const SPECIFIC: Record<string, Header> = {
  ETag: {
    description: 'The version of the resource, for If-Match and If-None-Match',
    required: true,
    schema: text,
    example: '"1-mwrbceun"',
  },
  Location: {
    description: 'The path of the created resource, or the address of the next page',
    schema: { type: 'string', format: 'uri-reference' },
    example: '/v1/memories/mem_01a2016d8d347075853487a30ea29a42',
  },
  'Idempotency-Replayed': {
    description: 'Present if this repeats the answer to an earlier request with the same Idempotency-Key',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'Retry-After': {
    description: 'Seconds after which the request may succeed',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'Accept-Encoding': {
    description: 'Present where the body was compressed: it must not be',
    schema: { type: 'string', const: 'identity' },
    example: 'identity',
  },
  'WWW-Authenticate': {
    description: 'The scheme to authenticate with',
    required: true,
    schema: text,
    example: 'Bearer realm="svc"',
  },
  'X-Accel-Buffering': { description: 'Keeps nginx from buffering the response', schema: text, example: 'no' },
  'Referrer-Policy': { description: 'Hides the address from other sites', schema: text, example: 'no-referrer' },
  'Set-Cookie': {
    description: 'Identifies the browser during the sign-in, and its session afterwards',
    schema: text,
    example: 'svc_signin=…; Path=/v1/auth; HttpOnly; SameSite=Lax; Max-Age=900',
  },
  'Content-Security-Policy': {
    description: 'What the page may load',
    schema: text,
    example: "default-src 'none'; script-src 'self'",
  },
  'X-Frame-Options': { description: 'Forbids frames', schema: text, example: 'DENY' },
};

/** All response headers by name, for the components of the OpenAPI document. */
export const HEADERS: Readonly<Record<string, Header>> = { ...COMMON, ...SPECIFIC };

/** References to the headers of every response and `more`. */
export function headerReferences(more: readonly string[] = []): Record<string, { $ref: string }> {
  const names = [...Object.keys(COMMON), ...more];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Request headers, for the components of the OpenAPI document. */
export const HEADER_PARAMETERS = {
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'An `ETag` that was read, or `*`: the request fails with 412 if the resource has changed since.',
    schema: text,
    example: '"1-mwrbceun"',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'An `ETag` that was read: the answer is 304 if the resource has not changed since.',
    schema: text,
    example: '"1-mwrbceun"',
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The `id` of the last event that was received: the stream continues after it.',
    schema: text,
    example: '41-1795320287123',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes repeating the request safe: for 24 hours, the same key and body get the first answer, and another body 422.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    example: 'b7e1f0c2-5a4d-4e8f-9a3b-2c1d0e9f8a7b',
  },
} as const;

export function parameterReference(name: keyof typeof HEADER_PARAMETERS): { $ref: string } {
  return { $ref: `#/components/parameters/${name}` };
}
