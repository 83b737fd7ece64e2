import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { JsonSchema } from '../../src/daemon/openapi-schemas.ts';
import { referencePage } from '../../src/reference/page.ts';
import { type Answer, startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type LocatedOperation, loadDocument, type ServedDocument } from '../helpers/openapi.ts';
import { readCurl, readCurlHeaders, type SampledRequest, sectionsOf, textOf } from '../helpers/reference-page.ts';

const FILES = ['/docs', '/docs/reference.js', '/docs/reference.css'];
const FIRST_LOAD_BYTES = 70 * 1024;

let daemon: TestDaemon;
let served: ServedDocument;
let page: Answer;
let sections: Map<string, string>;

beforeAll(async () => {
  daemon = await startTestDaemon();
  served = await loadDocument(daemon);
  page = await daemon.call(undefined, '/docs');
  sections = sectionsOf(page.text);
});

afterAll(() => daemon.close());

/** Requests a file without decoding its content. */
function fetchRaw(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const sent = request(`${daemon.baseUrl}${path}`, { headers }, async (response) => {
      const chunks = await response.toArray();
      resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) });
    });
    sent.on('error', reject).end();
  });
}

describe('the API reference', () => {
  test('is served under the policy of the dashboard, with nothing inline and nothing from other origins', async () => {
    const dashboard = await daemon.call(undefined, '/dashboard');
    for (const name of ['content-security-policy', 'x-frame-options', 'referrer-policy', 'cache-control']) {
      expect([name, page.headers.get(name)]).toEqual([name, dashboard.headers.get(name)]);
    }
    expect(page.text).not.toMatch(/<style|\sstyle=|\son[a-z]+=|javascript:/i);
    expect(page.text.match(/<script[^>]*>/g)).toEqual(['<script src="/docs/reference.js">']);
    const loaded = [...page.text.matchAll(/<(?:link|script|img)[^>]* (?:src|href)="([^"]+)"/g)].map(
      ([, path]) => path!,
    );
    expect(loaded.filter((path) => !/^\/(docs|dashboard)\/[\w.]+$/.test(path))).toEqual([]);
    for (const path of loaded) expect([path, (await daemon.call(undefined, path)).status]).toEqual([path, 200]);
  });

  test('is sent compressed to those who accept it, and once', async () => {
    for (const path of FILES) {
      const plain = await fetchRaw(path);
      const br = await fetchRaw(path, { 'accept-encoding': 'gzip, deflate, br' });
      const gzip = await fetchRaw(path, { 'accept-encoding': 'br;q=0, GZIP;q=0.5' });
      expect(plain.headers['content-encoding']).toBeUndefined();
      expect([br.headers['content-encoding'], gzip.headers['content-encoding']]).toEqual(['br', 'gzip']);
      expect(brotliDecompressSync(br.body).equals(plain.body)).toBe(true);
      expect(gunzipSync(gzip.body).equals(plain.body)).toBe(true);
      expect(new Set([plain, br, gzip].map(({ headers }) => headers.etag)).size).toBe(3);
      for (const { headers } of [plain, br, gzip]) expect(headers.vary).toBe('accept-encoding');
      const again = await fetchRaw(path, { 'accept-encoding': 'br', 'if-none-match': String(br.headers.etag) });
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, br.headers.etag]);
    }
  });

  test('takes at most 70 KB to load', async () => {
    const paths = [...FILES, '/dashboard/favicon.svg'];
    const files = await Promise.all(paths.map((path) => fetchRaw(path, { 'accept-encoding': 'gzip' })));
    expect(files.reduce((sum, { body }) => sum + body.length, 0)).toBeLessThanOrEqual(FIRST_LOAD_BYTES);
  });

  test('has one section for every operation, to which the contents link', () => {
    expect([...sections.keys()].sort()).toEqual(served.operations.map(({ operationId }) => operationId).sort());
    for (const { operationId, method, path, summary } of served.operations) {
      const text = textOf(sections.get(operationId!)!);
      for (const expected of [summary!, `${method} ${path}`]) expect(text).toContain(expected);
    }
    const ids = [...page.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    const links = [...page.text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id!);
    expect(links.filter((id) => !ids.includes(id))).toEqual([]);
    expect([...sections.keys()].filter((id) => links.filter((link) => link === id).length < 2)).toEqual([]);
  });

  test('names every parameter, field, header and status of each operation', () => {
    for (const operation of served.operations) {
      const section = sections.get(operation.operationId!)!;
      const missing = namesIn(operation).filter((name) => !section.includes(`<code>${name}</code>`));
      expect([operation.operationId, missing]).toEqual([operation.operationId, []]);
      const statuses = Object.keys(operation.responses);
      expect(statuses.filter((status) => !section.includes(`<b>${status}</b>`))).toEqual([]);
    }
  });

  test('shows text of the document as text', () => {
    const hostile = '</code><script>alert(1)</script><img src=x onerror=alert(1)>"\'';
    const replaced = JSON.parse(
      JSON.stringify(served.document, (key, value) =>
        typeof value === 'string' && /^(summary|description|example|content)$/.test(key) ? hostile : value,
      ),
    );
    const hostilePage = referencePage(replaced, new Map([['POST /v1/search', { name: hostile, parameters: [] }]]));
    expect(hostilePage.match(/<script[^>]*>/g)).toEqual(['<script src="/docs/reference.js">']);
    expect(hostilePage).not.toContain('<img src=x');
    expect(hostilePage).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  });
});

