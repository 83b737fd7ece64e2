import fc from 'fast-check';
import { codePoint } from './code-point.ts';
import type { PlannedRequest } from './openapi-requests.ts';

const MIB = 1024 * 1024;
const utf8 = (text: string) => new TextEncoder().encode(text);

const MALFORMED: (string | Uint8Array)[] = [
  '',
  ' ',
  '{',
  '{"content":"tea"',
  '{"content":"tea",}',
  '{"content":"tea","content":"coffee"}',
  '{"content":"\\u0000"}',
  '{"content":"\\ud800"}',
  '{"__proto__":{"content":"tea"}}',
  '{"constructor":{"prototype":{}}}',
  '{"metadata":{"big":9007199254740993}}',
  '{"metadata":{"huge":1e999}}',
  'null',
  '[]',
  '[{}]',
  '"text"',
  '0',
  'true',
  'NaN',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  '\ufeff{"content":"tea"}',
  new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  new Uint8Array([0x00, 0x01, 0x02]),
  utf8('token=x&token=y'),
];
const MEDIA_TYPES = [
  'text/plain',
  'application/xml',
  'application/json; charset=utf-16',
  'application/JSON',
  'multipart/form-data; boundary=x',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  'application/x-ndjson',
  'nonsense',
  '/',
  ';',
];
const HEADERS: [string, string][] = [
  ['authorization', 'Bearer '],
  ['authorization', 'Bearer svc_live_00000000000000000000000000000000'],
  ['authorization', 'Basic dXNlcjpwYXNz'],
  ['authorization', `Bearer ${'x'.repeat(5000)}`],
  ['idempotency-key', ''],
  ['idempotency-key', 'x'.repeat(256)],
  ['idempotency-key', 'caf\u00e9'],
  ['if-match', '"0"'],
  ['if-match', 'W/"1-x"'],
  ['if-match', 'nonsense'],
  ['if-match', '*, "1"'],
  ['if-none-match', '"", "x", *'],
  ['if-none-match', 'x'.repeat(2000)],
  ['content-encoding', 'gzip'],
  ['expect', '100-continue'],
  ['expect', 'nonsense'],
  ['accept', 'text/html'],
  ['accept', 'image/png;q=0'],
  ['accept-encoding', 'br;q=nonsense'],
  ['origin', 'https://elsewhere.example'],
  ['sec-fetch-site', 'cross-site'],
  ['cookie', 'svc_signin=; svc_confirm=%'],
  ['x-forwarded-for', 'nonsense'],
  ['x-request-id', 'mine'],
  ['host', 'elsewhere.example'],
  ['range', 'bytes=0-1'],
  ['upgrade', 'h2c'],
];
const QUERIES: [string, string][] = [
  ['limit', '0'],
  ['limit', '1e1'],
  ['limit', '201'],
  ['limit', ''],
  ['limit', '99999999999999999999'],
  ['days', '367'],
  ['cursor', 'x'],
  ['cursor', 'x'.repeat(3000)],
  ['after', 'yesterday'],
  ['before', '2026-02-30T00:00:00Z'],
  ['after', '+275760-09-13T00:00:00.000Z'],
  ['user', ''],
  ['user', '\u0000'],
  ['user', 'x'.repeat(300)],
  ['tag', '\ud800'],
  ['pinned', 'maybe'],
  ['format', 'zip'],
  ['order', 'sideways'],
  ['state', 'lost'],
  ['nothing', '1'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
  ['hasOwnProperty', 'x'],
];
/** Values of path parameters that still address the operation, encoded. */
const IDS = [
  'mem_0',
  'x',
  '%00',
  '%20',
  '%F0%9F%8D%B5',
  '..%2F..%2Fetc',
  '%27%20OR%201%3D1',
  'a'.repeat(400),
  '__proto__',
];
/** Paths that may address no operation. */
const PATHS = [
  '/v1',
  '/v1/',
  '/v1/nothing',
  '/v1/memories/',
  '//v1/memories',
  '/v1/memories/%',
  '/v1/memories/%E0%A4%A',
];
const METHODS = ['HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE', 'POST', 'TRACE', 'PROPFIND', 'QUERY'];

interface Mutation {
  /** Chooses among the possibilities of a mutation. */
  at: number;
  value: unknown;
  text: string;
}

type Mutate = (request: PlannedRequest, mutation: Mutation) => PlannedRequest;

const chosen = <T>(choices: readonly T[], at: number): T => choices[at % choices.length]!;

const MUTATIONS: Record<string, Mutate> = {
  dropField: onObject((body, { at }) => {
    const names = Object.keys(body);
    return names.length === 0
      ? body
      : Object.fromEntries(Object.entries(body).filter(([name]) => name !== chosen(names, at)));
  }),
  addField: onObject((body, { text, value }) => ({ ...body, [text]: value })),
  replaceField: onObject((body, { at, value }) => replaceIn(body, at, value) as Record<string, unknown>),
  malformedBody: (request, { at }) => ({
    ...request,
    headers: { 'content-type': 'application/json', ...request.headers },
    body: chosen(MALFORMED, at),
  }),
  mediaType: (request, { at }) => ({
    ...request,
    headers: { ...request.headers, 'content-type': chosen(MEDIA_TYPES, at) },
    body: request.body ?? '{}',
  }),
  noMediaType: ({ headers: { 'content-type': _, ...headers }, ...request }) => ({ ...request, headers, body: 'tea' }),
  header: (request, { at }) => {
    const [name, value] = chosen(HEADERS, at);
    return { ...request, headers: { ...request.headers, [name]: value } };
  },
  signedOut: (request) => ({ ...request, isSignedIn: false }),
  query: (request, { at }) => ({ ...request, query: [...request.query, chosen(QUERIES, at)] }),
  arbitraryQuery: (request, { at, text }) => {
    const name = chosen(['limit', 'cursor', 'user', 'after', 'tag', text], at);
    return { ...request, query: [...request.query, [name, text]] };
  },
  sameTwice: (request) => ({ ...request, query: [...request.query, ...request.query] }),
  id: (request, { at }) => ({ ...request, path: request.path.replace(/\{\{\w+ \d+\}\}/, chosen(IDS, at)) }),
  path: ({ operation: _, ...request }, { at }) => ({ ...request, path: chosen(PATHS, at) }),
  longer: ({ operation: _, ...request }, { at }) => ({
    ...request,
    path: `${request.path}${chosen(['/', '/x', '//', '%', '\\'], at)}`,
  }),
  method: ({ operation: _, ...request }, { at }) => ({ ...request, method: chosen(METHODS, at) }),
  tooLarge: (request, { at }) => ({
    ...request,
    headers: { 'content-type': 'application/json', ...request.headers },
    // Rarely as large as that: sending it takes long.
    body: at % 10 === 0 && request.method !== 'GET' ? `"${'x'.repeat(MIB)}"` : `"${'x'.repeat(2000)}"`,
  }),
};

/** Changes requests in one way each, so that most of them are no longer valid. */
export function mutatedRequests(requests: fc.Arbitrary<PlannedRequest>): fc.Arbitrary<PlannedRequest> {
  const mutation = fc.record({
    at: fc.nat(100_000),
    value: fc.oneof(
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom<unknown>(-1, 1e308, 0.5, 2 ** 53, '', 'x'.repeat(100_001), '\u0000', null, [], {}, [[]]),
    ),
    text: fc.oneof(
      fc.string({ unit: codePoint, maxLength: 40 }),
      fc.constantFrom('__proto__', 'id', 'tenantId', 'a/b~c'),
    ),
  });
  return fc
    .tuple(requests, fc.constantFrom(...Object.values(MUTATIONS)), mutation)
    .map(([request, mutate, chances]) => mutate(request, chances));
}

/** Requests as bytes that no HTTP client would send: head lines, and a body. */
export const RAW_REQUESTS: readonly [head: string[], body: string][] = [
  [['GARBAGE'], ''],
  [['GET /v1/account'], ''],
  [['GET  /v1/account HTTP/1.1', 'Host: x'], ''],
  [['GET /v1/account HTTP/9.9', 'Host: x'], ''],
  [['GET /v1/account HTTP/1.1'], ''],
  [['GET /v1/account HTTP/1.0'], ''],
  [['GET /v1/account HTTP/1.1', 'Host: x', 'Host: y'], ''],
  [['GET http://elsewhere.example/v1/account HTTP/1.1', 'Host: x'], ''],
  [['GET /v1/memories?user=\u00ff HTTP/1.1', 'Host: x'], ''],
  [['GET /v1/me mories HTTP/1.1', 'Host: x'], ''],
  [['OPTIONS * HTTP/1.1', 'Host: x'], ''],
  [['CONNECT x:80 HTTP/1.1', 'Host: x'], ''],
  [['get /v1/account HTTP/1.1', 'Host: x'], ''],
  [['GET /v1/account HTTP/1.1', 'Host: x', 'Bad Header: x'], ''],
  [['GET /v1/account HTTP/1.1', 'Host: x', ': x'], ''],
  [['GET /v1/account HTTP/1.1', 'Host: x', 'X: a\u0000b'], ''],
  [['GET /v1/account HTTP/1.1', 'Host: x', ' folded: x'], ''],
  [['GET /v1/account HTTP/1.1', 'Host: x', `X: ${'x'.repeat(20_000)}`], ''],
  [['GET /v1/account HTTP/1.1', 'Host: x', 'Authorization: Bearer a', 'Authorization: Bearer b'], ''],
  [[`GET /${'x'.repeat(17_000)} HTTP/1.1`, 'Host: x'], ''],
  [['POST /v1/memories HTTP/1.1', 'Host: x', 'Content-Length: -1'], '{}'],
  [['POST /v1/memories HTTP/1.1', 'Host: x', 'Content-Length: x'], '{}'],
  [['POST /v1/memories HTTP/1.1', 'Host: x', 'Content-Length: 2', 'Content-Length: 3'], '{}'],
  [['POST /v1/memories HTTP/1.1', 'Host: x', 'Content-Length: 2', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
  [['POST /v1/memories HTTP/1.1', 'Host: x', 'Transfer-Encoding: chunked'], 'zz\r\n'],
  [['POST /v1/memories HTTP/1.1', 'Host: x', 'Transfer-Encoding: nonsense'], '{}'],
];

/** Applies a change to a JSON body that is an object; other requests are left unchanged. */
function onObject(change: (body: Record<string, unknown>, mutation: Mutation) => Record<string, unknown>): Mutate {
  return (request, mutation) => {
    if (typeof request.body !== 'string' || request.headers['content-type'] !== 'application/json') return request;
    return { ...request, body: JSON.stringify(change(JSON.parse(request.body), mutation)) };
  };
}

/** Replaces one value, at some depth. */
function replaceIn(value: unknown, at: number, by: unknown): unknown {
  const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
  if (names.length === 0) return by;
  const name = chosen(names, at);
  const inner = (value as Record<string, unknown>)[name];
  const replaced = at % 2 === 0 ? by : replaceIn(inner, at >> 1, by);
  if (Array.isArray(value)) return value.map((one, index) => (String(index) === name ? replaced : one));
  return { ...(value as object), [name]: replaced };
}
