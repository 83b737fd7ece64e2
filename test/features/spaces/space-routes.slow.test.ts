import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/contract/all-operations.ts';
import { connectDevice } from '../connections/device.ts';
import { type Caller, createCaller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { addMember, inSpace, invite, newPerson, newSpace } from './space-callers.ts';

/** What a caller meets at a route of a space, before anything that the request carries is read. */
type Outcome = 'unknown caller' | 'no space' | 'own account only' | 'not enough' | 'allowed';
/** The least role that a route needs; `personal` routes are about the caller's own account, `public` ones about none. */
type Need = 'reader' | 'writer' | 'owner' | 'personal' | 'public';

/** Every operation of the API: one that is not here fails the first test. */
const ROUTES: Record<Need, readonly string[]> = {
  reader: [
    'GET /v1/account',
    'GET /v1/activity',
    'GET /v1/activity/stats',
    'POST /v1/context',
    'GET /v1/conversations',
    'GET /v1/conversations/{id}',
    'GET /v1/conversations/{id}/messages',
    'GET /v1/conversations/{id}/messages/{messageId}',
    'GET /v1/episodes',
    'GET /v1/episodes/{id}',
    'GET /v1/events',
    'GET /v1/export',
    'GET /v1/jobs',
    'GET /v1/jobs/{id}',
    'GET /v1/memories',
    'GET /v1/memories/external/{externalId}',
    'POST /v1/memories/query',
    'GET /v1/memories/stats',
    'GET /v1/memories/uses',
    'GET /v1/memories/{id}',
    'GET /v1/memories/{id}/history',
    'GET /v1/memories/{id}/neighbors',
    'GET /v1/memories/{id}/use',
    'GET /v1/memory_stores',
    'GET /v1/memory_stores/{memory_store_id}',
    'GET /v1/memory_stores/{memory_store_id}/memories',
    'GET /v1/memory_stores/{memory_store_id}/memories/{memory_id}',
    'GET /v1/memory_stores/{memory_store_id}/memory_versions',
    'GET /v1/memory_stores/{memory_store_id}/memory_versions/{memory_version_id}',
    'GET /v1/profile',
    'GET /v1/provider-keys',
    'GET /v1/provider-keys/{provider}',
    'GET /v1/provider-settings',
    'GET /v1/retrieval',
    'GET /v1/retrieval/languages',
    'GET /v1/retrieval/words',
    'POST /v1/search',
    'GET /v1/searches',
    'GET /v1/searches/{searchId}',
    'GET /v1/suggestion-settings',
    'GET /v1/suggestions',
    'GET /v1/suggestions/{id}',
    'GET /v1/topics',
    'GET /v1/topics/{id}',
    'GET /v1/usage',
    'GET /v1/users',
    'GET /v1/users/{user}',
  ],
  writer: [
    'POST /v1/conversations',
    'PATCH /v1/conversations/{id}',
    'DELETE /v1/conversations/{id}',
    'POST /v1/conversations/{id}/episodes',
    'POST /v1/conversations/{id}/extract',
    'POST /v1/conversations/{id}/messages',
    'DELETE /v1/conversations/{id}/messages',
    'PATCH /v1/conversations/{id}/messages/{messageId}',
    'DELETE /v1/conversations/{id}/messages/{messageId}',
    'POST /v1/episodes',
    'PATCH /v1/episodes/{id}',
    'DELETE /v1/episodes/{id}',
    'POST /v1/import',
    'DELETE /v1/jobs/{id}',
    'POST /v1/memories',
    'POST /v1/memories/batch',
    'POST /v1/memories/delete',
    'PUT /v1/memories/external/{externalId}',
    'DELETE /v1/memories/external/{externalId}',
    'POST /v1/memories/update',
    'PATCH /v1/memories/{id}',
    'DELETE /v1/memories/{id}',
    'POST /v1/memory_stores',
    'POST /v1/memory_stores/{memory_store_id}',
    'DELETE /v1/memory_stores/{memory_store_id}',
    'POST /v1/memory_stores/{memory_store_id}/archive',
    'POST /v1/memory_stores/{memory_store_id}/memories',
    'POST /v1/memory_stores/{memory_store_id}/memories/{memory_id}',
    'DELETE /v1/memory_stores/{memory_store_id}/memories/{memory_id}',
    'POST /v1/memory_stores/{memory_store_id}/memory_versions/{memory_version_id}/redact',
    'PATCH /v1/provider-settings',
    'POST /v1/remember',
    'DELETE /v1/retrieval',
    'PATCH /v1/retrieval',
    'DELETE /v1/retrieval/words',
    'POST /v1/searches/{searchId}/feedback',
    'POST /v1/suggestions',
    'POST /v1/tidy',
    'PATCH /v1/topics/{id}',
    'POST /v1/topics/{id}/merge',
    'POST /v1/topics/{id}/split',
    'DELETE /v1/users/{user}',
  ],
  owner: [
    'PUT /v1/provider-keys/{provider}',
    'DELETE /v1/provider-keys/{provider}',
    'POST /v1/provider-keys/{provider}/validate',
    'PATCH /v1/suggestion-settings',
    'POST /v1/suggestions/decide',
    'POST /v1/suggestions/{id}/accept',
    'POST /v1/suggestions/{id}/reject',
    'POST /v1/suggestions/{id}/undo',
    'POST /v1/webhooks',
    'GET /v1/webhooks',
    'GET /v1/webhooks/{id}',
    'PATCH /v1/webhooks/{id}',
    'DELETE /v1/webhooks/{id}',
    'GET /v1/webhooks/{id}/deliveries',
    'POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay',
    'POST /v1/webhooks/{id}/rotate-secret',
    'POST /v1/webhooks/{id}/test',
  ],
  personal: [
    'DELETE /v1/account',
    'POST /v1/auth/device/decision',
    'POST /v1/auth/device/request',
    'DELETE /v1/auth/key',
    'GET /v1/connections',
    'GET /v1/connections/{id}',
    'PATCH /v1/connections/{id}',
    'DELETE /v1/connections/{id}',
    'GET /v1/session',
    'POST /v1/session',
    'DELETE /v1/session',
    'POST /v1/session/ticket',
    'POST /v1/spaces',
    'GET /v1/spaces',
    'GET /v1/spaces/{id}',
    'PATCH /v1/spaces/{id}',
    'DELETE /v1/spaces/{id}',
    'POST /v1/spaces/{id}/copies',
    'POST /v1/spaces/{id}/join',
    'POST /v1/spaces/{id}/leave',
    'GET /v1/spaces/{id}/log',
    'GET /v1/spaces/{id}/members',
    'POST /v1/spaces/{id}/members',
    'PATCH /v1/spaces/{id}/members/{memberId}',
    'DELETE /v1/spaces/{id}/members/{memberId}',
  ],
  public: [
    'GET /v1/auth/callback',
    'POST /v1/auth/callback',
    'POST /v1/auth/device',
    'POST /v1/auth/device/token',
    'POST /v1/auth/magic-link',
    'POST /v1/auth/token',
    'POST /v1/session/ticket/check',
  ],
};

let daemon: MemoryDaemon;
let space: string;
/** Creates another space with the same members. */
let newTeam: () => Promise<string>;
/** Callers with the highest need that they meet; `undefined` for those to whom there is no such space. */
let callers: Record<string, { caller: Caller; may: Need | undefined }>;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  const owner = await newPerson(daemon);
  const [reader, writer, invited, removed, other, stranger] = await Promise.all(
    Array.from({ length: 6 }, () => newPerson(daemon)),
  );
  newTeam = async () => {
    const made = await newSpace(owner);
    await addMember(owner, made, reader!, 'reader');
    await addMember(owner, made, writer!, 'writer');
    await invite(owner, made, invited!.email, 'owner');
    const { id } = await addMember(owner, made, removed!, 'owner');
    await owner.call(`/v1/spaces/${made.id}/members/${id}`, { method: 'DELETE' });
    return made.id;
  };
  space = await newTeam();
  await newSpace(other!, 'team');
  const device = createCaller(daemon.call, await connectDevice(daemon, owner.apiKey), owner.tenantId);
  callers = {
    stranger: { caller: stranger!, may: undefined },
    invited: { caller: invited!, may: undefined },
    removed: { caller: removed!, may: undefined },
    'owner of another space': { caller: other!, may: undefined },
    reader: { caller: reader!, may: 'reader' },
    writer: { caller: writer!, may: 'writer' },
    owner: { caller: owner, may: 'owner' },
    'device of the owner': { caller: device, may: 'writer' },
  };
}, 60_000);
afterAll(() => daemon.close());

