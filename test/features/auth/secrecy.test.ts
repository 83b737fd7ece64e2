import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { breakTable } from '../../helpers/broken-tables.ts';
import type { Answer, TestDaemon } from '../../helpers/daemon.ts';
import {
  askFor,
  codeIn,
  cookiesOf,
  freshAddress,
  fromElsewhere,
  keyIn,
  mailsAfterAll,
  pressButton,
  receiveLink,
  sendRaw,
  signInAs,
  startSignInDaemon,
  startTerminal,
  statusOf,
  tokenIn,
  typeCode,
  visit,
} from '../../helpers/sign-in.ts';
import { DATABASE_PLACES, storedBytes } from '../../helpers/stored-bytes.ts';

const PAGE = { accept: 'text/html' };

/** Runs every step of sign-in, including failing ones, and collects all responses and secrets. */
async function runFullFlow(daemon: TestDaemon) {
  const answers: Answer[] = [];
  const secrets = new Map<string, string>();
  const record = <T extends Answer>(answer: T): T => {
    answers.push(answer);
    return answer;
  };
  const email = freshAddress();

  const asked = record(await askFor(daemon, { email }));
  secrets.set('request cookie', cookiesOf(asked).split('=')[1]!);
  const link = await daemon.mailbox.latestLink(email);
  secrets.set('link token', tokenIn(link));
  record(await visit(daemon, link, { headers: PAGE }));
  record(await visit(daemon, link, { method: 'HEAD' }));
  record(await pressButton(daemon, link, { origin: 'https://evil.example', ...PAGE }));
  const signedIn = record(await pressButton(daemon, link, PAGE));
  secrets.set('key', keyIn(signedIn)!);
  record(await visit(daemon, link, { headers: PAGE }));
  record(await pressButton(daemon, link));

  const terminal = startTerminal(43210);
  const mailed = await receiveLink(daemon, email, terminal.login);
  secrets.set('token of a terminal', tokenIn(mailed.link));
  secrets.set('verifier', terminal.codeVerifier);
  const page = record(await pressButton(daemon, mailed.link, PAGE));
  secrets.set('code', codeIn(page));
  record(await typeCode(daemon, '0000-0000', terminal.codeVerifier));
  const redeemed = record(await typeCode(daemon, codeIn(page), terminal.codeVerifier));
  secrets.set('key of a terminal', redeemed.body.apiKey);
  record(await typeCode(daemon, codeIn(page), terminal.codeVerifier));

  const sameBrowser = await receiveLink(daemon, email);
  secrets.set('token in the same browser', tokenIn(sameBrowser.link));
  secrets.set('cookie of the same browser', sameBrowser.cookie.split('=')[1]!);
  const atOnce = record(await visit(daemon, sameBrowser.link, { headers: { cookie: sameBrowser.cookie } }));
  secrets.set('key in the same browser', keyIn(atOnce)!);

  const token = tokenIn(mailed.link);
  record(await visit(daemon, `${daemon.baseUrl}/v1/auth/callback?token=${token}&token=${token}`));
  record(await askFor(daemon, { email: 'nobody' }));
  record(await askFor(daemon, { email, login: { token } }));
  record(await daemon.call(undefined, '/v1/auth/token', { body: { code: token, codeVerifier: 'short' } }));
  record(await daemon.call(undefined, '/v1/auth/callback', { method: 'POST', body: `{"token":"${token}"` }));
  return { answers, secrets, email };
}

/** Finds secrets in places that must not contain them. A SHA-256 and a key's last four characters are allowed. */
function found(secrets: ReadonlyMap<string, string>, places: ReadonlyMap<string, Buffer | string>): string[] {
  const hits: string[] = [];
  for (const [name, secret] of secrets) {
    const spellings = [secret, secret.replace('svc_live_', ''), encodeURIComponent(secret), secret.replace('-', '')];
    for (const form of [...spellings, ...spellings.map((text) => Buffer.from(text).toString('base64'))]) {
      for (const [place, bytes] of places) if (bytes.includes(form)) hits.push(`${name} in ${place}`);
    }
  }
  return hits;
}

