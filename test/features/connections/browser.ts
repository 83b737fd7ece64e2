import type { Session } from '../../../src/contract/connections.ts';
import type { Answer, CallOptions, TestDaemon } from '../../helpers/daemon.ts';
import { fromElsewhere } from '../../helpers/sign-in.ts';

/** What a browser sends with the requests of the web app. */
export const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

/** A browser that is signed in. */
export interface Browser {
  session: Session;
  /** Such as `svc_session=…`. */
  cookie: string;
  /** Sends a request as the web app does: with the cookie and, unless it is a GET, the csrf token. */
  call<T = Record<string, unknown>>(path: string, options?: CallOptions): Promise<Answer<T>>;
}

/** The session cookie that an answer sets, as a browser sends it back. */
export function sessionCookieIn({ headers }: Answer<unknown>): string {
  const cookie = headers.getSetCookie().find((one) => /^(svc_session|__Host-svc)=/.test(one));
  return cookie?.split(';')[0] ?? '';
}

/** Signs a browser in with an API key, or with a ticket. */
export async function openBrowser(daemon: TestDaemon, by: { apiKey: string } | { ticket: string }): Promise<Browser> {
  const isKey = 'apiKey' in by;
  const answer = await daemon.call<Session>(isKey ? by.apiKey : undefined, '/v1/session', {
    body: isKey ? {} : by,
    headers: { ...SAME_ORIGIN, ...fromElsewhere() },
  });
  if (answer.status !== 201) throw new Error(`no session: ${answer.status} ${answer.text}`);
  return browserWith(daemon, sessionCookieIn(answer), answer.body);
}

export function browserWith(daemon: TestDaemon, cookie: string, session: Session): Browser {
  return {
    session,
    cookie,
    call: (path, options = {}) => {
      const method = options.method ?? (options.body === undefined ? 'GET' : 'POST');
      const csrf: Record<string, string> = method === 'GET' || method === 'HEAD' ? {} : { 'x-svc-csrf': session.csrf };
      const headers = { cookie, ...SAME_ORIGIN, ...fromElsewhere(), ...csrf, ...options.headers };
      return daemon.call(undefined, path, { ...options, method, headers });
    },
  };
}

/** Makes a ticket with an API key. */
export async function ticketOf(daemon: TestDaemon, apiKey: string): Promise<string> {
  return (await daemon.call<{ ticket: string }>(apiKey, '/v1/session/ticket', { method: 'POST' })).body.ticket;
}
