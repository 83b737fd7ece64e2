import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Connection, openConnection } from '../../src/db/connection.ts';
import { callAt, createWorkplaces, type DaemonProcess, signInAt } from '../helpers/process.ts';

/** Kills the process just before it responds with a new key: after the commit, before any byte is sent. */
const CRASH_BEFORE_RESPONSE = `
  import { ServerResponse } from 'node:http';
  const { writeHead } = ServerResponse.prototype;
  ServerResponse.prototype.writeHead = function (...head) {
    if (head[0] === 303) process.kill(process.pid, 'SIGKILL');
    return writeHead.apply(this, head);
  };
  const { end } = ServerResponse.prototype;
  ServerResponse.prototype.end = function (...body) {
    if (this.req.url === '/v1/auth/token' && this.statusCode === 200) process.kill(process.pid, 'SIGKILL');
    return end.apply(this, body);
  };
`;
const EMAIL = 'ada@example.com';

const workplaces = createWorkplaces();
let dataDir: string;
beforeEach(async () => {
  dataDir = await workplaces.folder();
});
afterEach(workplaces.clean);

const start = (preload = '') =>
  workplaces.start({
    dataDir,
    env: { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(preload)}` },
  });

async function kill(daemon: DaemonProcess): Promise<void> {
  daemon.kill('SIGKILL');
  await daemon.exited;
}

async function receiveToken({ url, mailbox }: DaemonProcess, more: object = {}): Promise<string> {
  const after = (await mailbox.mailsTo(EMAIL)).at(-1)?.name;
  await callAt(url, '', '/v1/auth/magic-link', { body: { email: EMAIL, ...more } });
  return new URL(await mailbox.latestLink(EMAIL, { after })).searchParams.get('token') ?? '';
}

const redeem = ({ url }: DaemonProcess, token: string) =>
  fetch(`${url}/v1/auth/callback`, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ token }) });
const keyOf = (response: Response) => response.headers.get('location')?.split('#key=')[1] ?? '';
const statusOf = async ({ url }: DaemonProcess, apiKey: string) => (await callAt(url, apiKey, '/v1/account')).status;

/** Opens the database directly, with or without a running daemon. */
async function inDatabase<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await openConnection(join(dataDir, 'svc.db'));
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** Counts the keys, after an integrity check of the database. */
const liveKeys = () =>
  inDatabase(async (connection) => {
    expect(await connection.all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
    return (await connection.all('SELECT hash FROM apiKeys')).length;
  });

describe('a daemon killed during a sign-in', () => {
  test('between commit and response: the old key is invalid, one key exists, a new link recovers', async () => {
    const first = await start();
    const oldKey = await signInAt(first, EMAIL);
    expect(await statusOf(first, oldKey)).toBe(200);
    await kill(first);

    const doomed = await start(CRASH_BEFORE_RESPONSE);
    const token = await receiveToken(doomed);
    await expect(redeem(doomed, token)).rejects.toThrow();
    expect((await doomed.exited).signal).toBe('SIGKILL');
    expect(await liveKeys()).toBe(1);

    const recovered = await start();
    expect(await statusOf(recovered, oldKey)).toBe(401);
    expect((await redeem(recovered, token)).status).toBe(410);
    expect(await statusOf(recovered, await signInAt(recovered, EMAIL))).toBe(200);
    await kill(recovered);
    expect(await liveKeys()).toBe(1);
  });

  test('between commit and response to a terminal: the same', async () => {
    const first = await start();
    const oldKey = await signInAt(first, EMAIL);
    await kill(first);

    const doomed = await start(CRASH_BEFORE_RESPONSE);
    const codeVerifier = 'v'.repeat(43);
    const login = { codeChallenge: createHash('sha256').update(codeVerifier).digest('base64url'), device: 'desk' };
    const page = await (await redeem(doomed, await receiveToken(doomed, { login }))).text();
    const code = /id="code">([^<]+)</.exec(page)?.[1] ?? '';
    expect(await statusOf(doomed, oldKey)).toBe(200);
    const body = { code, codeVerifier };
    await expect(callAt(doomed.url, '', '/v1/auth/token', { body })).rejects.toThrow();
    expect((await doomed.exited).signal).toBe('SIGKILL');
    expect(await liveKeys()).toBe(1);

    const recovered = await start();
    expect(await statusOf(recovered, oldKey)).toBe(401);
    expect((await callAt(recovered.url, '', '/v1/auth/token', { body })).status).toBe(410);
    expect(await statusOf(recovered, await signInAt(recovered, EMAIL))).toBe(200);
  });

  test('at any moment: either the key or the link is valid, one key exists, a new link recovers', async () => {
    let running = await start();
    let oldKey = await signInAt(running, EMAIL);
    for (let round = 0; round < 4; round += 1) {
      const token = await receiveToken(running);
      const answer = redeem(running, token).then(keyOf, () => undefined);
      await new Promise((resolve) => setTimeout(resolve, 2 * round));
      await kill(running);
      const answered = await answer;
      expect(await liveKeys()).toBe(1);
      // A mail in flight at the kill would be sent a second time.
      await inDatabase((connection) => connection.run('DELETE FROM mailQueue'));

      running = await start();
      const status = await statusOf(running, oldKey);
      const again = await redeem(running, token);
      if (answered) expect(status).toBe(401);
      expect([status, again.status]).toEqual(status === 200 ? [200, 303] : [401, 410]);
      oldKey = again.status === 303 ? keyOf(again) : await signInAt(running, EMAIL);
      expect(await statusOf(running, oldKey)).toBe(200);
      // Reset the mail rate limit of the address, as if an hour had passed.
      await inDatabase((connection) => connection.run('DELETE FROM signInLinks'));
    }
  });
});