describe('the full sign-in flow', () => {
  let daemon: TestDaemon;
  let flow: Awaited<ReturnType<typeof runFullFlow>>;
  beforeAll(async () => {
    daemon = await startSignInDaemon();
    flow = await runFullFlow(daemon);
  });
  afterAll(() => daemon.close());

  test('returns the expected status at every step', () => {
    expect(flow.answers.map(({ status }) => status)).toEqual([
      ...[202, 200, 200, 403, 303, 410, 410],
      ...[200, 400, 200, 410],
      ...[303, 400, 400, 400, 400, 400],
    ]);
  });

  test('forbids caching and referrers in every response', () => {
    for (const { headers } of flow.answers) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('etag')).toBeNull();
    }
  });

  test('forbids them in errors of every kind too, whatever refuses the request', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const long = 'x'.repeat(20_000);
    const answers = {
      'a method': await daemon.call(undefined, '/v1/auth/magic-link', { method: 'PUT' }),
      options: await daemon.call(undefined, '/v1/auth/callback', { method: 'OPTIONS' }),
      'no route': await daemon.call(undefined, '/v1/auth/nothing'),
      'no key': await daemon.call(undefined, '/v1/auth/key', { method: 'DELETE' }),
      'no device': await daemon.call(apiKey, '/v1/auth/device/request', { body: { userCode: 'AAAA-AAAA' } }),
      'a path': await daemon.call(undefined, '/v1/auth/%E0%A4%A'),
      'a type': await daemon.call(undefined, '/v1/auth/token', { body: 'x', headers: { 'content-type': 'text/csv' } }),
      'a body': await daemon.call(undefined, '/v1/auth/magic-link', { body: { email: long } }),
      'the key': await daemon.call(apiKey, '/v1/auth/key', { method: 'DELETE' }),
    };
    const statuses = Object.values(answers).map(({ status }) => status);
    expect(statuses).toEqual([405, 204, 404, 401, 410, 400, 415, 413, 204]);
    for (const [what, { headers }] of Object.entries(answers)) {
      const own = [headers.get('cache-control'), headers.get('referrer-policy')];
      expect(own, what).toEqual(['no-store', 'no-referrer']);
    }
  });

  test('puts no secret in headers except the key in the Location fragment and its own cookie in Set-Cookie', () => {
    const { secrets, answers } = flow;
    for (const answer of answers) {
      for (const [name, value] of answer.headers) {
        const seen = name === 'location' ? value.replace(/#key=svc_live_[0-9a-f]{32}$/, '') : value;
        const foreign = new Map([...secrets].filter(([kind]) => name !== 'set-cookie' || !kind.includes('cookie')));
        expect(found(foreign, new Map([[name, seen]]))).toEqual([]);
      }
    }
    const locations = answers.flatMap(({ headers }) => headers.get('location') ?? []);
    expect(locations).toHaveLength(2);
    for (const location of locations) {
      const { origin, pathname, search, hash } = new URL(location);
      expect([origin, pathname, search]).toEqual([daemon.publicUrl, '/dashboard', '']);
      expect(hash).toMatch(/^#key=svc_live_[0-9a-f]{32}$/);
    }
  });

  test('puts a key in no response body except that of POST /v1/auth/token', () => {
    const withKey = flow.answers.filter(({ text }) => text.includes('svc_live_'));
    expect(withKey.map(({ body }) => Object.keys(body).sort())).toEqual([['account', 'apiKey']]);
    for (const { text } of flow.answers.filter(({ status }) => status >= 400)) {
      expect(found(flow.secrets, new Map([['an error', text]]))).toEqual([]);
    }
  });

  test('puts no link or token in the response to a link request', () => {
    const [asked] = flow.answers;
    expect(asked?.text).toMatch(/^\{"status":"sent","expiresAt":"[^"]{24}"\}$/);
  });

  test('forbids pages to load third-party resources or be framed', () => {
    const pages = flow.answers.filter(({ headers }) => headers.get('content-type')?.includes('html'));
    expect(pages.length).toBeGreaterThanOrEqual(5);
    for (const { headers, text } of pages) {
      const policy = headers.get('content-security-policy') ?? '';
      for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"]) {
        expect(policy).toContain(rule);
      }
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(text).not.toMatch(/(?:src|href|action)="(?:https?:)?\/\//);
    }
  });

  test('logs no secret at the most verbose level', async () => {
    const apiKey = await signInAs(daemon, freshAddress());
    const { link } = await receiveLink(daemon, freshAddress());
    const token = tokenIn(link);
    // Errors are logged in more detail: unknown routes, malformed requests, a failing database.
    await daemon.call(apiKey, `/v1/auth/callbacks?token=${token}&key=${apiKey}`, { headers: fromElsewhere() });
    await daemon.call(apiKey, `/v1/${apiKey}/${token}`, { headers: fromElsewhere() });
    await sendRaw(daemon, [`GET /v1/account?key=${apiKey} HTTP/9`, `Authorization: Bearer ${apiKey}`]);
    await sendRaw(daemon, [`Authorization: Bearer ${apiKey}`]);
    const repair = await breakTable(daemon, 'signInLinks');
    expect((await visit(daemon, link)).status).toBe(500);
    expect((await pressButton(daemon, link)).status).toBe(500);
    await repair();
    expect(await statusOf(daemon, apiKey)).toBe(200);

    const all = new Map([...flow.secrets, ['second key', apiKey], ['second token', token]]);
    const log = daemon.logLines.join('');
    expect(daemon.logLines.length).toBeGreaterThan(10);
    expect(log).toContain('request failed');
    expect(found(all, new Map([['log', log]]))).toEqual([]);
    expect(daemon.shown).toEqual([]);
  });

  test('stores no secret in any file or table, verified by a search that finds known text', async () => {
    expect(await mailsAfterAll(daemon, flow.email)).toBe(3);
    const places = await storedBytes(daemon);
    expect([...places.keys()]).toEqual(expect.arrayContaining(DATABASE_PLACES));
    expect(found(flow.secrets, places)).toEqual([]);
    expect(found(new Map([['address', flow.email]]), places)).not.toEqual([]);
    const apiKey = flow.secrets.get('key in the same browser')!;
    expect(found(new Map([['last four', `${apiKey.slice(-4)}`]]), places)).not.toEqual([]);

    await daemon.db.checkpoint();
    expect(found(flow.secrets, await storedBytes(daemon))).toEqual([]);
  });
});

describe('mail over SMTP', () => {
  const PASSWORD = 'canary-Passw0rd-7f3a';

  /** Starts an SMTP server that requires the password, and a daemon configured with it. */
  async function start({ reject }: { reject: boolean }) {
    const received = { password: '', text: '' };
    const server = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      logger: false,
      onAuth({ password }, _session, callback) {
        received.password = password ?? '';
        callback(reject ? new Error(`Invalid login for ${password}`) : null, { user: 'svc' });
      },
      onData(stream, _session, callback) {
        stream.on('data', (chunk: Buffer) => {
          received.text += chunk.toString('utf8');
        });
        stream.on('end', () => callback());
      },
    });
    server.on('error', () => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.server.address() as AddressInfo;
    const smtpUrl = `smtp://svc:${PASSWORD}@127.0.0.1:${port}`;
    const daemon = await startSignInDaemon({ config: { smtpUrl, mailFrom: 'svc@example.org', mailDir: undefined } });
    const places = async () => {
      const log = ['log', Buffer.from(daemon.logLines.join(''))] as const;
      return new Map([...(await storedBytes(daemon)), log]);
    };
    const stop = async () => {
      await daemon.close();
      await new Promise<void>((resolve) => server.close(resolve));
    };
    return { daemon, received, places, stop };
  }

  test('password and link are in no file or log when the mail is delivered', async () => {
    const { daemon, received, places, stop } = await start({ reject: false });
    await askFor(daemon, { email: 'ada@example.com' });
    await expect.poll(() => received.text).toContain('</html>');
    expect(received.password).toBe(PASSWORD);
    const unfolded = received.text.replace(/=\r?\n/g, '');
    const token = /token=3D([\w-]{43})/.exec(unfolded)?.[1] ?? '';
    const answer = await pressButton(daemon, `${daemon.publicUrl}/?token=${token}`);
    expect(answer.status).toBe(303);
    const secrets = new Map([...Object.entries({ PASSWORD, token, key: keyIn(answer)! })]);
    expect(found(secrets, await places())).toEqual([]);
    await stop();
  });

  test('password is in no file or log when the SMTP server rejects and echoes it', async () => {
    const { daemon, received, places, stop } = await start({ reject: true });
    await askFor(daemon, { email: 'ada@example.com' });
    await expect.poll(() => daemon.logLines.join('')).toContain('sending a mail failed');
    expect(received.password).toBe(PASSWORD);
    expect(found(new Map([['password', PASSWORD]]), await places())).toEqual([]);
    expect(daemon.logLines.join('')).not.toContain('Invalid login');
    await stop();
  });
});
