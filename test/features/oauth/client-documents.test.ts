import { expect, test } from 'vitest';
import { createClientDocuments } from '../../../src/features/oauth/client-documents.ts';
import { createTestClock } from '../../helpers/clock.ts';

const ID = 'https://client.example/oauth/client.json';
const DOCUMENT = { client_id: ID, client_name: 'Example', redirect_uris: ['https://client.example/callback'] };

/** Serves one document, and counts requests. */
function documentsWith(body: unknown, status = 200) {
  const requested: string[] = [];
  const clock = createTestClock();
  const documents = createClientDocuments({
    clock,
    fetch: async (url) => {
      requested.push(String(url));
      return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status });
    },
  });
  return { documents, requested, clock };
}

test('a document names the client, vouched for by its host, and is kept for ten minutes', async () => {
  const { documents, requested, clock } = documentsWith(DOCUMENT);
  const client = await documents.load(ID);
  expect(client).toEqual({
    ...{ id: ID, name: 'Example', redirectUris: ['https://client.example/callback'] },
    verifiedHost: 'client.example',
  });
  await documents.load(ID);
  expect(requested).toEqual([ID]);
  clock.advance(600_000);
  await documents.load(ID);
  expect(requested).toEqual([ID, ID]);
});

test.each([
  'https://client.example',
  'https://client.example/',
  'http://client.example/id',
  'https://user@client.example/id',
  'https://client.example/id#x',
  'https://client.example/a/../id',
  'https://CLIENT.example/id',
  `https://client.example/${'x'.repeat(1000)}`,
])('no request is made for %s', async (id) => {
  const { documents, requested } = documentsWith({ ...DOCUMENT, client_id: id });
  await expect(documents.load(id)).rejects.toMatchObject({ code: 'invalid_client' });
  expect(requested).toEqual([]);
});

test.each<[string, unknown, number]>([
  ['with the id of another', { ...DOCUMENT, client_id: `${ID}2` }, 200],
  ['without an id', { ...DOCUMENT, client_id: undefined }, 200],
  ['with a secret', { ...DOCUMENT, client_secret: 'x' }, 200],
  ['of a confidential client', { ...DOCUMENT, token_endpoint_auth_method: 'client_secret_post' }, 200],
  ['with a redirect URI that a browser runs', { ...DOCUMENT, redirect_uris: ['javascript:x'] }, 200],
  ['that is not JSON', '<html>', 200],
  ['that is not an object', '[]', 200],
  ['that is not there', DOCUMENT, 404],
])('a document %s is refused', async (_, body, status) => {
  const { documents } = documentsWith(body, status);
  await expect(documents.load(ID)).rejects.toMatchObject({ code: 'invalid_client' });
});
