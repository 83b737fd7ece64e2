import { type Static, Type } from 'typebox';
import { Nullable, Page, PageQuery, strict } from './common.ts';
import { SCOPES } from './scopes.ts';

const Moment = (description?: string) => Type.String({ format: 'date-time', ...(description && { description }) });

/** A device, session or OAuth client that may use an account besides its API key. */
export const Connection = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['page', 'device', 'oauth'], {
    description:
      'page: the session of a browser; device: a machine that `svc login --device` connected; oauth: an assistant that was allowed to use MCP',
  }),
  client: Type.String({ description: 'Such as `Firefox on Linux`' }),
  verifiedHost: Nullable(
    Type.String({
      description:
        'The host that vouches for the name of an assistant. Null if it chose the name itself, and for browsers and devices',
    }),
  ),
  scope: Type.Enum([...SCOPES], { description: 'What it may do, as in the account' }),
  address: Nullable(Type.String({ description: 'The IP address of its last use' })),
  space: Nullable(Type.String({ description: 'The only space in which it acts; null: as its scope allows' })),
  createdAt: Moment(),
  lastUsedAt: Moment('Precise to the minute'),
  expiresAt: Nullable(Moment('Sessions end earlier after 12 hours without a request; devices do not expire')),
  current: Type.Boolean({ description: 'Whether it made this request' }),
});
export type Connection = Static<typeof Connection>;
export const ConnectionPage = Page(Connection);

export const ConnectionChange = Type.Object(
  {
    space: Nullable(Type.String({ minLength: 1, maxLength: 64, description: 'Id or name of a space; null for none' })),
  },
  strict,
);
export type ConnectionChange = Static<typeof ConnectionChange>;

export const ConnectionsQuery = Type.Object(PageQuery, strict);
export type ConnectionsQuery = Static<typeof ConnectionsQuery>;

const TICKET_LENGTH = { minLength: 1, maxLength: 200 };

export const NewSession = Type.Object(
  {
    ticket: Type.Optional(Type.String({ ...TICKET_LENGTH, description: 'Of `svc open`; without it, send an API key' })),
  },
  strict,
);
export type NewSession = Static<typeof NewSession>;

export const TicketCheck = Type.Object(
  { ticket: Type.String({ ...TICKET_LENGTH, description: 'Of `svc open`' }) },
  strict,
);
export type TicketCheck = Static<typeof TicketCheck>;

export const CheckedTicket = Type.Object({
  email: Type.String({ description: 'The account that the ticket opens' }),
});
export type CheckedTicket = Static<typeof CheckedTicket>;

/** The session of a browser. Its token is only in the cookie. */
export const Session = Type.Object({
  id: Type.String({ description: 'The id of its connection' }),
  csrf: Type.String({ description: 'Send it as `X-Svc-Csrf` with every request except GET and HEAD' }),
  createdAt: Moment(),
  expiresAt: Moment('Ends earlier after 12 hours without a request'),
});
export type Session = Static<typeof Session>;

export const SessionTicket = Type.Object({
  ticket: Type.String({ description: 'Opens a session once' }),
  url: Type.String({ description: 'The web app, with the ticket in the fragment' }),
  expiresAt: Moment(),
});
export type SessionTicket = Static<typeof SessionTicket>;