describe('the samples', () => {
  test('in curl send the example of the document to the operation', () => {
    for (const { operationId, method, path, requestBody } of served.operations) {
      const sent = readCurl(sampleOf(operationId!, 'curl')!);
      const pattern = new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/{}]+')}(\\?.*)?$`);
      expect([operationId, sent.method, sent.path]).toEqual([operationId, method, expect.stringMatching(pattern)]);
      const json = requestBody?.content['application/json'];
      if (json && !requestBody.content['text/plain'])
        expect([operationId, sent.body]).toEqual([operationId, json.example]);
    }
  });

  test('in curl are accepted by the daemon, with the credentials that they show', async () => {
    // What they name does not exist here. Forms, files, sessions, made-up codes, calls of providers
    // and endless answers are left out.
    const refused = [400, 401, 403, 405, 415];
    const { apiKey } = await daemon.signIn('curl@example.com');
    for (const { operationId } of served.operations) {
      const sample = sampleOf(operationId!, 'curl')!;
      if (/--data-|svc_session|^curl \S+\/v1\/(session|auth\/token|provider-keys\S+|events) /.test(sample)) continue;
      const { method, path, body } = readCurl(sample);
      const { authorization, ...headers } = readCurlHeaders(sample);
      if (authorization !== undefined) expect(authorization).toBe('Bearer $SVC_API_KEY');
      const endsKey = operationId === 'account.delete' || operationId === 'auth.revokeKey';
      const key = endsKey ? (await daemon.signIn(`${operationId}@example.com`)).apiKey : apiKey;
      const answer = await daemon.call(authorization && key, path, { method, body, headers });
      expect([operationId, answer.text, refused.includes(answer.status)]).toEqual([operationId, answer.text, false]);
    }
  });

  test('in JavaScript send the same request as in curl', async () => {
    let compared = 0;
    const ofClient = served.operations.filter(({ path }) => !path.startsWith('/v1/memory_stores'));
    for (const { operationId } of ofClient) {
      const sample = sampleOf(operationId!, 'javascript');
      if (sample === undefined) continue;
      const curl = readCurl(sampleOf(operationId!, 'curl')!);
      expect([operationId, await requestOf(sample)]).toEqual([operationId, curl]);
      compared++;
    }
    // All but the page behind a mailed link, which only browsers use.
    expect(ofClient.length - compared).toBe(2);
  });

  test('for MCP call every tool once, with arguments that it accepts unchanged', async () => {
    const { apiKey } = await daemon.signIn('ada@example.com');
    const rpc = async (method: string, params: object) => {
      const { text } = await daemon.call(apiKey, '/v1/mcp', {
        body: { jsonrpc: '2.0', id: 1, method, params },
        headers: { accept: 'application/json, text/event-stream' },
      });
      return (JSON.parse(text.slice(text.indexOf('{'))) as { result: object }).result;
    };
    const samples = served.operations.flatMap(({ operationId }) => {
      const sample = sampleOf(operationId!, 'mcp');
      return sample === undefined ? [] : [JSON.parse(sample) as { method: string; params: { name: string } }];
    });
    const { tools } = (await rpc('tools/list', {})) as { tools: { name: string }[] };
    expect(samples.map(({ params }) => params.name).sort()).toEqual(tools.map(({ name }) => name).sort());
    for (const { method, params } of samples) {
      const { content } = (await rpc(method, params)) as { content: { text: string }[] };
      const text = content.map((part) => part.text).join('\n');
      expect([params.name, text]).not.toEqual([
        params.name,
        expect.stringMatching(/was ignored|was read as|is missing|must /),
      ]);
    }
  });
});

