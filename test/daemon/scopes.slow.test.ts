import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../src/contract/all-operations.ts';
import type { Scope } from '../../src/contract/scopes.ts';
import { connectDevice } from '../features/connections/device.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { loadDocument } from '../helpers/openapi.ts';

/** Operations that need no credential, or one of their own. */
const PUBLIC = /^(POST|GET) \/v1\/(auth\/(magic-link|token|callback|device|device\/token)|session(\/ticket\/check)?)$/;
const READS_BY_POST = ['POST /v1/context', 'POST /v1/memories/query', 'POST /v1/search'];
const OF_ACCOUNT = [
  'DELETE /v1/account',
  'DELETE /v1/auth/key',
  'DELETE /v1/provider-keys/{provider}',
  'DELETE /v1/spaces/{id}',
  'DELETE /v1/spaces/{id}/members/{memberId}',
  'DELETE /v1/webhooks/{id}',
  'GET /v1/spaces/{id}/log',
  'GET /v1/webhooks',
  'GET /v1/webhooks/{id}',
  'GET /v1/webhooks/{id}/deliveries',
  'PATCH /v1/connections/{id}',
  'PATCH /v1/spaces/{id}',
  'PATCH /v1/spaces/{id}/members/{memberId}',
  'PATCH /v1/suggestion-settings',
  'PATCH /v1/webhooks/{id}',
  'POST /v1/auth/device/decision',
  'POST /v1/auth/device/request',
  'POST /v1/provider-keys/{provider}/validate',
  'POST /v1/spaces',
  'POST /v1/spaces/{id}/join',
  'POST /v1/spaces/{id}/leave',
  'POST /v1/spaces/{id}/members',
  'POST /v1/suggestions/decide',
  'POST /v1/suggestions/{id}/accept',
  'POST /v1/suggestions/{id}/reject',
  'POST /v1/suggestions/{id}/undo',
  'POST /v1/webhooks',
  'POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay',
  'POST /v1/webhooks/{id}/rotate-secret',
  'POST /v1/webhooks/{id}/test',
  'PUT /v1/provider-keys/{provider}',
];
const ROUTES = Object.keys(OPERATIONS).filter((route) => !PUBLIC.test(route));

let daemon: MemoryDaemon;
let tokens: Record<'memory:read' | 'memory', string>;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  const { apiKey, tenantId } = await daemon.account();
  const reader = await connectDevice(daemon, apiKey, { name: 'reader', system: 'Linux' });
  await daemon.db.writes.write(tenantId, (connection) =>
    connection.run(`UPDATE connections SET scope = 'memory:read' WHERE tenantId = ? AND client LIKE 'reader%'`, [
      tenantId,
    ]),
  );
  daemon.clock.advance(60_000);
  tokens = { 'memory:read': reader, memory: await connectDevice(daemon, apiKey) };
});
afterAll(() => daemon.close());

/** Which operations refuse a token for its scope, without reading anything that the request carries. */
async function refusedFor(scope: keyof typeof tokens): Promise<Record<string, Scope>> {
  const refused: Record<string, Scope> = {};
  for (const route of ROUTES) {
    const [method = '', path = ''] = route.split(' ');
    if (path === '/v1/events') continue;
    const answer = await daemon.call(tokens[scope], path.replaceAll(/\{\w+\}/g, 'x'), { method });
    if (answer.status === 403) refused[route] = answer.body.scope as Scope;
  }
  return refused;
}

describe('an operation', () => {
  test('that manages the account refuses the scope memory; every other one accepts it', async () => {
    expect(await refusedFor('memory')).toEqual(Object.fromEntries(OF_ACCOUNT.map((route) => [route, 'account'])));
  });

  test('that changes something refuses the scope memory:read; every other one accepts it', async () => {
    const isRefused = (route: string) => !route.startsWith('GET ') && !READS_BY_POST.includes(route);
    const changing = ROUTES.filter((route) => isRefused(route) || OF_ACCOUNT.includes(route));
    const expected = changing.map((route) => [route, OF_ACCOUNT.includes(route) ? 'account' : 'memory']);
    expect(await refusedFor('memory:read')).toEqual(Object.fromEntries(expected));
  });

  test('that reads needs for HEAD the scope that it needs for GET', async () => {
    for (const route of OF_ACCOUNT.filter((one) => one.startsWith('GET '))) {
      const path = route.slice('GET '.length).replaceAll(/\{\w+\}/g, 'x');
      const { status } = await daemon.call(tokens.memory, path, { method: 'HEAD' });
      expect([path, status]).toEqual([path, 403]);
    }
  });

  test('names in the API document the scope that it checks', async () => {
    const { operations } = await loadDocument(daemon);
    const scopes = (route: string) =>
      operations.find((one) => one.route === route)!.security!.flatMap((one) => Object.values(one).flat());
    const refused = { ...(await refusedFor('memory')), ...(await refusedFor('memory:read')) };
    for (const route of ROUTES) {
      expect([route, [...new Set(scopes(route))]]).toEqual([route, [refused[route] ?? 'memory:read']]);
    }
    expect(scopes('POST /v1/auth/device')).toEqual([]);
  });
});

describe.each(['', '?tools=tidy', '?tools=extract'])('MCP%s with the scope memory:read', (query) => {
  const send = async (scope: keyof typeof tokens, method: string, params: object) => {
    const headers = { accept: 'application/json, text/event-stream' };
    const body = { jsonrpc: '2.0', id: 1, method, params };
    return (await daemon.call(tokens[scope], `/v1/mcp${query}`, { body, headers })).text;
  };
  const listed = async (scope: keyof typeof tokens) => {
    const { result } = JSON.parse(/\{"(?:jsonrpc|result).*\}/.exec(await send(scope, 'tools/list', {}))![0]);
    return result.tools as { name: string; annotations: { readOnlyHint: boolean } }[];
  };

  test('lists the read-only tools, and with the scope memory all of them', async () => {
    const all = await listed('memory');
    const reading = all.filter(({ annotations }) => annotations.readOnlyHint);
    expect(reading.length).toBeGreaterThan(query === '' ? 2 : 0);
    expect(all.length).toBeGreaterThan(reading.length);
    expect(await listed('memory:read')).toEqual(reading);
  });

  test('searches, and refuses each tool that is not read-only', async () => {
    for (const { name, annotations } of await listed('memory')) {
      const answer = await send('memory:read', 'tools/call', { name, arguments: { query: 'tea' } });
      expect([name, answer.includes('forbidden: This connection may only read.')]).toEqual([
        name,
        !annotations.readOnlyHint,
      ]);
    }
  });
});
