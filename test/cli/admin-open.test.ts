import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { SAME_ORIGIN } from '../features/connections/browser.ts';
import { runAdmin } from '../helpers/admin-command.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';

let daemon: TestDaemon;
let port: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
  port = new URL(daemon.baseUrl).port;
  const { databaseUrl, masterKeys } = daemon.config;
  if (databaseUrl) vi.stubEnv('SVC_DATABASE_URL', databaseUrl);
  if (masterKeys) vi.stubEnv('SVC_MASTER_KEY', masterKeys[0]!.toString('base64'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await daemon.close();
});

const open = (...words: string[]) => runAdmin(daemon.folder, ['open', ...words]);
const redeem = (ticket: string) =>
  daemon.call(undefined, '/v1/operator/session', { body: { ticket }, headers: SAME_ORIGIN });

test("--print prints a link to the operator's view on this machine, which works once", async () => {
  const { out, error, code } = await open('--print', '--port', port);
  expect({ error, code }).toEqual({ error: '', code: 0 });
  const [, ticket = ''] = new RegExp(`^${daemon.baseUrl}/dashboard/operator#operator=([\\w-]{43})\n$`).exec(out) ?? [];
  expect([(await redeem(ticket)).status, (await redeem(ticket)).status]).toEqual([201, 410]);
});

test('--json prints the link and when it ends', async () => {
  const words = ['--json', 'open', '--port', port];
  const { url, expiresAt } = (await runAdmin(daemon.folder, words)).json<{ url: string; expiresAt: string }>();
  expect(url).toContain('#operator=');
  expect(Date.parse(expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);
});

test('says that no daemon answers, and makes no ticket', async () => {
  const { out, error, code } = await open('--print', '--port', '1');
  expect([out, code]).toEqual(['', 1]);
  expect(error).toBe(
    'svc: No daemon answers at http://127.0.0.1:1. Start it with svc serve, or name its port with --port.\n',
  );
});

test('refuses a port that is none', async () => {
  const { error, code } = await open('--port', 'http');
  expect([error, code]).toEqual([expect.stringContaining('must be a port from 0 to 65535'), 2]);
});

test('says that a daemon on another address alone has no operator view', async () => {
  vi.stubEnv('SVC_HOST', '192.0.2.1');
  const { error, code } = await open('--print', '--port', port);
  vi.stubEnv('SVC_HOST', undefined);
  expect([error, code]).toEqual([expect.stringContaining('Set SVC_HOST to 127.0.0.1 or 0.0.0.0.'), 1]);
});
