import type { LookupAddress } from 'node:dns';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { parseAllowedHost } from '../../src/outside/providers/provider-address.ts';
import { createWebhookHttp } from '../../src/outside/webhook-http.ts';
import { type Receiver, startReceiver } from '../features/webhooks/receiver.ts';
import { freePort } from '../helpers/free-port.ts';

let receiver: Receiver;
let looked: string[];

beforeAll(async () => {
  receiver = await startReceiver();
});
beforeEach(() => {
  receiver.requests.length = 0;
  receiver.answerStatus(200);
  looked = [];
});
afterAll(() => receiver.close());

const found = (...addresses: string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

/** Posts to a name that leads to these addresses, one set per look. */
async function post(url: string, looks: LookupAddress[][], options: { allowed?: string; timeoutMs?: number } = {}) {
  const http = createWebhookHttp({
    allowedHosts: options.allowed === undefined ? [] : [parseAllowedHost(options.allowed)],
    async lookup(host) {
      looked.push(host);
      return looks[Math.min(looked.length, looks.length) - 1]!;
    },
    timeoutMs: options.timeoutMs ?? 2000,
  });
  const answer = await http.post(url, { headers: {}, body: '{}', signal: new AbortController().signal });
  await http.close();
  return answer;
}

describe('a receiver', () => {
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '0.0.0.0',
    '::1',
    'fd00:ec2::254',
    'fe80::1',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '2002:7f00:1::',
  ])('whose name leads to %s is not called, even if it leads to a public address as well', async (address) => {
    const url = `https://hooks.example.com:${receiver.port}/`;
    for (const addresses of [found(address), found('8.8.8.8', address)]) {
      expect((await post(url, [addresses])).error).toContain('public addresses');
    }
    expect(receiver.requests).toHaveLength(0);
  });

  test('whose name changes after the check is called at the address that was checked: it is resolved once', async () => {
    const url = `http://rebound.example.com:${receiver.port}/`;
    const options = { allowed: `rebound.example.com:${receiver.port}` };
    const answer = await post(url, [found('127.0.0.1'), found('127.0.0.9')], options);
    expect(answer).toEqual({ status: 200, error: null });
    expect(looked).toEqual(['rebound.example.com']);
  });

  test('that redirects is not followed', async () => {
    receiver.answerStatus(307, { location: receiver.url });
    const answer = await post(receiver.url, [found('127.0.0.1')], { allowed: '127.0.0.1' });
    expect(answer.error).toContain('redirect (307)');
    expect(receiver.requests).toHaveLength(1);
  });

  test('that does not answer in time, or not at all, is given up with a reason', async () => {
    receiver.answerWith(() => {});
    const slow = await post(receiver.url, [], { allowed: '127.0.0.1', timeoutMs: 200 });
    expect(slow).toEqual({ status: null, error: 'The receiver did not answer in time.' });
    const closed = await post(`http://127.0.0.1:${await freePort()}/`, [], { allowed: '127.0.0.1' });
    expect(closed).toEqual({ status: null, error: 'The receiver cannot be reached (ECONNREFUSED).' });
  });
});
