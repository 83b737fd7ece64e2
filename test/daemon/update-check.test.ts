import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLog } from '../../src/daemon/log.ts';
import { createUpdateCheck } from '../../src/daemon/update-check.ts';
import { isNewer } from '../../src/lib/versions.ts';
import { createTestClock } from '../helpers/clock.ts';

let server: Server;
let url: string;
let answer: { status: number; body: string };
let requests: IncomingMessage[];

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request);
    response.writeHead(answer.status, { location: '/elsewhere' }).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/svc-memory/latest`;
});
afterAll(() => void server.close());
beforeEach(() => {
  requests = [];
  answer = { status: 200, body: '{"version":"1.3.0"}' };
});

function open() {
  const lines: { level: number; msg: string }[] = [];
  const clock = createTestClock();
  const log = createLog('debug', (line) => lines.push(JSON.parse(line)));
  return { ...createUpdateCheck({ url, version: '1.2.3', clock, log }), clock, lines };
}

test('an update check runs once a day, and its request does not identify the installation', async () => {
  const { follow, available, clock } = open();
  for (let times = 0; times < 3; times += 1) await follow();
  expect(requests).toHaveLength(1);
  const { url: path, headers } = requests[0]!;
  expect(path).toBe('/svc-memory/latest');
  expect(headers['user-agent']).toBe('svc');
  expect(Object.keys(headers).sort()).toEqual(
    expect.not.arrayContaining(['cookie', 'authorization', 'referer', 'x-request-id']),
  );
  expect(JSON.stringify(headers)).not.toContain('1.2.3');
  expect(available()).toBe('1.3.0');
  clock.advance(24 * 3_600_000);
  answer.body = '{"tag_name":"v1.4.0"}';
  await follow();
  expect(available()).toBe('1.4.0');
});

test('an update check reports nothing if the version is not newer, or the answer is unusable', async () => {
  for (const body of ['{"version":"1.2.3"}', '{"version":"1.2.2"}', '{"version":"<b>9</b>"}', 'null', '<html>']) {
    answer.body = body;
    const { follow, available, lines } = open();
    await follow();
    expect(available()).toBeUndefined();
    expect(lines.filter(({ level }) => level > 20)).toEqual([]);
  }
});

test('a failed update check appears only in the debug log', async () => {
  for (const status of [302, 500]) {
    answer = { status, body: '{"version":"9.0.0"}' };
    const { follow, available, lines } = open();
    await follow();
    expect(available()).toBeUndefined();
    expect(lines).toEqual([expect.objectContaining({ level: 20, msg: 'update check failed' })]);
  }
});

test.each([
  ['0.2.0', '0.1.9', true],
  ['0.10.0', '0.9.0', true],
  ['1.0.0', '1.0.0-beta.1', true],
  ['1.0.0', '1.0.0', false],
  ['0.9.9', '1.0.0', false],
])('%s is newer than %s: %s', (version, than, expected) => expect(isNewer(version, than)).toBe(expected));
