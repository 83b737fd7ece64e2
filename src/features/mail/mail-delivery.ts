import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import type { Sealer } from '../../lib/seal.ts';
import { type Mail, type Mailer, MailFault } from '../../outside/mail.ts';
import { deleteMail, type QueuedMail, updateMailDeferred } from './mail-store.ts';

/** What is put into the queue: everything but the id, which the queue gives. */
export type NewMail = Omit<Mail, 'messageId'>;

export interface DeliveryOptions {
  db: Database;
  clock: Clock;
  random: Random;
  sealer: Sealer;
  mailer: Mailer;
  log: Log;
  /** The pause after the first failure and the longest one; it doubles in between. */
  backoffMs?: { first: number; most: number };
}

export const BACKOFF_MS = { first: 1000, most: 60_000 };

/** Binds a sealed mail to its row. */
export function sealContext(mailId: string): string {
  return `mail:${mailId}`;
}

/** What becomes of one mail that was taken up: sent, put off or given up. Throws only where the database fails. */
export function createDelivery(options: DeliveryOptions): (queued: QueuedMail) => Promise<void> {
  const { db, clock, random, sealer, mailer, log, backoffMs = BACKOFF_MS } = options;
  const remove = (mailId: string) => db.writes.write((connection) => deleteMail(connection, mailId));

  function open({ mailId, sealed }: QueuedMail): NewMail | undefined {
    try {
      return JSON.parse(sealer.open(sealed, sealContext(mailId))) as NewMail;
    } catch {
      return undefined;
    }
  }

  async function handleFailure({ mailId, attempts, expiresAt }: QueuedMail, error: unknown): Promise<void> {
    const fields = { mailId, attempts, ...errorFields(error) };
    if (error instanceof MailFault && error.permanent) {
      log.warn(fields, 'a mail was given up: it was refused for good');
      return remove(mailId);
    }
    const pauseMs = backoffAfter(attempts, backoffMs, random);
    log.warn({ ...fields, pauseMs }, 'a mail was not sent and will be tried again');
    const nextAttemptAt = Math.min(clock.nowMs() + pauseMs, expiresAt);
    await db.writes.write((connection) => updateMailDeferred(connection, mailId, nextAttemptAt));
  }

  return async (queued) => {
    const { mailId, attempts } = queued;
    const mail = open(queued);
    if (!mail) log.error({ mailId }, 'a queued mail was dropped: it was sealed with another master key');
    if (!mail || queued.suppressed) return remove(mailId);
    if (queued.expiresAt <= clock.nowMs()) {
      log.warn({ mailId, attempts }, 'a mail was given up: its link has expired');
      return remove(mailId);
    }
    try {
      await mailer.send({ ...mail, messageId: mailId });
    } catch (error) {
      return handleFailure(queued, error);
    }
    await remove(mailId);
    log.info({ mailId, attempts }, 'a mail was sent');
  };
}

/** Doubles from `first` to `most`; drawn from the upper half of that, so that mails do not come back all at once. */
function backoffAfter(attempts: number, { first, most }: { first: number; most: number }, random: Random): number {
  const full = Math.min(most, first * 2 ** (attempts - 1));
  const fraction = random.bytes(4).readUInt32BE() / 2 ** 32;
  return Math.ceil((full / 2) * (1 + fraction));
}

/** What a log may say of a failure. Codes only: messages may quote an address or a path. */
export function errorFields(error: unknown): { code: string; responseCode?: number } {
  const { code, responseCode, name } = error as { code?: string; responseCode?: number; name?: string };
  return { code: code ?? name ?? 'unknown', ...(responseCode === undefined ? {} : { responseCode }) };
}