/** Names of parameters, headers and members at any depth, without those that every response has. */
function namesIn(operation: LocatedOperation): string[] {
  const { parameters = [], requestBody, responses } = operation;
  const answers = Object.entries(responses).flatMap(([status, response]) =>
    Number(status) < 400 ? [served.resolve<{ content?: Record<string, { schema?: JsonSchema }> }>(response)] : [],
  );
  const contents = [requestBody?.content, ...answers.map(({ content }) => content)];
  const schemas = contents.flatMap((content) => Object.values(content ?? {}).map(({ schema }) => schema ?? {}));
  const names = parameters.map((one) => served.resolve<{ name: string }>(one).name);
  return [
    ...names.map((name) => (name === 'metadata' && operation.method === 'GET' ? 'metadata.KEY' : name)),
    ...schemas.flatMap((one) => membersOf(one)),
  ];
}

function membersOf(schema: JsonSchema, ancestors: readonly object[] = []): string[] {
  const own = served.resolve<JsonSchema>(schema as { $ref: string });
  if (ancestors.includes(own)) return [];
  const path = [...ancestors, own];
  const { properties = {}, items, anyOf = [], oneOf = [] } = own as Record<string, JsonSchema>;
  const inner = [
    ...Object.values(properties),
    ...(items ? [items] : []),
    ...(anyOf as JsonSchema[]),
    ...(oneOf as JsonSchema[]),
  ];
  return [...Object.keys(properties), ...inner.flatMap((one) => membersOf(one as JsonSchema, path))];
}

function sampleOf(id: string, kind: string): string | undefined {
  const found = new RegExp(`<div class="sample ${kind}"><pre><code>(.*?)</code></pre>`, 's').exec(sections.get(id)!);
  return found ? textOf(found[1]!) : undefined;
}

/** Runs a sample and returns the request that it sends. */
async function requestOf(sample: string): Promise<SampledRequest> {
  const sent: SampledRequest[] = [];
  const svc = createClient({
    baseUrl: 'http://svc.test',
    apiKey: 'svc_live_test',
    fetch: async (url, { method, body }) => {
      const { pathname, search } = new URL(url);
      const json = typeof body === 'string' && body.startsWith('{') ? { body: JSON.parse(body) } : {};
      sent.push({ method: method ?? 'GET', path: `${pathname}${search}`, ...json });
      return {
        ok: true,
        status: 200,
        headers: new Headers(),
        text: async () => '{"data":[],"nextCursor":null}',
        body: null,
      };
    },
  });
  const program = sample.replace(/^import .*\n/, '');
  const run = new Function('svc', 'createReadStream', `return (async () => {\n${program}\n})()`);
  await run(svc, () => 'a line\n').catch(() => {});
  return sent[0]!;
}
