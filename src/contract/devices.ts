import { type Static, Type } from 'typebox';
import { Account } from './account.ts';
import { strict } from './common.ts';

const Moment = () => Type.String({ format: 'date-time' });
/** Printable text. */
const Label = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]+$', description });
const UserCode = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'The code that the terminal shows. Case, spaces and dashes do not matter',
});

/** A request to connect a device, as `svc login --device` sends it. */
export const NewDevice = Type.Object(
  {
    email: Type.String({
      minLength: 3,
      maxLength: 1000,
      description: 'The email address of the account to connect to',
    }),
    name: Label(100, 'The name of the machine'),
    system: Label(40, 'Its operating system, such as `Linux`'),
  },
  strict,
);
export type NewDevice = Static<typeof NewDevice>;

export const DeviceCodes = Type.Object({
  deviceCode: Type.String({ description: 'Collects the token once the device was allowed' }),
  userCode: Type.String({ description: 'To show to the user' }),
  verificationUrl: Type.String({ description: 'Where to enter the code' }),
  verificationUrlComplete: Type.String({ description: 'The same address with the code' }),
  intervalSeconds: Type.Integer({ description: 'The shortest time between two requests for the token' }),
  expiresAt: Moment(),
});
export type DeviceCodes = Static<typeof DeviceCodes>;

export const DeviceTokenRequest = Type.Object({ deviceCode: Type.String({ minLength: 1, maxLength: 200 }) }, strict);
export type DeviceTokenRequest = Static<typeof DeviceTokenRequest>;

const PendingDevice = Type.Object({ status: Type.Literal('pending'), intervalSeconds: Type.Integer() });
const ConnectedDevice = Type.Object({ status: Type.Literal('connected'), token: Type.String(), account: Account });

/** The answer to a poll for the token. */
export const DeviceToken = Type.Union([ConnectedDevice, PendingDevice]);
export type DeviceToken = Static<typeof DeviceToken>;

export const DeviceCode = Type.Object({ userCode: UserCode }, strict);
export type DeviceCode = Static<typeof DeviceCode>;

/** A device that waits to be allowed. */
export const WaitingDevice = Type.Object({
  name: Type.String({ description: 'The name that the machine gave, which is not verified' }),
  system: Type.String(),
  address: Type.String({ description: 'The IP address of the request' }),
  createdAt: Moment(),
  expiresAt: Moment(),
});
export type WaitingDevice = Static<typeof WaitingDevice>;

export const DeviceDecision = Type.Object({ userCode: UserCode, allow: Type.Boolean() }, strict);
export type DeviceDecision = Static<typeof DeviceDecision>;
