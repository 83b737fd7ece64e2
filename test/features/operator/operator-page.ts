import type { OperatorSession } from '../../../src/contract/operator.ts';
import { issueOperatorTicket } from '../../../src/features/operator/operator-sessions.ts';
import { systemRandom } from '../../../src/lib/random.ts';
import type { Answer, CallOptions, TestDaemon } from '../../helpers/daemon.ts';
import { SAME_ORIGIN } from '../connections/browser.ts';

/** The operator's view in a browser on the daemon's machine. */
export interface OperatorPage {
  csrf: string;
  /** Such as `svc_operator=…`. */
  cookie: string;
  /** Sends a request as the page does: with the cookie and the csrf token. */
  call<T = Record<string, unknown>>(path: string, options?: CallOptions): Promise<Answer<T>>;
}

/** Makes a ticket as `svc admin open` does. */
export async function operatorTicket({ db, clock }: TestDaemon): Promise<string> {
  return (await issueOperatorTicket({ db, clock, random: systemRandom })).ticket;
}

/** Sends a ticket as the page does. */
export function redeem(daemon: TestDaemon, ticket: string, headers: Record<string, string> = {}) {
  const options = { body: { ticket }, headers: { ...SAME_ORIGIN, ...headers } };
  return daemon.call<OperatorSession>(undefined, '/v1/operator/session', options);
}

export async function openOperatorPage(daemon: TestDaemon): Promise<OperatorPage> {
  const answer = await redeem(daemon, await operatorTicket(daemon));
  if (answer.status !== 201) throw new Error(`no session: ${answer.status} ${answer.text}`);
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const { csrf } = answer.body;
  return {
    csrf,
    cookie,
    call: (path, options = {}) =>
      daemon.call(undefined, `/v1/operator${path}`, {
        ...options,
        headers: { cookie, 'x-svc-csrf': csrf, ...SAME_ORIGIN, ...options.headers },
      }),
  };
}

/** Every route of the operator, with a request that it accepts. */
export const OPERATOR_REQUESTS: readonly { path: string; method: string; body?: object }[] = [
  { path: '/session', method: 'POST', body: { ticket: 'x'.repeat(43) } },
  { path: '/session', method: 'GET' },
  { path: '/session', method: 'DELETE' },
  { path: '/overview', method: 'GET' },
  { path: '/tenants', method: 'GET' },
  { path: '/tenants/ten_0', method: 'PATCH', body: { tier: 'Pro' } },
  { path: '/tenants/ten_0', method: 'DELETE' },
  { path: '/invitations', method: 'GET' },
  { path: '/invitations', method: 'POST', body: { email: 'ada@example.com' } },
  { path: '/invitations/ada%40example.com', method: 'DELETE' },
  { path: '/check', method: 'POST' },
  { path: '/backup', method: 'POST' },
];
