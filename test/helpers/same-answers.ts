import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { expect } from 'vitest';
import type { SignInKind } from '../../src/features/auth/mail-rate-limit.ts';
import type { TestDaemon } from './daemon.ts';
import { fromElsewhere, mailsAfterAll, startSignInDaemon, startTerminal } from './sign-in.ts';

const KINDS = ['known', 'unknown', 'barred', 'flooded'] as const;
type Kind = (typeof KINDS)[number];

/** Addresses of the same length, so that they differ only in what the daemon knows about them. */
function emailOf(kind: Kind, number: number): string {
  if (kind === 'flooded') return 'flooded-0000@example.com';
  const domain = kind === 'barred' ? 'example.net' : 'example.com';
  return `${kind.padEnd(7, '-')}-${String(number).padStart(4, '0')}@${domain}`;
}

interface Timed {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  ms: number;
}

function ask(address: string, agent: Agent, request: object): Promise<Timed> {
  const body = JSON.stringify(request);
  const headers = { 'content-type': 'application/json', 'content-length': body.length, ...fromElsewhere() };
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    const call = httpRequest(address, { method: 'POST', agent, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const ms = performance.now() - startMs;
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
          ms,
        });
      });
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** The response without random values, times and counts. */
function bytesOf({ status, headers, text }: Timed): string {
  const {
    date: _date,
    'x-request-id': _id,
    'x-ratelimit-remaining': _left,
    'x-ratelimit-reset': _reset,
    ...rest
  } = headers;
  const { ratelimit: _state, ...same } = rest;
  const cookie = same['set-cookie']?.map((value) => value.replace(/=[\w-]{43};/, '=;'));
  const body = text
    .replace(/"expiresAt":"[^"]{24}"/, '"expiresAt":""')
    .replace(/"deviceCode":"[\w-]{43}"/, '')
    .replace(/[0-9A-Z]{4}-[0-9A-Z]{4}/g, '');
  return JSON.stringify([status, { ...same, 'set-cookie': cookie }, body]);
}

const quantile = (values: readonly number[], part: number) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;

async function start(count: number): Promise<TestDaemon> {
  const daemon = await startSignInDaemon({ config: { signupDomains: ['example.com'] } });
  await daemon.db.writes.write('daemon', async (connection) => {
    for (let number = 0; number < count; number += 1)
      await daemon.accounts.findOrCreate(connection, emailOf('known', number));
  });
  return daemon;
}

/**
 * Requests `count` links sequentially, each for an address of a random kind, so that work left over from the previous
 * request slows every kind equally. Expects the same bytes for every kind; with `band`, also that the lower quartile and
 * the median of the slowest kind are less than `band` times those of the fastest. `of` is what every request
 * starts: the sign-in of a browser or of a terminal, or the connection of a device.
 */
export async function expectSameAnswers({
  count,
  band,
  of = 'browser',
}: {
  count: number;
  band?: number;
  of?: Exclude<SignInKind, 'client'>;
}): Promise<void> {
  const daemon = await start(count);
  const agent = new Agent({ keepAlive: true });
  const answers: Record<Kind, Timed[]> = { known: [], unknown: [], barred: [], flooded: [] };
  for (let number = 0; number < count; number += 1) {
    const kind = KINDS[Math.floor(Math.random() * KINDS.length)]!;
    const email = emailOf(kind, answers[kind].length);
    const more = { browser: {}, terminal: { login: startTerminal().login }, device: { name: 'desk', system: 'Linux' } };
    const path = of === 'device' ? '/v1/auth/device' : '/v1/auth/magic-link';
    answers[kind].push(await ask(daemon.baseUrl + path, agent, { email, ...more[of] }));
  }

  expect(answers.known[0]?.status).toBe(of === 'device' ? 201 : 202);
  expect(new Set(KINDS.flatMap((kind) => answers[kind].map(bytesOf))).size).toBe(1);
  for (const part of band === undefined ? [] : [0.25, 0.5]) {
    const times = KINDS.map((kind) =>
      quantile(
        answers[kind].map(({ ms }) => ms),
        part,
      ),
    );
    const summary = KINDS.map((kind, index) => `${kind} ${times[index]?.toFixed(2)} ms`).join(', ');
    expect(Math.max(...times) / Math.min(...times), `at ${part}: ${summary}`).toBeLessThan(band!);
  }
  const mails = KINDS.map((kind) => mailsAfterAll(daemon, emailOf(kind, 0)));
  expect(await Promise.all(mails)).toEqual([1, 1, 0, of === 'browser' ? 3 : 2]);
  agent.destroy();
  await daemon.close();
}
