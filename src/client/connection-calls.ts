import type {
  CheckedTicket,
  Connection,
  ConnectionChange,
  ConnectionsQuery,
  NewSession,
  Session,
  SessionTicket,
  TicketCheck,
} from '../contract/connections.ts';
import type { ApiPromise, PagePromise } from './api-promise.ts';
import type { CallOptions, ChangeOptions } from './call-options.ts';
import type { Transport } from './transport.ts';

/** Calls for the sessions of browsers, and for all that may use the account besides its key. */
export function connectionCalls({ send, list }: Transport) {
  const path = (id: string) => `/v1/connections/${encodeURIComponent(id)}`;
  return {
    session: {
      /** Signs this browser in with a ticket, or with the key of this client. */
      create: (request: NewSession = {}, options?: CallOptions): ApiPromise<Session> =>
        send('POST', '/v1/session', request, options),
      /** Returns the session of this browser with its csrf token. */
      get: (options?: CallOptions): ApiPromise<Session> => send('GET', '/v1/session', undefined, options),
      /** Signs this browser out. */
      delete: (options?: CallOptions): ApiPromise<void> => send('DELETE', '/v1/session', undefined, options),
      /** Makes a ticket that opens one session in the web app. */
      createTicket: (options?: CallOptions): ApiPromise<SessionTicket> =>
        send('POST', '/v1/session/ticket', undefined, options),
      /** Names the account that a ticket opens. */
      checkTicket: (request: TicketCheck, options?: CallOptions): ApiPromise<CheckedTicket> =>
        send('POST', '/v1/session/ticket/check', request, options),
    },
    connections: {
      /** Lists what may use the account besides its key, latest first. */
      list: (query?: ConnectionsQuery, options?: CallOptions): PagePromise<Connection> =>
        list('/v1/connections', query, options),
      get: (id: string, options?: CallOptions): ApiPromise<Connection> => send('GET', path(id), undefined, options),
      /** Lets a device or an assistant act in one space only, or, with null, in none in particular. */
      update: (id: string, change: ConnectionChange, options?: ChangeOptions): ApiPromise<Connection> =>
        send('PATCH', path(id), change, options),
      /** Ends a connection at once. */
      delete: (id: string, options?: ChangeOptions): ApiPromise<void> => send('DELETE', path(id), undefined, options),
    },
  };
}
