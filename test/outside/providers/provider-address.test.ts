import type { LookupAddress } from 'node:dns';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AllowedHost,
  isPublicAddress,
  parseAllowedHost,
} from '../../../src/outside/providers/provider-address.ts';
import { createProviderHttp } from '../../../src/outside/providers/provider-http.ts';
import { faultOf, modelsFor, soon } from '../../helpers/providers/models.ts';
import { type ProviderServer, startProviderServer } from '../../helpers/providers/server.ts';

const KEY = 'right-key-0123456789';
let server: ProviderServer;
let port: number;

beforeAll(async () => {
  server = await startProviderServer('openai-compatible', { key: KEY });
  port = Number(new URL(server.baseUrl).port);
});
beforeEach(() => server.reset());
afterAll(() => server.close());

const PRIVATE = [
  '127.0.0.1',
  '127.1.2.3',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '169.254.1.1',
  '100.64.0.1',
  '100.100.100.200',
  '198.18.0.1',
  '192.0.0.8',
  '192.0.2.1',
  '203.0.113.4',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  'fe80::1',
  'fe80::1%eth0',
  'fc00::1',
  'fd00:ec2::254',
  'fec0::1',
  'ff02::1',
  '2001:db8::1',
  '100::1',
  '::ffff:127.0.0.1',
  '::ffff:169.254.169.254',
  '::ffff:0:127.0.0.1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::808:808',
  '2002:7f00:1::',
  '2002:808:808::1',
  '2001:0:4136:e378:8000:63bf:3fff:fdd2',
  '4000::1',
  'no address',
  '',
];
const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '172.32.0.1',
  '100.63.255.255',
  '2606:4700::1111',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
];