async function outcomeOf(caller: Caller, route: string): Promise<Outcome> {
  const [method = '', path = ''] = route.split(' ');
  const answer = await inSpace(daemon, caller, space).call(path.replaceAll(/\{\w+\}/g, 'x'), { method });
  const { status, text } = answer;
  if (status === 401) return 'unknown caller';
  if (status === 404 && text.includes('You are in no space')) return 'no space';
  if (status === 400 && text.includes('is about your own account')) return 'own account only';
  return status === 403 ? 'not enough' : 'allowed';
}

const ORDER: readonly (Need | undefined)[] = ['reader', 'writer', 'owner'];

function expectedOf(need: Need, may: Need | undefined): Outcome {
  if (may === undefined) return 'no space';
  if (need === 'personal') return 'own account only';
  return ORDER.indexOf(may) >= ORDER.indexOf(need) ? 'allowed' : 'not enough';
}

/** An event stream does not end. */
const isTried = (route: string) => route !== 'GET /v1/events';

describe('every route of the API', () => {
  test('has a row in the table of spaces', () => {
    expect(Object.values(ROUTES).flat().sort()).toEqual(Object.keys(OPERATIONS).sort());
  });

  test.each([
    ...(['stranger', 'invited', 'removed', 'owner of another space'] as const),
    ...(['reader', 'writer', 'owner', 'device of the owner'] as const),
  ])(
    'lets a %s do in a space what its row says',
    async (name) => {
      const { caller, may } = callers[name]!;
      for (const need of ['reader', 'writer', 'owner', 'personal'] as const) {
        for (const route of ROUTES[need].filter(isTried)) {
          expect([route, await outcomeOf(caller, route)]).toEqual([route, expectedOf(need, may)]);
        }
      }
    },
    60_000,
  );

  test('is refused to a caller without a credential, whatever space it names', async () => {
    const nobody = createCaller((_, path, options) => daemon.call(undefined, path, options), '', '');
    for (const route of [...ROUTES.reader, ...ROUTES.writer, ...ROUTES.owner, ...ROUTES.personal].filter(isTried)) {
      const [method = '', path = ''] = route.split(' ');
      // There are more routes than an address may request in a minute.
      daemon.clock.advance(1000);
      const { status } = await nobody.call(path.replaceAll(/\{\w+\}/g, 'x'), {
        method,
        headers: { 'x-svc-space': space },
      });
      expect([route, status]).toEqual([route, 401]);
    }
  });
});

