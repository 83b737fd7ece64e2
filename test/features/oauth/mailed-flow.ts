import type { Answer, TestDaemon } from '../../helpers/daemon.ts';
import { cookiesOf, fromElsewhere, tokenIn } from '../../helpers/sign-in.ts';
import { SAME_ORIGIN } from '../connections/browser.ts';
import { sendForm } from './oauth-flow.ts';

const PAGE = { accept: 'text/html', ...SAME_ORIGIN };

/** Opens the page of an authorization request without a session. Returns the cookie that the browser has then. */
export async function openRequest(daemon: TestDaemon, query: string, cookie = ''): Promise<string> {
  const answer = await daemon.call(undefined, `/v1/oauth/authorize?${query}`, {
    headers: { ...fromElsewhere(), ...(cookie && { cookie }) },
  });
  return cookiesOf(answer);
}

/** Submits the form that asks for an address. */
export function askForLink(
  daemon: TestDaemon,
  asked: { query: string; email: string; cookie: string },
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { query, email, cookie } = asked;
  return sendForm(daemon, `/v1/oauth/authorize?${query}`, { email }, { ...PAGE, cookie, ...headers });
}

/** A mailed link, and the browser that asked for it. */
export interface Asked {
  link: string;
  cookie: string;
}

/** Opens a request in a new browser, and has the link mailed. */
export async function askByMail(daemon: TestDaemon, query: string, email: string): Promise<Asked> {
  const after = (await daemon.mailbox.mailsTo(email)).at(-1)?.name;
  const cookie = await openRequest(daemon, query);
  const answer = await askForLink(daemon, { query, email, cookie });
  if (answer.status !== 200) throw new Error(`no link: ${answer.status} ${answer.text}`);
  return { cookie, link: await daemon.mailbox.latestLink(email, { after }) };
}

/** Opens a mailed link. */
export function openLink(
  daemon: TestDaemon,
  { link, cookie }: Asked,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { pathname, search } = new URL(link);
  const more = { accept: 'text/html', ...(cookie && { cookie }), ...fromElsewhere(), ...headers };
  return daemon.call(undefined, pathname + search, { headers: more });
}

/** Presses Allow or Deny on the page of a mailed link. */
export function press(
  daemon: TestDaemon,
  { link, cookie }: Asked,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const all = { token: tokenIn(link), decision: 'allow', ...fields };
  return sendForm(daemon, '/v1/oauth/confirm', all, { ...PAGE, ...(cookie && { cookie }), ...headers });
}

/** Where an answer sends the browser. */
export function returnOf({ headers }: Answer): URL {
  return new URL((headers.get('refresh') ?? '').replace(/^0; url=/, ''));
}
