import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ProviderSettings, ProviderSettingsChange } from '../../../src/contract/provider-settings.ts';
import type { ProviderServer } from '../../helpers/providers/server.ts';
import { connectDevice } from '../connections/device.ts';
import type { Caller, MemoryDaemon } from '../memories/memory-daemon.ts';
import { putKey, startProviderDaemon, startProviderServer } from './provider-daemon.ts';

const KEY = 'sk-test-0123456789abcdef';
const CAPS = { dailyTokens: 1000, dailySpend: 5, pricePerMillion: { input: 1, output: 2 } };

let daemon: MemoryDaemon;
let server: ProviderServer;
let owner: Caller;
let device: string;

beforeAll(async () => {
  daemon = await startProviderDaemon();
  server = await startProviderServer('openai', { key: KEY });
  owner = await daemon.account();
  device = await connectDevice(daemon, owner.apiKey);
  await putKey(owner, server, KEY);
});
afterAll(async () => {
  await daemon.close();
  await server.close();
});

const change = (key: string, body: ProviderSettingsChange) =>
  daemon.call<ProviderSettings>(key, '/v1/provider-settings', { method: 'PATCH', body });
const settings = async () => (await owner.call<ProviderSettings>('/v1/provider-settings')).body;

test.each<[string, ProviderSettingsChange]>([
  ['raise the token cap', { extraction: { dailyTokens: 1001 } }],
  ['remove the token cap', { extraction: { dailyTokens: null } }],
  ['raise the spending cap', { extraction: { dailySpend: 5.01 } }],
  ['remove the spending cap', { extraction: { dailySpend: null } }],
  ['change the prices that the spend is calculated with', { extraction: { pricePerMillion: { input: 0, output: 0 } } }],
  ['send conversations to a provider', { extraction: { onAppend: true } }],
  ['choose the model of extraction', { extraction: { model: { provider: 'openai', model: 'gpt-4.1-mini' } } }],
  ['raise one cap while it lowers the other', { extraction: { dailyTokens: 10, dailySpend: 6 } }],
])('a device cannot %s; the API key can', async (_, body) => {
  expect((await change(owner.apiKey, { extraction: { onAppend: false, model: null, ...CAPS } })).status).toBe(200);
  const { extraction } = await settings();
  expect(await change(device, body)).toMatchObject({ status: 403, body: { code: 'forbidden', scope: 'account' } });
  expect((await settings()).extraction).toEqual(extraction);
  expect((await change(owner.apiKey, body)).status).toBe(200);
});

test('a device can lower the caps, and set one where there was none', async () => {
  await change(owner.apiKey, { extraction: { ...CAPS, dailySpend: null } });
  const lower = { dailyTokens: 999, dailySpend: 4.5 };
  const answer = await change(device, { extraction: lower });
  expect(answer).toMatchObject({ status: 200, body: { extraction: lower } });
});

test('a device cannot check or remove a provider key; the API key can', async () => {
  const caller = await daemon.account();
  const token = await connectDevice(daemon, caller.apiKey);
  await putKey(caller, server, KEY);
  const path = '/v1/provider-keys/openai';
  const refused = { status: 403, body: { scope: 'account' } };
  server.requests.length = 0;
  expect(await daemon.call(token, `${path}/validate`, { method: 'POST' })).toMatchObject(refused);
  expect(await daemon.call(token, path, { method: 'DELETE' })).toMatchObject(refused);
  expect(server.requests).toEqual([]);
  expect((await caller.call(path)).status).toBe(200);
  expect((await caller.call(`${path}/validate`, { method: 'POST' })).status).toBe(200);
  expect((await caller.call(path, { method: 'DELETE' })).status).toBe(204);
});
