import type { DeviceCodes, NewDevice, WaitingDevice } from '../../contract/devices.ts';
import { AppError } from '../../contract/errors.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, toTimestamp } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import type { Sealer } from '../../lib/seal.ts';
import { equalSecrets, hashSecret, mintCode, mintToken, normalizeCode } from '../../lib/secret.ts';
import type { Accounts } from '../accounts/accounts.ts';
import { normalizeEmail } from '../accounts/email-address.ts';
import { requireValid } from '../connections/credential-check.ts';
import type { Devices } from '../connections/devices.ts';
import type { Principal } from '../keys/keys.ts';
import type { MailQueue } from '../mail/mail-queue.ts';
import {
  type DeviceRequestRow,
  deleteDeviceRequest,
  deleteExpiredRequests,
  findDeviceRequest,
  findWaiting,
  insertDeviceRequest,
  updateDecision,
  updatePolled,
} from './device-requests-store.ts';
import type { MailedLinks } from './mailed-links.ts';
import { gone, isOpen, MAX_WRONG_CODES } from './sign-in.ts';
import { findSignIn, updateUsed, updateWrongCodes } from './sign-in-store.ts';

/** Outcome of a poll: the token, handed out once, or when to ask again. */
type Polled = { token: string } | { intervalSeconds: number };

/**
 * Connects devices without a key (after RFC 8628). A terminal names the email address of an account; its owner allows
 * the device in the web app or with a mailed link. The API key does not change.
 */
export interface DeviceSignIn {
  /**
   * Begins a request and queues the mail. Response and work are the same for every address, as for a sign-in. Throws
   * `invalid_request` if `email` is not an address.
   */
  begin(device: NewDevice, address: string): Promise<DeviceCodes>;
  /** Collects the token. Throws `rate_limited` if asked too often, `forbidden` if denied, `gone` if expired or collected. */
  poll(deviceCode: string): Promise<Polled>;
  /** Returns the device with a code. Throws `gone` if nothing waits with this code for the caller's account. */
  inspect(principal: Principal, userCode: string): Promise<WaitingDevice>;
  /**
   * Allows or denies the device of a code. Throws `gone` as `inspect` does, and `unauthenticated` if the caller's key or
   * session ends meanwhile.
   */
  decide(principal: Principal, userCode: string, allow: boolean): Promise<void>;
  /**
   * Allows the device of a mailed link with the code that its terminal shows. Returns the name of the device. Throws
   * `gone`, and `invalid_request` for a wrong code; five void the link.
   */
  confirm(token: string, userCode: string): Promise<string>;
  sweep(): Promise<void>;
}

interface Dependencies {
  db: Database;
  clock: Clock;
  random: Random;
  sealer: Sealer;
  devices: Devices;
  accounts: Accounts;
  links: MailedLinks;
  mailQueue: MailQueue;
  publicUrl: () => string;
}

const REQUEST_MINUTES = 10;
const INTERVAL_MS = 2000;
/** Tolerance for differing network delays of polls. */
const TOLERANCE_MS = 500;

