import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Connection } from '../../../src/contract/connections.ts';
import type { Space } from '../../../src/contract/spaces.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { fromElsewhere } from '../../helpers/sign-in.ts';
import { connectClient, signInBrowser, startOAuthDaemon } from '../oauth/oauth-flow.ts';

let daemon: TestDaemon;
let apiKey: string;
let token: string;
let space: Space;

beforeAll(async () => {
  daemon = await startOAuthDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  const person = await signInBrowser(daemon);
  apiKey = person.apiKey;
  space = (await daemon.call<Space>(apiKey, '/v1/spaces', { body: { name: 'team' } })).body;
  const headers = { 'x-svc-space': space.id };
  await daemon.call(apiKey, '/v1/memories', { body: { content: 'The zephyr of the team is blue' }, headers });
  await daemon.call(apiKey, '/v1/memories', { body: { content: 'My own zephyr is green' } });
  token = (await connectClient(daemon, person.browser)).tokens.access_token;
});

const search = (query = '', more: Record<string, string> = {}) =>
  daemon.call(token, `/v1/mcp${query}`, {
    body: {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'memory_search', arguments: { query: 'zephyr' } },
    },
    headers: { accept: 'application/json, text/event-stream', ...fromElsewhere(), ...more },
  });

async function bind(to: string | null): Promise<void> {
  const { body } = await daemon.call<{ data: Connection[] }>(apiKey, '/v1/connections');
  const { id } = body.data.find(({ kind }) => kind === 'oauth')!;
  const options = { method: 'PATCH', body: { space: to } };
  expect((await daemon.call(apiKey, `/v1/connections/${id}`, options)).status).toBe(200);
}

test('an OAuth client acts in the account that allowed it, and in none of its spaces', async () => {
  expect((await search()).text).toContain('My own zephyr');
  expect((await search('?space=default')).text).toContain('My own zephyr');
  for (const named of [space.id, 'team', 'unknown']) {
    const answers = [await search(`?space=${named}`), await search('', { 'x-svc-space': named })];
    for (const { status, body, text } of answers) {
      expect({ status, body }).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      expect(text).toContain('An OAuth client acts in the account alone that allowed it.');
      expect(text).not.toContain('blue');
    }
  }
});

test('an OAuth client reads no spaces together with the account', async () => {
  for (const spaces of ['default,team', 'team', space.id]) {
    const { text } = await search(`?spaces=${spaces}`);
    expect(text).toContain('forbidden');
    expect(text).not.toContain('blue');
  }
});

test('an OAuth client that was bound to a space acts there alone, until it is bound no more', async () => {
  await bind('team');
  expect((await search()).text).toContain('of the team is blue');
  expect((await search('?space=team')).text).not.toContain('My own zephyr');
  await bind(null);
  expect((await search()).text).toContain('My own zephyr');
  expect((await search('?space=team')).status).toBe(403);
});
