import { expect, test } from 'vitest';
import { clientOfInfo, clientOfUserAgent } from '../../../src/features/activity/client-name.ts';
import { growthOf, LINEAR, msToDo } from '../../helpers/growth.ts';

test.each([
  [undefined, 'unknown'],
  ['', 'unknown'],
  ['<script>', 'unknown'],
  ['curl/8.5.0', 'curl/8.5.0'],
  ['node', 'node'],
  ['claude-code/2.1.0 (cli, long words about a person)', 'claude-code/2.1.0'],
  ['python-httpx/0.27.0', 'python-httpx/0.27.0'],
  [`${'a'.repeat(500)}/${'1'.repeat(500)}`, `${'a'.repeat(48)}/${'1'.repeat(16)}`],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0', 'Firefox/131'],
  ['Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36', 'Chrome/130'],
  ['Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36 Edg/130.0', 'Edge/130'],
  ['Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15', 'Safari/17'],
  ['Mozilla/5.0 (compatible)', 'Mozilla/5.0'],
])('the User-Agent %j is the client %j', (userAgent, client) => {
  expect(clientOfUserAgent(userAgent)).toBe(client);
});

test.each([
  [undefined, undefined],
  [{ name: 7 }, undefined],
  [{ name: '\u0000\u2028' }, undefined],
  [{ name: 'claude-ai' }, 'claude-ai'],
  [{ name: 'Visual Studio Code', version: '1.99.0' }, 'Visual Studio Code/1.99.0'],
  [{ name: 'x'.repeat(10_000), version: 'é1' }, `${'x'.repeat(48)}/1`],
])('the clientInfo %j is the client %j', (info, client) => {
  expect(clientOfInfo(info)).toBe(client);
});

test('16 times the User-Agent takes about 16 times as long to read, not 256', () => {
  const msToRead = (digits: number) => msToDo(() => clientOfUserAgent(`Mozilla/5.0 Version/${'1'.repeat(digits)}`));
  expect(growthOf(msToRead, 4000, 40)).toBeLessThan(LINEAR);
});
