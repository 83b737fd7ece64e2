import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestDaemon } from '../../helpers/daemon.ts';
import {
  askFor,
  codeIn,
  freshAddress,
  fromElsewhere,
  keyIn,
  mailsAfterAll,
  pressButton,
  receiveLink,
  signInAs,
  startSignInDaemon,
  startTerminal,
  statusOf,
  typeCode,
} from '../../helpers/sign-in.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startSignInDaemon();
  // A machine that takes seconds for the requests would refill the buckets meanwhile.
  daemon.clock.freeze();
});
afterAll(() => daemon.close());

const MINUTE = 60_000;
const BROWSER_SUBJECT = 'Sign in to svc';
const TERMINAL_SUBJECT = 'Sign in to svc from a terminal';

/** The subjects of all mails to an address, sorted, once the daemon has sent or dropped every mail. */
async function subjectsTo(on: TestDaemon, email: string): Promise<string[]> {
  await mailsAfterAll(on, email);
  return (await on.mailbox.mailsTo(email)).map(({ subject }) => subject).sort();
}

/** Requests a link from each network, each for a fresh address, and returns the statuses. */
async function statusesFrom(networks: readonly string[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const network of networks) {
    const answer = await askFor(daemon, { email: freshAddress() }, { 'x-forwarded-for': network });
    statuses.push(answer.status);
  }
  return statuses;
}

describe('many requests for one address', () => {
  test('send three mails for browsers and two for terminals, and keep the owner’s earlier link valid', async () => {
    const victim = freshAddress();
    const { link } = await receiveLink(daemon, victim);
    const { login } = startTerminal();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => askFor(daemon, { email: victim, ...(index % 2 && { login }) })),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    const subjects = await subjectsTo(daemon, victim);
    expect(subjects).toEqual([...Array(3).fill(BROWSER_SUBJECT), ...Array(2).fill(TERMINAL_SUBJECT)]);
    expect((await pressButton(daemon, link)).status).toBe(303);

    const bystander = freshAddress();
    await signInAs(daemon, bystander);
    expect(await mailsAfterAll(daemon, bystander)).toBe(1);
  });

  test('of ten terminals do not keep the owner from signing in with a browser', async () => {
    const victim = freshAddress();
    const oldKey = await signInAs(daemon, victim);
    for (let count = 0; count < 10; count += 1) {
      expect((await askFor(daemon, { email: victim, login: startTerminal().login })).status).toBe(202);
    }
    await mailsAfterAll(daemon, victim);

    const { link } = await receiveLink(daemon, victim);
    const newKey = keyIn(await pressButton(daemon, link))!;
    expect([await statusOf(daemon, newKey), await statusOf(daemon, oldKey)]).toEqual([200, 401]);
  });

  test('of browsers do not keep the owner from signing in with a terminal', async () => {
    const victim = freshAddress();
    for (let count = 0; count < 10; count += 1) await askFor(daemon, { email: victim });
    await mailsAfterAll(daemon, victim);

    const { codeVerifier, login } = startTerminal();
    const { link } = await receiveLink(daemon, victim, login);
    const code = codeIn(await pressButton(daemon, link));
    const { status, body } = await typeCode(daemon, code, codeVerifier);
    expect([status, await statusOf(daemon, body.apiKey)]).toEqual([200, 200]);
  });

  test('send three mails at once, one more per minute and ten per hour', async () => {
    const email = freshAddress();
    const ask = async () => {
      await askFor(daemon, { email });
      return mailsAfterAll(daemon, email);
    };
    // Use each link, so that the limit of three live links does not apply here.
    const use = async () => pressButton(daemon, await daemon.mailbox.latestLink(email));
    for (const expected of [1, 2, 3, 3]) expect(await ask()).toBe(expected);
    await use();
    expect(await ask()).toBe(3);
    for (const expected of [4, 5, 6, 7, 8, 9, 10, 10, 10]) {
      daemon.clock.advance(MINUTE);
      expect(await ask()).toBe(expected);
      await use();
    }
    daemon.clock.advance(50 * MINUTE);
    expect(await ask()).toBe(10);
    daemon.clock.advance(MINUTE);
    expect(await ask()).toBe(11);
    expect((await use()).status).toBe(303);
  });

  test('by terminals send two mails at once, one more every two minutes and five per hour', async () => {
    const email = freshAddress();
    const ask = async () => {
      await askFor(daemon, { email, login: startTerminal().login });
      return mailsAfterAll(daemon, email);
    };
    // Use each link, so that the limit of three live links does not apply here.
    const use = async () => pressButton(daemon, await daemon.mailbox.latestLink(email));
    for (const expected of [1, 2, 2]) expect(await ask()).toBe(expected);
    await use();
    expect(await ask()).toBe(2);
    for (const [minutes, expected] of [
      [1, 2],
      [1, 3],
      [2, 4],
      [2, 5],
      [2, 5],
      [51, 5],
      [1, 6],
    ] as const) {
      daemon.clock.advance(minutes * MINUTE);
      expect(await ask()).toBe(expected);
      await use();
    }
  });

  test.each([
    ['browser', () => ({})],
    ['terminal', () => ({ login: startTerminal().login })],
  ])('leave at most three live %s links', async (_kind, how) => {
    const email = freshAddress();
    for (let count = 0; count < 5; count += 1) {
      await askFor(daemon, { email, ...how() });
      daemon.clock.advance(2 * MINUTE);
    }
    expect(await mailsAfterAll(daemon, email)).toBe(3);
    await pressButton(daemon, await daemon.mailbox.latestLink(email));
    await askFor(daemon, { email, ...how() });
    expect(await mailsAfterAll(daemon, email)).toBe(4);
  });
});

