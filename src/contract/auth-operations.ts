import { EXAMPLE_ACCOUNT } from './account-operations.ts';
import { PRIVATE, tagged } from './operations.ts';

/** Headers of every sign-in response. */
const PAGE = [...PRIVATE, 'Content-Security-Policy', 'X-Frame-Options', 'Set-Cookie'];

export const AUTH_OPERATIONS = tagged('auth', {
  'POST /v1/auth/magic-link': {
    id: 'auth.requestLink',
    summary: 'Mail a sign-in link',
    description:
      'Mails a link that signs in once, within 15 minutes. The response is the same for known, unknown and refused addresses. `login` starts the sign-in of a terminal.',
    request: { email: 'ada@example.com' },
    answer: { status: 'sent', expiresAt: '2026-11-22T04:19:00.000Z' },
    headers: [...PRIVATE, 'Set-Cookie'],
  },
  'POST /v1/auth/token': {
    id: 'auth.redeemCode',
    summary: 'Redeem the code of a terminal sign-in',
    description:
      'Exchanges the code of a terminal sign-in for an API key. The previous key is invalid from then on. Five wrong codes void the sign-in.',
    request: { code: 'WDJB-MJHT', codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' },
    answer: { apiKey: 'svc_live_0123456789abcdef0123456789abcdef', account: EXAMPLE_ACCOUNT },
    headers: PRIVATE,
    errors: ['gone'],
  },
  'POST /v1/auth/device': {
    id: 'auth.beginDevice',
    summary: 'Request to connect a device',
    description:
      'Requests to connect a device to the account of an email address, without its API key. The device can be allowed with the link that is mailed to this address, or with `userCode` in a browser that is signed in to the account. The response is the same for known, unknown and refused addresses. Expires after ten minutes.',
    request: { email: 'ada@example.com', name: 'ada-laptop', system: 'Linux' },
    answer: {
      deviceCode: '4yF0pX7mWcJr2kS9vQ1tZ8nB6hL3dGaE5uYoIxTqCwM',
      userCode: 'WDJB-MJHT',
      verificationUrl: 'https://memory.example.com/dashboard/connect',
      verificationUrlComplete: 'https://memory.example.com/dashboard/connect?device=WDJB-MJHT',
      intervalSeconds: 2,
      expiresAt: '2026-11-22T04:14:08.655Z',
    },
    headers: PRIVATE,
  },
  'POST /v1/auth/device/token': {
    id: 'auth.collectDevice',
    summary: 'Collect the token of a device',
    description:
      'Returns the token of a device, once, after it was allowed; until then the status is `pending`. Send the token like an API key. It can read and change memories, but not manage the account. Polling too fast is 429 and lengthens the interval; a denied device gets 403.',
    request: { deviceCode: '4yF0pX7mWcJr2kS9vQ1tZ8nB6hL3dGaE5uYoIxTqCwM' },
    answer: {
      status: 'connected',
      token: 'svc_dev_4yF0pX7mWcJr2kS9vQ1tZ8nB6hL3dGaE5uYoIxTqCwM',
      account: {
        ...EXAMPLE_ACCOUNT,
        credential: {
          kind: 'device',
          scope: 'memory',
          id: 'con_01a2016cf94e74d8802b9a1e9b0015cd',
          client: 'ada-laptop on Linux',
        },
      },
    },
    headers: PRIVATE,
    errors: ['forbidden', 'gone'],
  },
  'POST /v1/auth/device/request': {
    id: 'auth.getDevice',
    summary: 'Get a waiting device by its code',
    personal: true,
    description: "Returns the device with this code that waits to be connected to the caller's account.",
    request: { userCode: 'WDJB-MJHT' },
    answer: {
      name: 'ada-laptop',
      system: 'Linux',
      address: '203.0.113.7',
      createdAt: '2026-11-22T04:04:08.655Z',
      expiresAt: '2026-11-22T04:14:08.655Z',
    },
    headers: PRIVATE,
    errors: ['gone'],
    scope: 'account',
  },
  'POST /v1/auth/device/decision': {
    id: 'auth.decideDevice',
    summary: 'Allow or deny a device',
    personal: true,
    description:
      "Allows or denies, once, the device with this code that waits to be connected to the caller's account.",
    request: { userCode: 'WDJB-MJHT', allow: true },
    headers: PRIVATE,
    errors: ['gone'],
    scope: 'account',
  },
  'GET /v1/auth/callback': {
    id: 'auth.openLink',
    summary: 'Open the mailed link: shows a confirmation page',
    description:
      'Shows a page with a button, and consumes nothing: mail scanners follow links. In the browser that asked for the link, it signs in at once. Errors are a page if the caller accepts HTML.',
    answer: '<!doctype html>…',
    headers: PAGE,
    errors: ['gone'],
  },
  'POST /v1/auth/callback': {
    id: 'auth.confirmLink',
    summary: 'Confirm the sign-in and consume the link',
    description:
      'Consumes the link, invalidates the previous key, and redirects to the dashboard with the new key in the fragment. The sign-in of a terminal shows its code instead. The link of a device needs `code`, and issues no key. Errors are a page if the caller accepts HTML.',
    request: { token: '4yF0pX7mWcJr2kS9vQ1tZ8nB6hL3dGaE5uYoIxTqCwM' },
    answer: '<!doctype html>…',
    headers: PAGE,
    errors: ['forbidden', 'gone'],
  },
});
