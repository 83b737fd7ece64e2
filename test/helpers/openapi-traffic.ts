import fc from 'fast-check';
import { KEY } from '../features/extraction/extraction-daemon.ts';
import { startProviderDaemon, startProviderServer } from '../features/providers/provider-daemon.ts';
import { startReceiver } from '../features/webhooks/receiver.ts';
import { createTestClock, type TestClock } from './clock.ts';
import type { TestDaemon } from './daemon.ts';
import { type LocatedOperation, loadDocument } from './openapi.ts';
import { createAnswerCheck, type WireAnswer } from './openapi-answers.ts';
import { mutatedRequests, RAW_REQUESTS } from './openapi-mutations.ts';
import { type PlannedRequest, validRequests } from './openapi-requests.ts';
import { type Addresses, openSession, type Request, type Session } from './openapi-session.ts';
import { sendRaw } from './sign-in.ts';

export interface TrafficOptions {
  /** Number of requests, over all tenants. */
  requests: number;
  tenants: number;
  /** Sends more requests of each operation of which none succeeded, until one does. */
  triesEach?: true;
}

export interface TrafficReport {
  /** Differences between answers and the document, each kind once with its request, and the seed. */
  faults: string[];
  /** Routes of the document that never succeeded; with `triesEach`, not even in 1,000 further requests. */
  unsuccessful: string[];
}

/** Set `OPENAPI_SEED` to send other requests. */
const SEED = Number(process.env.OPENAPI_SEED ?? 20_261_122);
/** Requests are generated in portions, so that generating does not keep the daemon from its work. */
const PORTION = 250;
/** Refills the rate limits faster than the requests of all tenants empty them. */
const MS_PER_REQUEST = 2000;
const MOST_TRIES = 1000;

/**
 * Starts a daemon, sends it requests generated from its OpenAPI document, and compares the answers with the document:
 * half of the requests are valid, most others changed in one way, and some are not HTTP. The tenants work in parallel,
 * each with its own seed.
 */
export async function sendTraffic(options: TrafficOptions): Promise<TrafficReport> {
  const clock = createTestClock();
  const daemon = await startProviderDaemon({ clock, config: { trustProxy: ['loopback'] } });
  const provider = await startProviderServer('openai', { key: KEY, answer: () => ({ memories: [] }) });
  const receiver = await startReceiver();
  try {
    return await exchange(daemon, clock, { providerUrl: provider.baseUrl, receiverUrl: receiver.url }, options);
  } finally {
    await daemon.close();
    await provider.close();
    await receiver.close();
  }
}

async function exchange(
  daemon: TestDaemon,
  clock: TestClock,
  addresses: Addresses,
  { requests, tenants, triesEach }: TrafficOptions,
): Promise<TrafficReport> {
  const served = await loadDocument(daemon);
  const check = createAnswerCheck(served);
  const valid = validRequests(served);
  const planned = fc.oneof(
    { weight: 50, arbitrary: valid },
    { weight: 46, arbitrary: mutatedRequests(valid) },
    { weight: 4, arbitrary: fc.constantFrom(...RAW_REQUESTS) },
  );
  const faults = new Map<string, string>();
  const succeeded = new Set<string>();
  const note = (found: readonly string[], what: string) => {
    for (const fault of found) if (!faults.has(fault)) faults.set(fault, `${fault} (seed ${SEED})\n    to ${what}`);
  };

  async function sendAll(seed: number, count: number): Promise<void> {
    const session = await openSession(daemon, addresses);
    for (let sent = 0; sent < count; sent += PORTION) {
      const numRuns = Math.min(PORTION, count - sent);
      for (const plan of fc.sample(planned, { seed: seed + sent, numRuns })) {
        clock.advance(MS_PER_REQUEST);
        await ('method' in plan ? sendPlanned(plan, session) : sendMalformed(plan));
      }
    }
    session.close();
  }

  /** Which of the requests above succeed depends on the order in which the tenants are answered, and few delete an account. */
  async function sendUntilSuccess(operation: LocatedOperation): Promise<void> {
    if (succeeded.has(operation.route)) return;
    const valid = validRequests({ ...served, operations: [operation] });
    const session = await openSession(daemon, addresses);
    for (const plan of fc.sample(valid, { seed: SEED, numRuns: MOST_TRIES })) {
      if (succeeded.has(operation.route)) break;
      clock.advance(MS_PER_REQUEST);
      await sendPlanned(plan, session);
    }
    session.close();
  }

  async function sendMalformed([head, body]: (typeof RAW_REQUESTS)[number]): Promise<void> {
    const answer = parseRaw(await sendRaw(daemon, head, body));
    note(check.checkOther('a malformed request', answer), head.join(' | ').slice(0, 200));
  }

  async function sendPlanned({ operation, ...plan }: PlannedRequest, session: Session): Promise<void> {
    const request = await session.prepare(plan);
    await sendPrepared(request, operation, session);
    // The same request again is a replay.
    if ('Idempotency-Key' in request.headers) await sendPrepared(request, operation, session);
  }

  async function sendPrepared(request: Request, operation: PlannedRequest['operation'], session: Session) {
    const answer = await session.send(request);
    const { method, path, headers, body = '' } = request;
    note(
      operation ? check.checkAnswer(operation, answer) : check.checkOther(method, answer),
      [method, path, JSON.stringify(headers), String(body).slice(0, 500), '→', answer.text.slice(0, 500)].join(' '),
    );
    if (operation && answer.status > 0 && answer.status < 400) succeeded.add(operation.route);
    await session.learn(request, answer);
  }

  const share = Math.ceil(requests / tenants);
  await Promise.all(Array.from({ length: tenants }, (_, index) => sendAll(SEED + index * 1_000_003, share)));
  if (triesEach) for (const operation of served.operations) await sendUntilSuccess(operation);
  const routes = served.operations.map(({ route }) => route);
  return { faults: [...faults.values()], unsuccessful: routes.filter((route) => !succeeded.has(route)) };
}

function parseRaw({ status, head, text }: { status: number; head: string; text: string }): WireAnswer {
  const lines = head.split('\r\n').slice(1);
  const headers = lines.map((line) => [line.split(':')[0]!.toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]);
  return { status, headers: Object.fromEntries(headers), text };
}