/** Creates the requests of devices of a daemon. */
export function createDeviceSignIn(dependencies: Dependencies): DeviceSignIn {
  const { db, clock, random, sealer, devices, accounts, links, mailQueue, publicUrl } = dependencies;
  const hashOf = (userCode: string) => sealer.authenticate(normalizeCode(userCode), 'device code');

  async function waiting({ email }: Principal, userCode: string): Promise<DeviceRequestRow> {
    const row = await findWaiting(db.readers, { email, userCodeHash: hashOf(userCode), nowMs: clock.nowMs() });
    if (!row) throw noSuchCode();
    return row;
  }

  /** The request of a token, if it is not decided yet and has not expired. */
  async function open(connection: Connection, deviceCodeHash: string): Promise<DeviceRequestRow> {
    const row = await findDeviceRequest(connection, deviceCodeHash);
    if (!row || row.decision !== null || row.expiresAt <= clock.nowMs()) throw gone();
    return row;
  }

  async function collect(connection: Connection, row: DeviceRequestRow): Promise<string> {
    await accounts.keep(connection, row.email);
    if (!(await deleteDeviceRequest(connection, row.deviceCodeHash))) throw expired();
    // An invitation may have been withdrawn since the device was allowed.
    if (!(await accounts.canSignIn(connection, row.email))) throw gone();
    const { tenantId } = await accounts.findOrCreate(connection, row.email);
    return devices.connect(connection, tenantId, { client: `${row.name} on ${row.system}`, address: row.address });
  }

  return {
    async begin({ email: typed, name, system }, address) {
      const email = normalizeEmail(typed);
      const [deviceCode, userCode, nowMs] = [mintToken(random), mintCode(random), clock.nowMs()];
      const deviceCodeHash = hashSecret(deviceCode);
      const expiresAt = nowMs + REQUEST_MINUTES * 60_000;
      const device = printable(name);
      await db.writes.write('daemon', async (connection) => {
        await insertDeviceRequest(connection, {
          ...{
            deviceCodeHash,
            userCodeHash: hashOf(userCode),
            email,
            name: device,
            system: printable(system),
            address,
          },
          ...{ createdAt: nowMs, expiresAt, intervalMs: INTERVAL_MS, polledAt: null, decision: null },
        });
        await links.add(connection, { kind: 'device', email, device, deviceCodeHash, minutes: REQUEST_MINUTES });
      });
      mailQueue.wake();
      const verificationUrl = `${publicUrl()}/dashboard/connect`;
      return {
        ...{ deviceCode, userCode, verificationUrl },
        verificationUrlComplete: `${verificationUrl}?device=${userCode}`,
        intervalSeconds: INTERVAL_MS / 1000,
        expiresAt: toTimestamp(expiresAt),
      };
    },
    async poll(deviceCode) {
      const deviceCodeHash = hashSecret(deviceCode);
      if (!(await findDeviceRequest(db.readers, deviceCodeHash))) throw expired();
      const polled = await db.writes.write('daemon', async (connection) => {
        const nowMs = clock.nowMs();
        const row = await findDeviceRequest(connection, deviceCodeHash);
        if (!row || row.expiresAt <= nowMs) throw expired();
        if (row.decision === 'denied') throw new AppError('forbidden', 'The device was denied. Nothing was connected.');
        if (row.decision === 'allowed') return { token: await collect(connection, row) };
        const isTooFast = row.polledAt !== null && nowMs - row.polledAt < row.intervalMs - TOLERANCE_MS;
        const intervalMs = isTooFast ? row.intervalMs + INTERVAL_MS : row.intervalMs;
        await updatePolled(connection, deviceCodeHash, { polledAt: nowMs, intervalMs });
        return { intervalSeconds: intervalMs / 1000, isTooFast };
      });
      // Not thrown in the transaction, which would roll back the longer interval.
      if ('isTooFast' in polled && polled.isTooFast) throw tooFast(polled.intervalSeconds);
      return polled;
    },
    async inspect(principal, userCode) {
      const { name, system, address, createdAt, expiresAt } = await waiting(principal, userCode);
      return { name, system, address, createdAt: toTimestamp(createdAt), expiresAt: toTimestamp(expiresAt) };
    },
    async decide(principal, userCode, allow) {
      const { deviceCodeHash } = await waiting(principal, userCode);
      const decision = allow ? 'allowed' : 'denied';
      const isFirst = await db.writes.write('daemon', async (connection) => {
        const nowMs = clock.nowMs();
        await requireValid(connection, principal, nowMs);
        return updateDecision(connection, deviceCodeHash, { decision, nowMs });
      });
      if (!isFirst) throw noSuchCode();
    },
    async confirm(token, userCode) {
      const tokenHash = hashSecret(token);
      const outcome = await db.writes.write('daemon', async (connection) => {
        const nowMs = clock.nowMs();
        const link = await findSignIn(connection, tokenHash);
        if (!isOpen(link, nowMs) || link.deviceCodeHash === null) throw gone();
        const { name, userCodeHash } = await open(connection, link.deviceCodeHash);
        if (!equalSecrets(userCodeHash, hashOf(userCode))) {
          await updateWrongCodes(connection, { tokenHash }, MAX_WRONG_CODES);
          return { name: undefined, triesLeft: MAX_WRONG_CODES - 1 - link.wrongCodes };
        }
        await accounts.keep(connection, link.email);
        if (!(await accounts.canSignIn(connection, link.email))) throw gone();
        if (!(await updateUsed(connection, tokenHash, nowMs))) throw gone();
        if (!(await updateDecision(connection, link.deviceCodeHash, { decision: 'allowed', nowMs }))) throw gone();
        return { name };
      });
      if (outcome.name !== undefined) return outcome.name;
      const errors = [{ path: '/code', message: 'does not match the code in the terminal' }];
      throw new AppError('invalid_request', wrongCode(outcome.triesLeft), { errors });
    },
    sweep: () => db.writes.write('daemon', (connection) => deleteExpiredRequests(connection, clock.nowMs())),
  };
}

/** Removes invisible and bidirectional control characters, which could make a name look like another. */
function printable(name: string): string {
  return name.replace(/\p{C}/gu, '').trim() || 'a terminal';
}

function noSuchCode(): AppError {
  const message = 'No device waits for this account with this code. Check the code, or run svc login --device again.';
  return new AppError('gone', message);
}

function tooFast(intervalSeconds: number): AppError {
  const message = `Ask for the token at most once every ${intervalSeconds} seconds.`;
  return new AppError('rate_limited', message, { retryAfterSeconds: intervalSeconds });
}

function expired(): AppError {
  return new AppError('gone', 'This request has expired or was used. Run svc login --device again.');
}

function wrongCode(triesLeft: number): string {
  if (triesLeft === 0) return 'Wrong code. That was the last try. Run svc login --device again.';
  const left = `${triesLeft} ${triesLeft === 1 ? 'try' : 'tries'} left`;
  return `Wrong code, ${left}. Open the link again and type the code that the terminal shows.`;
}
