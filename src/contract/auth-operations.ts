import { EXAMPLE_ACCOUNT } from './account-operations.ts';
import type { Operations } from './operations.ts';

/** Headers of every sign-in response. */
const PRIVATE = ['Cache-Control', 'Referrer-Policy'];
const PAGE = [...PRIVATE, 'Content-Security-Policy', 'X-Frame-Options', 'Set-Cookie'];

export const AUTH_OPERATIONS: Operations = {
  'POST /v1/auth/magic-link': {
    id: 'auth.requestLink',
    description:
      'Mails a link that signs in once, within 15 minutes. The response is the same for known, unknown and refused addresses. `login` starts the sign-in of a terminal.',
    request: { email: 'ada@example.com' },
    answer: { status: 'sent', expiresAt: '2026-11-22T04:19:00.000Z' },
    headers: [...PRIVATE, 'Set-Cookie'],
  },
  'POST /v1/auth/token': {
    id: 'auth.redeemCode',
    description:
      'Exchanges the code of a terminal sign-in for an API key. The previous key is invalid from then on. Five wrong codes void the sign-in.',
    request: { code: 'WDJB-MJHT', codeVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' },
    answer: { apiKey: 'svc_live_0123456789abcdef0123456789abcdef', account: EXAMPLE_ACCOUNT },
    headers: PRIVATE,
    errors: ['gone'],
  },
  'GET /v1/auth/callback': {
    id: 'auth.openLink',
    description:
      'Shows a page with a button, and consumes nothing: mail scanners follow links. In the browser that asked for the link, it signs in at once. Errors are a page if the caller accepts HTML.',
    answer: '<!doctype html>…',
    headers: PAGE,
    errors: ['gone'],
  },
  'POST /v1/auth/callback': {
    id: 'auth.confirmLink',
    description:
      'Consumes the link, invalidates the previous key, and redirects to the dashboard with the new key in the fragment. The sign-in of a terminal shows its code instead. Errors are a page if the caller accepts HTML.',
    request: { token: '4yF0pX7mWcJr2kS9vQ1tZ8nB6hL3dGaE5uYoIxTqCwM' },
    answer: '<!doctype html>…',
    headers: PAGE,
    errors: ['forbidden', 'gone'],
  },
};
