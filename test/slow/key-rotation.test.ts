import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callAt, createWorkplaces, type DaemonProcess, signInAt } from '../helpers/process.ts';

const ROTATIONS = 100;
const TRIES_EACH = 100;
const ROTATOR = fileURLToPath(new URL('rotate-keys.ts', import.meta.url));

const workplaces = createWorkplaces();
let daemon: DaemonProcess;
let rotator: ChildProcess;
const agent = new Agent({ keepAlive: true, maxSockets: 20 });
let tries = 0;

beforeAll(async () => {
  const dataDir = await workplaces.folder();
  daemon = await workplaces.start({
    dataDir,
    env: { SVC_TRUST_PROXY: 'loopback', SVC_DEFAULT_TIER: 'Enterprise' },
  });
  rotator = spawn(process.execPath, ['--import', 'tsx', ROTATOR, join(dataDir, 'svc.db')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
});
afterAll(async () => {
  agent.destroy();
  rotator.stdin?.end();
  await once(rotator, 'close');
  await workplaces.clean();
});

/** The status of a request with a key, each time from a different network. */
function statusOf(apiKey: string): Promise<number> {
  tries += 1;
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'x-forwarded-for': `10.${(tries >> 16) & 255}.${(tries >> 8) & 255}.${tries & 255}`,
  };
  return new Promise((resolve, reject) => {
    const call = request(`${daemon.url}/v1/account`, { agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    call.on('error', reject);
    call.end();
  });
}

test(`a key that another process replaced is rejected from the commit on, in all of ${ROTATIONS * TRIES_EACH} attempts`, async () => {
  let apiKey = await signInAt(daemon, 'ada@example.com');
  const { tenantId } = (await callAt(daemon.url, apiKey, '/v1/account')).body;
  const newKeys = createInterface({ input: rotator.stdout! })[Symbol.asyncIterator]();
  let racing = 0;
  for (let rotation = 0; rotation < ROTATIONS; rotation += 1) {
    expect(await statusOf(apiKey)).toBe(200);
    // In flight while the other process commits: these may succeed or fail, but nothing else.
    const underWay = Promise.all(Array.from({ length: 10 }, () => statusOf(apiKey)));
    rotator.stdin?.write(`${tenantId}\n`);
    const newKey: string = (await newKeys.next()).value;
    const after = await Promise.all(Array.from({ length: TRIES_EACH }, () => statusOf(apiKey)));
    expect(new Set(after)).toEqual(new Set([401]));
    for (const status of await underWay) {
      expect([200, 401]).toContain(status);
      if (status === 200) racing += 1;
    }
    expect(await statusOf(newKey)).toBe(200);
    apiKey = newKey;
  }
  expect(racing).toBeGreaterThan(0);
});
