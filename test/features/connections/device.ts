import type { DeviceCodes, DeviceToken } from '../../../src/contract/devices.ts';
import type { Answer, CallOptions, TestDaemon } from '../../helpers/daemon.ts';
import { fromElsewhere, mailsAfterAll, tokenIn } from '../../helpers/sign-in.ts';

type Connected = Extract<DeviceToken, { status: 'connected' }>;

/** What a terminal on this machine asks for. */
export const LAPTOP = { name: 'laptop', system: 'Linux' };

/** Asks to connect a device, from a new network. */
export async function askForDevice(daemon: TestDaemon, email: string, device = LAPTOP): Promise<DeviceCodes> {
  const body = { email, ...device };
  const answer = await daemon.call<DeviceCodes>(undefined, '/v1/auth/device', { body, headers: fromElsewhere() });
  if (answer.status !== 201) throw new Error(`no codes: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Asks to connect a device, and returns the mailed link too. */
export async function askByMail(
  daemon: TestDaemon,
  email: string,
  device = LAPTOP,
): Promise<DeviceCodes & { link: string }> {
  const after = (await daemon.mailbox.mailsTo(email)).at(-1)?.name;
  const codes = await askForDevice(daemon, email, device);
  return { ...codes, link: await daemon.mailbox.latestLink(email, { after }) };
}

/** Asks for the token. */
export function poll(daemon: TestDaemon, deviceCode: string): Promise<Answer<Connected>> {
  const headers = fromElsewhere();
  return daemon.call(undefined, '/v1/auth/device/token', { body: { deviceCode }, headers });
}

/** Allows or denies the device of a code with an API key, or with what a browser calls. */
export function decide(
  daemon: TestDaemon,
  by: string | { call: (path: string, options: CallOptions) => Promise<Answer> },
  userCode: string,
  allow = true,
): Promise<Answer> {
  const options = { body: { userCode, allow }, headers: fromElsewhere() };
  const path = '/v1/auth/device/decision';
  return typeof by === 'string' ? daemon.call(by, path, options) : by.call(path, options);
}

/** Connects a device to the account of an API key. Returns its token. */
export async function connectDevice(daemon: TestDaemon, apiKey: string, device = LAPTOP): Promise<string> {
  const { email } = (await daemon.call<{ email: string }>(apiKey, '/v1/account')).body;
  const { deviceCode, userCode } = await askForDevice(daemon, email, device);
  const decided = await decide(daemon, apiKey, userCode);
  if (decided.status !== 204) throw new Error(`not allowed: ${decided.status} ${decided.text}`);
  // Its mail must not arrive later, as the newest of those to this address.
  await mailsAfterAll(daemon, email);
  return (await poll(daemon, deviceCode)).body.token;
}

/** Submits the form of a mailed link with a code. */
export function typeDeviceCode(
  daemon: TestDaemon,
  link: string,
  code: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return daemon.call(undefined, '/v1/auth/callback', {
    method: 'POST',
    body: new TextEncoder().encode(new URLSearchParams({ token: tokenIn(link), code }).toString()),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...fromElsewhere(), ...headers },
  });
}
