import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addConnection } from '../../../src/features/connections/connection-writes.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { freshAddress, signInAs, startSignInDaemon } from '../../helpers/sign-in.ts';
import { openBrowser, ticketOf } from './browser.ts';
import { askByMail, connectDevice, poll, typeDeviceCode } from './device.ts';

/** Connections of one kind that an account has at most. */
const MAX_OF_KIND = 50;
const HOUR_MS = 3_600_000;

let daemon: TestDaemon;

describe('a device', () => {
  let apiKey: string;
  beforeAll(async () => {
    daemon = await startSignInDaemon({ config: { defaultTier: 'Enterprise' } });
    daemon.clock.freeze();
    apiKey = await signInAs(daemon, freshAddress());
  });
  afterAll(() => daemon.close());

  /** Stores devices as connecting them does, without a mail for each. */
  async function storeDevices(count: number): Promise<void> {
    const { tenantId } = (await daemon.call<{ tenantId: string }>(apiKey, '/v1/account')).body;
    const at = daemon.clock.nowMs();
    await daemon.db.writes.write(tenantId, async (connection) => {
      for (let index = 0; index < count; index += 1) {
        await addConnection(connection, {
          ...{ tenantId, id: `con_${at}_${index}`, kind: 'device', tokenHash: `${at}_${index}`, client: 'laptop' },
          ...{ verifiedHost: null, address: null, scope: 'memory', openedBy: null },
          ...{ createdAt: at, lastUsedAt: at, expiresAt: at + HOUR_MS, endsAt: at + HOUR_MS },
        });
      }
    });
  }

  test('cannot sign the browsers of its owner out by opening many itself', async () => {
    const own = await openBrowser(daemon, { apiKey });
    const device = await connectDevice(daemon, apiKey);
    for (let count = 0; count <= MAX_OF_KIND; count += 1) {
      daemon.clock.advance(1000);
      await openBrowser(daemon, { ticket: await ticketOf(daemon, device) });
    }
    expect((await own.call('/v1/account')).status).toBe(200);
    const { body } = await own.call<{ data: { kind: string }[] }>('/v1/connections?limit=200');
    // And the one in which the owner signed in.
    expect(body.data.filter(({ kind }) => kind === 'page')).toHaveLength(MAX_OF_KIND + 2);
  });

  test('that ends because there are too many leaves no ticket', async () => {
    const first = await connectDevice(daemon, apiKey);
    const ticket = await ticketOf(daemon, first);
    daemon.clock.advance(1000);
    await storeDevices(MAX_OF_KIND - 1);
    daemon.clock.advance(1000);
    await connectDevice(daemon, apiKey);
    expect((await daemon.call(first, '/v1/account')).status).toBe(401);
    await expect(openBrowser(daemon, { ticket })).rejects.toThrow('no session: 410');
  });

  test('cannot send what the account stores to a provider of its choice', async () => {
    const device = await connectDevice(daemon, apiKey);
    const body = { baseUrl: 'https://elsewhere.example/v1' };
    const options = { method: 'PUT', body };
    const answer = await daemon.call(device, '/v1/provider-keys/openai-compatible', options);
    expect(answer).toMatchObject({ status: 403, body: { scope: 'account' } });
    expect((await daemon.call<{ data: [] }>(apiKey, '/v1/provider-keys')).body.data).toEqual([]);
  });
});

test('a device that was allowed is not connected once its address may no longer sign in', async () => {
  const invited = await startSignInDaemon({ config: { signup: 'invite' } });
  try {
    const email = freshAddress();
    await invited.accounts.invite(email);
    const { deviceCode, userCode, link } = await askByMail(invited, email);
    expect((await typeDeviceCode(invited, link, userCode)).status).toBe(200);
    await invited.accounts.withdraw(email);
    expect(await poll(invited, deviceCode)).toMatchObject({ status: 410, body: { code: 'gone' } });
    expect(await invited.accounts.list()).toEqual([]);
  } finally {
    await invited.close();
  }
});
