import { AppError } from '../../contract/errors.ts';
import type { Connection } from '../../db/connection.ts';
import type { Log } from '../../lib/log.ts';
import { isSingleAddress, MAX_CONNECTIONS, SEND_TIMEOUT_MS } from '../../outside/mail.ts';
import {
  BACKOFF,
  createDelivery,
  type DeliveryOptions,
  errorFields,
  type NewMail,
  sealContext,
} from './mail-delivery.ts';
import {
  findDueMails,
  findMailCount,
  findNextAttemptAt,
  insertMail,
  type QueuedMail,
  updateMailClaimed,
} from './mail-store.ts';

/** How long a worker's claim on a mail lasts. After a crash, another worker sends the mail once the claim expires. */
const CLAIM_MS = SEND_TIMEOUT_MS + 10_000;
/** Upper bound on the delay that a missed wake-up causes. */
const MAX_SLEEP_MS = 60_000;
const MIN_SLEEP_MS = 20;
const SLEEP_AFTER_ERROR_MS = 1000;

/** Durable queue between requests and the mail server. */
export interface MailQueue {
  /**
   * Inserts the sealed mail in the caller's transaction; call `wake` after the commit. A suppressed mail is queued and
   * processed the same way but never sent, so that timing does not reveal whether an address is known. Throws
   * `invalid_request` unless `to` is exactly one address.
   */
  enqueue(connection: Connection, mail: NewMail, delivery: { expiresAtMs: number; suppressed: boolean }): Promise<void>;
  /** Starts sending, beginning with mails left by an earlier process. */
  start(): void;
  /** Stops claiming mails and waits up to `stopLimitMs` (10 s) for those in flight. The rest stay queued. */
  stop(): Promise<void>;
  /** Checks for due mails now. */
  wake(): void;
  /** Number of mails queued or in flight. */
  pending(): Promise<number>;
}

export interface MailQueueOptions extends DeliveryOptions {
  /** Maximum time that `stop` waits. */
  stopLimitMs?: number;
}

/** At-least-once delivery: after a crash or a lost response, a mail is sent again with the same Message-ID. */
export function createMailQueue(options: MailQueueOptions): MailQueue {
  const { db, clock, random, sealer } = options;
  const worker = createWorker(options);
  let sequence = 0;

  /** Sorts by creation, even within a millisecond. */
  function nextMailId(): string {
    const time = clock.nowMs().toString(16).padStart(12, '0');
    const order = (sequence++ % 0x100_0000).toString(16).padStart(6, '0');
    return `${time}${order}${random.bytes(8).toString('hex')}`;
  }

  return {
    async enqueue(connection, { to, subject, text, html }, { expiresAtMs, suppressed }) {
      if (!isSingleAddress(to)) throw new AppError('invalid_request', 'A mail must have exactly one recipient.');
      const mailId = nextMailId();
      const sealed = sealer.seal(JSON.stringify({ to, subject, text, html }), sealContext(mailId));
      const nextAttemptAt = clock.nowMs();
      await insertMail(connection, { mailId, sealed, suppressed, attempts: 0, nextAttemptAt, expiresAt: expiresAtMs });
    },
    ...worker,
    pending: () => findMailCount(db.readers),
  };
}

/** Claims due mails and sends up to `MAX_CONNECTIONS` at a time. */
function createWorker(options: MailQueueOptions): Pick<MailQueue, 'start' | 'stop' | 'wake'> {
  const { db, clock, log, backoff = BACKOFF, stopLimitMs = 10_000 } = options;
  const deliver = createDelivery(options);
  const inFlight = new Map<string, Promise<void>>();

  async function claimDue(): Promise<QueuedMail[]> {
    const nowMs = clock.nowMs();
    const latestMs = nowMs + Math.max(backoff.maxMs, CLAIM_MS);
    const due = await findDueMails(db.readers, { nowMs, latestMs, limit: 2 * MAX_CONNECTIONS });
    const next = due.filter(({ mailId }) => !inFlight.has(mailId)).slice(0, MAX_CONNECTIONS - inFlight.size);
    return next.length === 0
      ? []
      : db.writes.write('daemon', (connection) => claimMails(connection, next, nowMs + CLAIM_MS));
  }

  function launch(mail: QueuedMail): void {
    const { mailId } = mail;
    const delivery = deliver(mail)
      .catch((error: unknown) => log.error({ mailId, ...errorFields(error) }, 'failed to update a queued mail'))
      .finally(() => {
        inFlight.delete(mailId);
        loop.wake();
      });
    inFlight.set(mailId, delivery);
  }

  const loop = createLoop(async () => {
    for (const mail of await claimDue()) launch(mail);
    if (inFlight.size >= MAX_CONNECTIONS) return MAX_SLEEP_MS;
    const nextAttemptAt = await findNextAttemptAt(db.readers);
    return nextAttemptAt === undefined ? MAX_SLEEP_MS : nextAttemptAt - clock.nowMs();
  }, log);

  return {
    start: loop.start,
    wake: loop.wake,
    stop: () =>
      settledWithin(
        stopLimitMs,
        loop.stop().then(() => Promise.all(inFlight.values())),
      ),
  };
}

/** Runs `poll` on each wake-up, never concurrently, and again after the delay in milliseconds that it returns. */
function createLoop(poll: () => Promise<number>, log: Log) {
  let running = false;
  let polling: Promise<void> | undefined;
  let pollAgain = false;
  let timer: NodeJS.Timeout | undefined;

  async function run(): Promise<void> {
    let pauseMs = SLEEP_AFTER_ERROR_MS;
    try {
      do {
        pollAgain = false;
        pauseMs = await poll();
      } while (pollAgain && running);
    } catch (error) {
      pauseMs = SLEEP_AFTER_ERROR_MS;
      log.error(errorFields(error), 'failed to read the mail queue');
    }
    polling = undefined;
    const boundedMs = Math.min(Math.max(pauseMs, MIN_SLEEP_MS), MAX_SLEEP_MS);
    if (running) timer = setTimeout(wake, boundedMs).unref();
  }

  function wake(): void {
    pollAgain = true;
    if (!running || polling) return;
    clearTimeout(timer);
    polling = run();
  }

  return {
    start() {
      running = true;
      wake();
    },
    async stop() {
      running = false;
      clearTimeout(timer);
      await polling;
    },
    wake,
  };
}

async function claimMails(connection: Connection, mails: QueuedMail[], untilMs: number): Promise<QueuedMail[]> {
  const claimed: QueuedMail[] = [];
  for (const mail of mails) {
    if (await updateMailClaimed(connection, mail, untilMs)) claimed.push({ ...mail, attempts: mail.attempts + 1 });
  }
  return claimed;
}

async function settledWithin(limitMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([work, limit]);
  clearTimeout(timer);
}
