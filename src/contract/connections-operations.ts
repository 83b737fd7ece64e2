import { type Operations, PRIVATE, tagged } from './operations.ts';

/** Headers of responses that carry a secret. */
const TICKET = '4yF0pX7mWcJr2kS9vQ1tZ8nB6hL3dGaE5uYoIxTqCwM';

const CONNECTION = {
  id: 'con_01a2016cf94e74d8802b9a1e9b0015cd',
  kind: 'page',
  client: 'Firefox on Linux',
  verifiedHost: null,
  scope: 'account',
  address: '203.0.113.7',
  space: null,
  createdAt: '2026-11-22T04:04:08.655Z',
  lastUsedAt: '2026-11-22T04:04:46.504Z',
  expiresAt: '2026-12-22T04:04:08.655Z',
  current: false,
};

const SESSION = {
  id: CONNECTION.id,
  csrf: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
  createdAt: CONNECTION.createdAt,
  expiresAt: CONNECTION.expiresAt,
};

export const CONNECTION_OPERATIONS: Operations = {
  ...tagged('session', {
    'POST /v1/session': {
      id: 'session.create',
      summary: 'Sign a browser in with an API key or a ticket',
      personal: true,
      description:
        'Signs a browser in with an API key, or without one with a ticket. Sets an HttpOnly cookie. The session ends after 12 hours without a request, and after 30 days. The API key does not change. A session that the browser has already is replaced; one of another account must be signed out first (409). Pages of other origins are refused.',
      request: { ticket: TICKET },
      optionalBody: true,
      answer: SESSION,
      headers: [...PRIVATE, 'Set-Cookie'],
      errors: ['conflict', 'gone'],
    },
    'GET /v1/session': {
      id: 'session.get',
      summary: 'Get the session of the browser',
      personal: true,
      description:
        "Returns the session of the request's cookie with its csrf token. Requests without a session get 404.",
      answer: SESSION,
      headers: PRIVATE,
      errors: ['not_found'],
    },
    'DELETE /v1/session': {
      id: 'session.delete',
      summary: 'Sign the browser out',
      personal: true,
      description:
        'Signs the browser out: ends its session and removes the cookie. Requests without a session get 404.',
      headers: [...PRIVATE, 'Set-Cookie'],
      errors: ['not_found'],
    },
    'POST /v1/session/ticket': {
      id: 'session.createTicket',
      summary: 'Make a ticket that opens a session once',
      personal: true,
      description:
        'Makes a ticket that opens one session within 60 seconds, so that a program can open the web app signed in without passing a key on. The session has the scope of the credential of this request.',
      answer: {
        ticket: TICKET,
        url: `https://memory.example.com/dashboard#ticket=${TICKET}`,
        expiresAt: '2026-11-22T04:05:08.655Z',
      },
      headers: PRIVATE,
    },
    'POST /v1/session/ticket/check': {
      id: 'session.checkTicket',
      summary: 'Name the account that a ticket opens',
      description:
        'Names the account that a ticket opens, without using it up, so that a page can ask before it signs in. Pages of other origins are refused.',
      request: { ticket: TICKET },
      answer: { email: 'ada@example.com' },
      headers: PRIVATE,
      errors: ['forbidden', 'gone'],
    },
  }),
  ...tagged('connections', {
    'GET /v1/connections': {
      id: 'connections.list',
      summary: 'List what may use the account besides its API key',
      personal: true,
      description: 'Lists what may use the account besides its API key, page by page, latest first.',
      answer: { data: [CONNECTION], nextCursor: null },
    },
    'GET /v1/connections/{id}': {
      id: 'connections.get',
      summary: 'Get a connection',
      personal: true,
      description: 'Returns a connection that has not ended.',
      answer: CONNECTION,
      etag: true,
    },
    'PATCH /v1/connections/{id}': {
      id: 'connections.update',
      summary: 'Bind a connection to a space',
      personal: true,
      scope: 'account',
      description:
        'Lets a device or an OAuth client act in one space only, with no more than the role of the caller there, or in none in particular. It ends the browser sessions that the connection opened. `If-Match` ignores when it was used.',
      request: { space: 'team' },
      answer: { ...CONNECTION, kind: 'device', space: 'ten_01a2016dc1a07b1e8d3f5a6b7c8d9e0f' },
      etag: true,
      errors: ['conflict', 'unprocessable'],
    },
    'DELETE /v1/connections/{id}': {
      id: 'connections.delete',
      summary: 'End a connection',
      personal: true,
      description:
        'Ends a connection at once, with the sessions that it opened. Without the scope `account`, a connection can end only itself and those sessions. `If-Match` ignores when it was used.',
      etag: true,
    },
  }),
};
