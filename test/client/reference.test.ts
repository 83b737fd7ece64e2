import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import type { Fetch } from '../../src/client/fetch.ts';
import { OPERATIONS } from '../../src/contract/all-operations.ts';

/** Operations that only a browser uses: the page behind a mailed link. */
const BROWSER_ONLY = new Set(['GET /v1/auth/callback', 'POST /v1/auth/callback']);
/** Operations that Anthropic's SDK has calls for. */
const isOfAnthropic = (route: string) => route.includes(' /v1/memory_stores');
const STREAMS = new Set(['export', 'events']);
const GUIDE = fileURLToPath(new URL('../../docs/client.md', import.meta.url));

interface Row {
  call: string;
  parameters: string[];
  request: string;
}

let rows: Row[] = [];

beforeAll(async () => {
  const guide = await readFile(GUIDE, 'utf8');
  const found = guide.matchAll(/^\| `([\w.]+)\(([^)]*)\)` \| `([A-Z]+ [^`]+)` \|$/gm);
  rows = [...found].map(([, call = '', parameters = '', request = '']) => {
    return { call, parameters: parameters.split(', ').filter(Boolean), request };
  });
});

function callsOf(resource: object, prefix = ''): string[] {
  return Object.entries(resource).flatMap(([name, value]) =>
    typeof value === 'function' ? [prefix + name] : callsOf(value, `${prefix}${name}.`),
  );
}

interface Sent {
  request: string;
  space: string | undefined;
}

/** Makes a call with the names of its required parameters as arguments, and returns the request that it sent. */
async function requestOf({ call, parameters }: Row, space?: string): Promise<Sent | undefined> {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, { method, headers }) => {
    sent.push({ request: `${method} ${decodeURIComponent(new URL(url).pathname)}`, space: headers['x-svc-space'] });
    return {
      ok: true,
      status: 200,
      headers: new Headers(),
      text: async () => '{"data":[],"nextCursor":null}',
      body: null,
    };
  };
  const client: object = createClient({ baseUrl: 'http://svc.test', fetch, space });
  const [name, ...path] = call.split('.').reverse() as [string, ...string[]];
  const resource = path.reduceRight<object>((parent, key) => Reflect.get(parent, key), client);
  const required = parameters.filter((parameter) => !parameter.endsWith('?')).map((parameter) => `{${parameter}}`);
  const result = Reflect.get(resource, name).apply(resource, required);
  // A stream sends its request when it is read.
  await (STREAMS.has(call) ? result.next().catch(() => {}) : result);
  return sent[0];
}

describe('the list of calls in the guide', () => {
  test('names every call of the client, and no other', () => {
    const calls = callsOf(createClient({ baseUrl: 'http://svc.test' }));
    expect(rows.map(({ call }) => call).sort()).toEqual(calls.sort());
  });

  test('gives the request that each call sends', async () => {
    for (const row of rows) expect([row.call, (await requestOf(row))?.request]).toEqual([row.call, row.request]);
  });

  test('names the space of the client in every call but those about the own account', async () => {
    const signsIn = (request: string) => / \/v1\/(auth|session)\b/.test(request);
    for (const row of rows) {
      const isOwn = OPERATIONS[row.request]?.personal === true || signsIn(row.request);
      expect([row.call, (await requestOf(row, 'Büro'))?.space]).toEqual([row.call, isOwn ? undefined : 'B%C3%BCro']);
      expect((await requestOf(row))?.space).toBeUndefined();
    }
  });

  test('covers every operation of the API', () => {
    const covered = new Set(rows.map(({ request }) => request));
    const missing = Object.keys(OPERATIONS).filter((route) => / \/v1\//.test(route) && !covered.has(route));
    const advice = 'add a call to src/client and a row to docs/client.md';
    expect(
      missing.filter((route) => !BROWSER_ONLY.has(route) && !isOfAnthropic(route)),
      advice,
    ).toEqual([]);
    expect([...covered].filter((route) => OPERATIONS[route] === undefined)).toEqual([]);
  });
});
