import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import type { Answer, CallOptions, TestDaemon, TestDaemonOptions } from './daemon.ts';
import { startTestDaemon } from './daemon.ts';

type Headers = Record<string, string>;

let networks = 0;
let people = 0;

/** Starts a daemon that trusts `X-Forwarded-For`, so that each step can come from a different network. */
export function startSignInDaemon({ config, ...rest }: TestDaemonOptions = {}): Promise<TestDaemon> {
  return startTestDaemon({ ...rest, config: { trustProxy: ['loopback'], ...config } });
}

/** The headers of a caller from a new network. */
export function fromElsewhere(): Headers {
  networks += 1;
  return { 'x-forwarded-for': `10.${(networks >> 16) & 255}.${(networks >> 8) & 255}.${networks & 255}` };
}

/** A new e-mail address. */
export function freshAddress(): string {
  people += 1;
  return `person${people}@example.com`;
}

export const tokenIn = (link: string): string => new URL(link).searchParams.get('token') ?? '';

/** Requests the mailed link itself. */
export function visit(daemon: TestDaemon, link: string, options: CallOptions = {}): Promise<Answer> {
  const { pathname, search } = new URL(link);
  return daemon.call(undefined, pathname + search, { ...options, headers: { ...fromElsewhere(), ...options.headers } });
}

/** Requests a link, each time from a new network. */
export function askFor(daemon: TestDaemon, body: object, headers: Headers = {}): Promise<Answer> {
  return daemon.call(undefined, '/v1/auth/magic-link', { body, headers: { ...fromElsewhere(), ...headers } });
}

/** Requests a link and returns the mailed one, with the cookies that the browser received. */
export async function receiveLink(
  daemon: TestDaemon,
  email: string,
  login?: object,
): Promise<{ link: string; cookie: string }> {
  const after = (await daemon.mailbox.mailsTo(email)).at(-1)?.name;
  const answer = await askFor(daemon, { email, ...(login && { login }) });
  if (answer.status !== 202) throw new Error(`no link: ${answer.status} ${answer.text}`);
  return { link: await daemon.mailbox.latestLink(email, { after }), cookie: cookiesOf(answer) };
}

/** The cookies of a response as a browser sends them back. */
export function cookiesOf({ headers }: Answer): string {
  return headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

/** Submits the form on the page of a link, with additional headers. */
export function pressButton(daemon: TestDaemon, link: string, headers: Headers = {}): Promise<Answer> {
  return daemon.call(undefined, '/v1/auth/callback', {
    method: 'POST',
    body: new TextEncoder().encode(new URLSearchParams({ token: tokenIn(link) }).toString()),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...fromElsewhere(), ...headers },
  });
}

/** The key in the redirect of a response, or `undefined`. */
export function keyIn({ headers }: Answer): string | undefined {
  return /#key=(svc_live_[0-9a-f]{32})$/.exec(headers.get('location') ?? '')?.[1];
}

/** Signs in with a mailed link, regardless of the rate limit of earlier sign-ins. */
export async function signInAs(daemon: TestDaemon, email: string): Promise<string> {
  const answer = await pressButton(daemon, (await receiveLink(daemon, email)).link);
  const apiKey = keyIn(answer);
  if (!apiKey) throw new Error(`no key: ${answer.status} ${answer.text}`);
  return apiKey;
}

/** The status of the account request with a key. */
export async function statusOf(daemon: TestDaemon, apiKey: string): Promise<number> {
  return (await daemon.call(apiKey, '/v1/account', { headers: fromElsewhere() })).status;
}

/** A terminal that starts a sign-in: its secret and the request that it sends. */
export function startTerminal(redirectPort?: number) {
  const codeVerifier = randomBytes(32).toString('base64url');
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  return { codeVerifier, login: { codeChallenge, device: 'desk', ...(redirectPort && { redirectPort }) } };
}

/** The code on a page. */
export const codeIn = ({ text }: Answer): string => /id="code">([^<]+)</.exec(text)?.[1] ?? '';

/** Redeems a code as a terminal does. */
export function typeCode(daemon: TestDaemon, code: string, codeVerifier: string): Promise<Answer<{ apiKey: string }>> {
  return daemon.call(undefined, '/v1/auth/token', { body: { code, codeVerifier }, headers: fromElsewhere() });
}

/** Waits until the daemon has sent or dropped all mails, and counts those to an address. */
export async function mailsAfterAll(daemon: TestDaemon, email: string): Promise<number> {
  for (;;) {
    const waiting = await daemon.db.readers.get<{ mails: number }>('SELECT COUNT(*) AS mails FROM mailQueue');
    if (waiting?.mails === 0) return (await daemon.mailbox.mailsTo(email)).length;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Sends exactly these header lines and this body, for requests that no HTTP client would send. */
export function sendRaw(
  daemon: TestDaemon,
  head: readonly string[],
  body = '',
): Promise<{ status: number; head: string; text: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(daemon.baseUrl);
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`);
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const [answerHead = '', ...rest] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n');
      resolve({ status: Number(answerHead.slice(9, 12)), head: answerHead, text: rest.join('\r\n\r\n') });
    });
  });
}
