import type { Account, TokenAnswer, Usage, UsageQuery } from '../contract/account.ts';
import type { MagicLinkAnswer, MagicLinkRequest, TokenRequest } from '../contract/auth.ts';
import type {
  DeviceCode,
  DeviceCodes,
  DeviceDecision,
  DeviceToken,
  DeviceTokenRequest,
  NewDevice,
  WaitingDevice,
} from '../contract/devices.ts';
import type { ApiPromise } from './api-promise.ts';
import type { CallOptions, ChangeOptions } from './call-options.ts';
import { queryString, type Transport } from './transport.ts';

/** Calls for signing in, and for the account or the space in which the client acts. `own` acts in the account alone. */
export function accountCalls({ send }: Transport, own: Transport) {
  return {
    auth: {
      /** Mails a sign-in link. */
      requestLink: (request: MagicLinkRequest, options?: CallOptions): ApiPromise<MagicLinkAnswer> =>
        own.send('POST', '/v1/auth/magic-link', request, options),
      /** Redeems the code that a sign-in from a terminal showed. */
      redeemCode: (request: TokenRequest, options?: CallOptions): ApiPromise<TokenAnswer> =>
        own.send('POST', '/v1/auth/token', request, options),
      /** Requests to connect a device, without a key. */
      beginDevice: (request: NewDevice, options?: CallOptions): ApiPromise<DeviceCodes> =>
        own.send('POST', '/v1/auth/device', request, options),
      /** Returns the token of a device, once; until it is allowed, how long to wait. */
      collectDevice: (request: DeviceTokenRequest, options?: CallOptions): ApiPromise<DeviceToken> =>
        own.send('POST', '/v1/auth/device/token', request, options),
      /** Returns the waiting device with this code. */
      getDevice: (request: DeviceCode, options?: CallOptions): ApiPromise<WaitingDevice> =>
        own.send('POST', '/v1/auth/device/request', request, options),
      /** Allows or denies the waiting device with this code. */
      decideDevice: (request: DeviceDecision, options?: CallOptions): ApiPromise<void> =>
        own.send('POST', '/v1/auth/device/decision', request, options),
      /** Revokes the key of this client. */
      revokeKey: (options?: CallOptions): ApiPromise<void> => own.send('DELETE', '/v1/auth/key', undefined, options),
    },
    account: {
      get: (options?: CallOptions): ApiPromise<Account> => send('GET', '/v1/account', undefined, options),
      /** Erases the account and everything it stores. */
      delete: (options?: ChangeOptions): ApiPromise<void> => own.send('DELETE', '/v1/account', undefined, options),
    },
    usage: {
      /** Returns requests, memories, queries and model calls by day, for 30 days by default. */
      get: (query: UsageQuery = {}, options?: CallOptions): ApiPromise<Usage> =>
        send('GET', `/v1/usage${queryString(query)}`, undefined, options),
    },
  };
}