describe('an address', () => {
  test.each(PRIVATE)('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
  test.each(PUBLIC)('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});

/** All of these reach the server on loopback if they are not blocked. */
const SPELLINGS = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '0x7f.1',
  '0x7f000001',
  '0177.0.0.1',
  '2130706433',
  '0',
  '127.0.0.1.',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
  '１２７.０.０.１',
  '%31%32%37.1',
  '169.254.169.254',
  '[fd00:ec2::254]',
  '[::]',
];

describe('a host that is not allowed', () => {
  test.each(SPELLINGS)('is rejected as %s, as a base URL and when called, without a connection', async (host) => {
    const http = createProviderHttp({ allowedHosts: [] });
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${host}:${port}/v1`;
      expect(() => http.checkAddress(url)).toThrow(expect.objectContaining({ reason: 'address' }));
      expect(await faultOf(http.fetch('check')(url))).toMatchObject({ reason: 'address' });
    }
    await http.close();
    expect(server.state.connections).toBe(0);
  });

  test.each(['localhost', 'localhost.', 'LOCALHOST'])(
    'is rejected as %s because of what it resolves to',
    async (host) => {
      const models = modelsFor([]);
      const access = { ...server.access(), baseUrl: `https://${host}:${port}/v1` };
      expect(await faultOf(models.list(access))).toMatchObject({ reason: 'address' });
      expect(server.state.connections).toBe(0);
      await models.close();
    },
  );

  test.each(PRIVATE.filter((address) => address.includes('.') || address.includes(':')))(
    'is rejected if its name resolves to %s, alone or beside a public address',
    async (address) => {
      const found = (one: string): LookupAddress => ({ address: one, family: one.includes(':') ? 6 : 4 });
      for (const answers of [
        [found(address)],
        [found('2000::1'), found(address)],
        [found(address), found('2000::1')],
      ]) {
        const models = modelsFor([], { lookup: async () => answers });
        const access = { ...server.access(), baseUrl: `https://provider.test:${port}/v1` };
        expect(await faultOf(models.list(access))).toMatchObject({ reason: 'address' });
        await models.close();
      }
      expect(server.state.connections).toBe(0);
    },
  );

  test('is rejected over plain HTTP, even if it is public', async () => {
    const models = modelsFor([], { lookup: async () => [{ address: '2000::1', family: 6 }] });
    const access = { ...server.access(), baseUrl: 'http://provider.test/v1' };
    expect(await faultOf(models.list(access))).toMatchObject({ reason: 'address' });
    await models.close();
  });

  test('for a local ollama names the setting that allows it, and that suffices', async () => {
    const ollama = { provider: 'ollama', key: undefined, baseUrl: undefined } as const;
    const refusing = modelsFor([]);
    const { message } = await faultOf(refusing.list(ollama));
    expect(message).toContain('SVC_PROVIDER_HOSTS=127.0.0.1:11434');
    const allowing = modelsFor([parseAllowedHost('127.0.0.1:11434')]);
    const outcome = await allowing.list(ollama).catch((fault) => fault.reason);
    expect(outcome).not.toBe('address');
    await Promise.all([refusing.close(), allowing.close()]);
  });
});

describe('a host name that changes its address', () => {
  test('is checked at each connection: public first and private later is not connected to', async () => {
    const answers = [
      { address: '2000::1', family: 6 },
      { address: '127.0.0.1', family: 4 },
    ];
    let asked = 0;
    const models = modelsFor([], { lookup: async () => [answers[asked++]!], limits: soon(1000) });
    const access = { ...server.access(), baseUrl: `https://provider.test:${port}/v1` };
    expect((await faultOf(models.list(access))).reason).toMatch(/^(unreachable|slow)$/);
    expect(await faultOf(models.list(access))).toMatchObject({ reason: 'address' });
    expect(asked).toBe(2);
    expect(server.state.connections).toBe(0);
    await models.close();
  });

  test('is resolved once per connection, which uses the checked address', async () => {
    const asked: string[] = [];
    const lookup = async (host: string) => {
      asked.push(host);
      return [{ address: asked.length === 1 ? '127.0.0.1' : '2000::1', family: asked.length === 1 ? 4 : 6 }];
    };
    const models = modelsFor([parseAllowedHost('provider.test')], { lookup });
    const access = { ...server.access(), baseUrl: `http://provider.test:${port}/v1` };
    expect(await models.list(access)).toContain('some-model');
    expect(asked).toEqual(['provider.test']);
    expect(server.requests.map(({ headers }) => headers.host)).toEqual([`provider.test:${port}`]);
    await models.close();
  });

  test('is still the name that TLS requests and verifies', async () => {
    const asked: string[] = [];
    const tls = createTlsServer({
      SNICallback(name, found) {
        asked.push(name);
        found(new Error('no certificate here'));
      },
    });
    const port = await listen(tls);
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    const models = modelsFor([parseAllowedHost('provider.test')], { lookup });
    const access = { ...server.access(), baseUrl: `https://provider.test:${port}/v1` };
    expect(await faultOf(models.list(access))).toMatchObject({ reason: 'unreachable' });
    expect(asked).toEqual(['provider.test']);
    await models.close();
    await new Promise((resolve) => tls.close(resolve));
  });
});

async function listen(listening: Server): Promise<number> {
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return (listening.address() as AddressInfo).port;
}

describe('an allowed host', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.1', '127.0.0.1'],
    ['LOCALHOST.', 'localhost'],
    ['localhost', 'LocalHost.'],
    ['[::FFFF:127.0.0.1]', '[::ffff:7f00:1]'],
  ])('%s may be called as %s, also over plain HTTP', async (entry, host) => {
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    for (const text of [entry, `${entry}:${port}`]) {
      const models = modelsFor([parseAllowedHost(text)], { lookup });
      const access = { ...server.access(), baseUrl: `http://${host}:${port}/v1` };
      expect(await models.list(access)).toContain('some-model');
      await models.close();
    }
    const other = modelsFor([parseAllowedHost(`${entry}:${port + 1}`)], { lookup });
    const access = { ...server.access(), baseUrl: `http://${host}:${port}/v1` };
    expect(await faultOf(other.list(access))).toMatchObject({ reason: 'address' });
    await other.close();
  });

  test.each<[string, AllowedHost]>([
    ['ollama.lan', { host: 'ollama.lan', port: undefined }],
    ['Ollama.LAN.:11434', { host: 'ollama.lan', port: 11434 }],
    ['[::1]:80', { host: '::1', port: 80 }],
    ['10.0.0.5:443', { host: '10.0.0.5', port: 443 }],
    ['müller.example', { host: 'xn--mller-kva.example', port: undefined }],
  ])('is parsed from %s', (text, host) => {
    expect(parseAllowedHost(text)).toEqual(host);
  });

  test.each([
    '',
    ':80',
    'host:',
    'host:0',
    'host:65536',
    'host:port',
    '::1',
    '[::1',
    'a b',
    'http://host',
    'host/path',
    'user@host',
    '*',
    '*.example.com',
    'host?x',
    'host#x',
    '999.1.1.1',
    '.',
  ])('is rejected as %j', (text) => {
    expect(() => parseAllowedHost(text)).toThrow(/^must be comma-separated hosts such as .* not /);
  });
});

describe('a base URL', () => {
  const http = createProviderHttp({ allowedHosts: [] });
  afterAll(() => http.close());

  test.each([
    ['https://models.example.com/v1/', 'https://models.example.com/v1'],
    ['https://Models.Example.com:443', 'https://models.example.com'],
    ['https://8.8.8.8:8443/a/b//', 'https://8.8.8.8:8443/a/b'],
  ])('%s is normalized to %s', (text, taken) => {
    expect(http.checkAddress(text)).toBe(taken);
  });

  test.each([
    'https://user@example.com/v1',
    'https://:secret@example.com/v1',
    'https://example.com/v1?key=secret',
    'https://example.com/v1#secret',
    'https://example.com/v1?',
    'ftp://example.com',
    'file:///etc/passwd',
    'example.com',
    '',
  ])('%j is rejected, and the fault does not repeat it', (text) => {
    expect(() => http.checkAddress(text)).toThrow(expect.objectContaining({ reason: 'address' }));
    expect(() => http.checkAddress(text)).not.toThrow(/secret/);
  });
});
