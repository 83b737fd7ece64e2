import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { NoContent } from '../../contract/common.ts';
import {
  DeviceCode,
  DeviceCodes,
  DeviceDecision,
  DeviceToken,
  DeviceTokenRequest,
  NewDevice,
  WaitingDevice,
} from '../../contract/devices.ts';
import type { Accounts } from '../accounts/accounts.ts';
import type { Devices } from '../connections/devices.ts';
import type { DeviceSignIn } from './device-sign-in.ts';
import { gone } from './sign-in.ts';
import type { LimitSignIns } from './sign-in-limit.ts';

interface Dependencies {
  deviceSignIn: DeviceSignIn;
  limitSignIns: LimitSignIns;
}

/** Routes for the terminal of a new device. Public: it has no credential yet. */
export function newDeviceRoutes({
  deviceSignIn,
  devices,
  accounts,
  limitSignIns,
}: Dependencies & { devices: Devices; accounts: Accounts }): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/auth/device',
      { schema: { security: [], body: NewDevice, response: { 201: DeviceCodes } } },
      async (request, reply) => {
        await limitSignIns(request.ip);
        return reply.code(201).send(await deviceSignIn.begin(request.body, request.ip));
      },
    );
    app.post(
      '/v1/auth/device/token',
      { schema: { security: [], body: DeviceTokenRequest, response: { 200: DeviceToken } } },
      async (request) => {
        const polled = await deviceSignIn.poll(request.body.deviceCode);
        if (!('token' in polled)) return { status: 'pending' as const, intervalSeconds: polled.intervalSeconds };
        const { token } = polled;
        const principal = await devices.authenticate(token, request.ip);
        if (!principal) throw gone();
        return { status: 'connected' as const, token, account: await accounts.view(principal) };
      },
    );
  };
}

/** Routes for the web app to allow a device. */
export function deviceRoutes({ deviceSignIn, limitSignIns }: Dependencies): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post(
      '/v1/auth/device/request',
      { schema: { body: DeviceCode, response: { 200: WaitingDevice } } },
      async (request) => {
        await limitSignIns(request.ip);
        return deviceSignIn.inspect(request.principal, request.body.userCode);
      },
    );
    app.post(
      '/v1/auth/device/decision',
      { schema: { body: DeviceDecision, response: { 204: NoContent } } },
      async (request, reply) => {
        await limitSignIns(request.ip);
        const { userCode, allow } = request.body;
        await deviceSignIn.decide(request.principal, userCode, allow);
        return reply.code(204).send(null);
      },
    );
  };
}
