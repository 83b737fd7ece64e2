import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createClientDocuments } from '../../../src/features/oauth/client-documents.ts';
import { parseAllowedHost } from '../../../src/outside/providers/provider-address.ts';
import { createProviderHttp, type ProviderHttp } from '../../../src/outside/providers/provider-http.ts';
import { type Certificate, createCertificate, trust } from '../../helpers/certificate.ts';
import { createTestClock } from '../../helpers/clock.ts';
import { startHttpsServer } from '../../helpers/https-server.ts';

/** Metadata documents fetched over TLS, with the connector that checks and pins addresses. */

const CALLBACK = 'https://client.test/callback';
let certificate: Certificate;
let server: Awaited<ReturnType<typeof startHttpsServer>>;
let answer: (response: ServerResponse) => void;
let http: ProviderHttp;
let distrust: () => void;
const asked: string[] = [];

beforeAll(async () => {
  certificate = await createCertificate(['DNS:client.test']);
  server = await startHttpsServer(certificate, ({ url = '', headers }, response) => {
    asked.push(`${headers.host}${url}`);
    answer(response);
  });
});
afterAll(async () => {
  await server.close();
  await certificate.remove();
});
beforeEach(() => {
  asked.length = 0;
  distrust = trust(certificate);
  answer = (response) => response.end(JSON.stringify(documentOf(idOf('client.test'))));
  // Names of this test resolve to this machine, which is otherwise refused.
  const allowedHosts = [`client.test:${server.port}`, `other.test:${server.port}`].map(parseAllowedHost);
  http = createProviderHttp({ allowedHosts, lookup: async () => [{ address: '127.0.0.1', family: 4 }] });
});
afterEach(async () => {
  distrust();
  await http.close();
});

const idOf = (host: string) => `https://${host}:${server.port}/oauth/client.json`;
const documentOf = (id: string) => ({ client_id: id, client_name: 'Example', redirect_uris: [CALLBACK] });
const load = (id: string) => createClientDocuments({ fetch: http.fetch('check'), clock: createTestClock() }).load(id);

test('a document is fetched over https, and its host vouches for the client', async () => {
  const id = idOf('client.test');
  expect(await load(id)).toEqual({
    ...{ id, name: 'Example', redirectUris: [CALLBACK] },
    verifiedHost: `client.test:${server.port}`,
  });
  expect(asked).toEqual([`client.test:${server.port}/oauth/client.json`]);
});

test.each<[string, () => Promise<unknown>]>([
  ['with the certificate of another host', () => load(idOf('other.test'))],
  [
    'with a certificate that nobody vouches for',
    () => {
      distrust();
      return load(idOf('client.test'));
    },
  ],
  ['at an address inside the network', () => load(idOf('elsewhere.test'))],
])('nothing is asked of a server %s', async (_, loading) => {
  await expect(loading()).rejects.toMatchObject({ code: 'invalid_client' });
  expect(asked).toEqual([]);
});

test('a redirect is not followed', async () => {
  answer = (response) => response.writeHead(302, { location: `${idOf('client.test')}2` }).end();
  await expect(load(idOf('client.test'))).rejects.toMatchObject({ code: 'invalid_client' });
  expect(asked).toHaveLength(1);
});
