import type { Database } from '../../db/open.ts';
import { type BackoffRange, backoffMs } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { chanceOf, type Random } from '../../lib/random.ts';
import type { Sealer } from '../../lib/seal.ts';
import { type Mail, type Mailer, MailFault } from '../../outside/mail.ts';
import { deleteMail, type QueuedMail, updateMailDeferred } from './mail-store.ts';

/** A mail to enqueue. The queue assigns its Message-ID. */
export type NewMail = Omit<Mail, 'messageId'>;

export interface DeliveryOptions {
  db: Database;
  clock: Clock;
  random: Random;
  sealer: Sealer;
  mailer: Mailer;
  log: Log;
  /** `BACKOFF` by default. */
  backoff?: BackoffRange;
}

export const BACKOFF: BackoffRange = { firstMs: 1000, maxMs: 60_000 };

/** Context that binds a sealed mail to its row. */
export function sealContext(mailId: string): string {
  return `mail:${mailId}`;
}

/** Creates a function that sends, defers or drops one claimed mail. It throws only if the database fails. */
export function createDelivery(options: DeliveryOptions): (queued: QueuedMail) => Promise<void> {
  const { db, clock, random, sealer, mailer, log, backoff = BACKOFF } = options;
  const remove = (mailId: string) => db.writes.write('daemon', (connection) => deleteMail(connection, mailId));

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
      log.warn(fields, 'mail dropped: permanently rejected');
      return remove(mailId);
    }
    const pauseMs = backoffMs(attempts, backoff, chanceOf(random));
    log.warn({ ...fields, pauseMs }, 'sending a mail failed, will retry');
    const nextAttemptAt = Math.min(clock.nowMs() + pauseMs, expiresAt);
    await db.writes.write('daemon', (connection) =>
      updateMailDeferred(connection, { mailId, attempts }, nextAttemptAt),
    );
  }

  return async (queued) => {
    const { mailId, attempts } = queued;
    const mail = open(queued);
    if (!mail) log.error({ mailId }, 'mail dropped: sealed with a different master key');
    if (!mail || queued.suppressed) return remove(mailId);
    if (queued.expiresAt <= clock.nowMs()) {
      log.warn({ mailId, attempts }, 'mail dropped: its link has expired');
      return remove(mailId);
    }
    try {
      await mailer.send({ ...mail, messageId: mailId });
    } catch (error) {
      return handleFailure(queued, error);
    }
    await remove(mailId);
    log.info({ mailId, attempts }, 'mail sent');
  };
}

/** Loggable fields of an error. Codes only: messages may quote an address or a path. */
export function errorFields(error: unknown): { code: string; responseCode?: number } {
  const { code, responseCode, name } = error as { code?: string; responseCode?: number; name?: string };
  return { code: code ?? name ?? 'unknown', ...(responseCode === undefined ? {} : { responseCode }) };
}