test('the routes of a space itself answer by the role, and 404 to whom it does not concern', async () => {
  const own: Record<string, { method: string; path: string; body?: object; may: Record<string, number> }> = {
    get: { method: 'GET', path: '', may: { invited: 200, reader: 200, writer: 200, owner: 200 } },
    members: { method: 'GET', path: '/members', may: { reader: 200, writer: 200, owner: 200 } },
    log: { method: 'GET', path: '/log', may: { reader: 403, writer: 403, owner: 200 } },
    copies: {
      method: 'POST',
      path: '/copies',
      body: { memoryIds: ['x'] },
      may: { reader: 403, writer: 201, owner: 201 },
    },
    invite: {
      ...{ method: 'POST', path: '/members', body: { email: 'guest@example.com', role: 'reader' } },
      may: { reader: 403, writer: 403, owner: 201 },
    },
    rename: { method: 'PATCH', path: '', body: { name: 'crew' }, may: { reader: 403, writer: 403, owner: 200 } },
    role: {
      ...{ method: 'PATCH', path: '/members/mbr_x', body: { role: 'reader' } },
      may: { reader: 403, writer: 403, owner: 404 },
    },
    remove: { method: 'DELETE', path: '/members/mbr_x', may: { reader: 403, writer: 403, owner: 404 } },
    erase: { method: 'DELETE', path: '', may: { reader: 403, writer: 403, owner: 204 } },
  };

  const team = await newTeam();
  const order = ['stranger', 'removed', 'owner of another space', 'invited', 'reader', 'writer', 'owner'];
  for (const [name, { method, path, body, may }] of Object.entries(own)) {
    for (const who of order) {
      const { status } = await callers[who]!.caller.call(`/v1/spaces/${team}${path}`, { method, body });
      expect([name, who, status]).toEqual([name, who, may[who] ?? 404]);
    }
  }
});