describe('many requests from one network', () => {
  test('limits each IP address to its own 30 requests per minute', async () => {
    const statuses = await statusesFrom(Array(31).fill('192.0.2.1'));
    expect(statuses).toEqual([...Array(30).fill(202), 429]);
    const refused = await askFor(daemon, { email: freshAddress() }, { 'x-forwarded-for': '192.0.2.1' });
    expect(refused.body.code).toBe('rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(await statusesFrom(['192.0.2.2'])).toEqual([202]);
    daemon.clock.advance(2000);
    expect(await statusesFrom(['192.0.2.1', '192.0.2.1'])).toEqual([202, 429]);
  });

  test('counts an IPv6 /64 as one caller, separate from the neighboring /64', async () => {
    const inOne = Array.from({ length: 31 }, (_, index) => `2001:db8:0:1:${index.toString(16)}:${index}::${index + 1}`);
    expect(await statusesFrom(inOne)).toEqual([...Array(30).fill(202), 429]);
    expect(await statusesFrom(['2001:0DB8:0000:0001:ffff::1', '2001:db8:0:1::'])).toEqual([429, 429]);
    expect(await statusesFrom(['2001:db8:0:2::1'])).toEqual([202]);
  });

  test('counts an IPv4-mapped IPv6 address as the IPv4 address', async () => {
    expect(await statusesFrom(Array(30).fill('192.0.2.7'))).toEqual(Array(30).fill(202));
    expect(await statusesFrom(['::ffff:192.0.2.7', '::ffff:192.0.2.8'])).toEqual([429, 202]);
  });

  test('limits terminal codes to the same rate', async () => {
    const from = fromElsewhere();
    const attempt = () =>
      daemon.call(undefined, '/v1/auth/token', {
        body: { code: '0000-0000', codeVerifier: 'v'.repeat(43) },
        headers: from,
      });
    const statuses: number[] = [];
    for (let count = 0; count < 31; count += 1) statuses.push((await attempt()).status);
    expect(statuses).toEqual([...Array(30).fill(400), 429]);
    expect((await typeCode(daemon, '0000-0000', 'v'.repeat(43))).status).toBe(400);
  });

  test('sends Retry-After to browsers and programs that open links too fast', async () => {
    const headers = fromElsewhere();
    const path = '/v1/auth/callback?token=x';
    const statuses = await Promise.all(
      Array.from({ length: 120 }, async () => (await daemon.call(undefined, path, { headers })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([410]));
    for (const accept of ['text/html', 'application/json']) {
      // On a slow machine the bucket refills a little meanwhile.
      const call = () => daemon.call(undefined, path, { headers: { ...headers, accept } });
      let refused = await call();
      for (let extra = 0; refused.status !== 429 && extra < 60; extra += 1) refused = await call();
      expect([refused.status, refused.headers.get('content-type')]).toEqual([
        429,
        expect.stringContaining(accept === 'text/html' ? 'text/html' : 'problem+json'),
      ]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(refused.headers.get('cache-control')).toBe('no-store');
      expect(refused.headers.get('referrer-policy')).toBe('no-referrer');
    }
    expect((await daemon.call(undefined, path, { headers: fromElsewhere() })).status).toBe(410);
  });

  test('ignores X-Forwarded-For without a trusted proxy', async () => {
    const own = await startSignInDaemon({ config: { trustProxy: undefined } });
    own.clock.freeze();
    const statuses: number[] = [];
    for (let count = 0; count < 31; count += 1) statuses.push((await askFor(own, { email: freshAddress() })).status);
    expect(statuses).toEqual([...Array(30).fill(202), 429]);
    await own.close();
  });
});
