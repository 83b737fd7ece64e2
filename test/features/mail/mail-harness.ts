import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Database, openDatabase } from '../../../src/db/open.ts';
import { createMailQueue, type MailQueue } from '../../../src/features/mail/mail-queue.ts';
import { type Clock, systemClock } from '../../../src/lib/clock.ts';
import { systemRandom } from '../../../src/lib/random.ts';
import { createSealer } from '../../../src/lib/seal.ts';
import { createMailer, type Mailer } from '../../../src/outside/mail.ts';
import { createMigratedDatabase } from '../../helpers/migrated-database.ts';
import { startSmtpServer, type TestSmtpServer } from '../../helpers/smtp.ts';
import { databaseBytes } from '../../helpers/stored-bytes.ts';

/** The mail part of a daemon, on the harness's database. */
export interface MailDaemon {
  queue: MailQueue;
  db: Database;
  stop(): Promise<void>;
}

interface DaemonOptions {
  mailer?: Mailer;
  /** Defaults to the system clock. */
  clock?: Clock;
  masterKey?: Buffer;
}

export interface MailRequest {
  to?: string;
  token?: string;
  suppressed?: boolean;
  expiresAtMs?: number;
}

/** A data folder, an SMTP server and the daemons' log. */
export interface MailHarness {
  folder: string;
  smtp: TestSmtpServer;
  logged: { level: string; fields: object; message: string }[];
  smtpMailer(): Mailer;
  start(options?: DaemonOptions): Promise<MailDaemon>;
  untilLogged(message: string): Promise<void>;
  /** Contents of the database file and its write-ahead log. */
  databaseBytes(): Promise<Buffer>;
  end(): Promise<void>;
}

export async function createMailHarness(): Promise<MailHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mail-'));
  await createMigratedDatabase(folder);
  const smtp = await startSmtpServer();
  const masterKey = randomBytes(32);
  const logged: MailHarness['logged'] = [];
  const daemons: MailDaemon[] = [];
  const smtpMailer = () =>
    createMailer({ smtpUrl: smtp.url, mailFrom: 'svc <svc@example.org>', show: () => {}, random: systemRandom });
  return {
    folder,
    smtp,
    logged,
    smtpMailer,
    async start(options = {}) {
      const daemon = await startDaemon(folder, logged, { mailer: smtpMailer(), masterKey, ...options });
      daemons.push(daemon);
      return daemon;
    },
    untilLogged: (message) => expect.poll(() => logged.map((line) => line.message).join('\n')).toContain(message),
    databaseBytes: () => databaseBytes(folder),
    async end() {
      for (const daemon of daemons) await daemon.stop();
      await smtp.stop();
      await rm(folder, { recursive: true });
    },
  };
}

async function startDaemon(
  folder: string,
  logged: MailHarness['logged'],
  { mailer, masterKey, clock = systemClock }: DaemonOptions & { mailer: Mailer; masterKey: Buffer },
): Promise<MailDaemon> {
  const db = await openDatabase(join(folder, 'svc.db'), { readerCount: 2, monotonicMs: clock.monotonicMs });
  const at = (level: string) => (fields: object, message: string) => logged.push({ level, fields, message });
  const queue = createMailQueue({
    db,
    clock,
    random: systemRandom,
    sealer: createSealer({ key: masterKey, random: systemRandom }),
    mailer,
    log: { info: at('info'), warn: at('warn'), error: at('error') },
    backoff: { firstMs: 20, maxMs: 80 },
    stopLimitMs: 500,
  });
  queue.start();
  let stopped: Promise<void> | undefined;
  async function stop(): Promise<void> {
    await queue.stop();
    mailer.close();
    await db.close();
  }
  return {
    queue,
    db,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** Queues a sign-in mail like a request does: in its own write, then wakes the worker. */
export async function enqueue({ db, queue }: MailDaemon, request: MailRequest = {}): Promise<void> {
  const { to = 'ada@example.com', token = 'token', suppressed = false } = request;
  const expiresAtMs = request.expiresAtMs ?? systemClock.nowMs() + 900_000;
  const link = `https://svc.example.org/v1/auth/callback?token=${token}`;
  const mail = { to, subject: 'Sign in', text: `Open ${link} now.\n`, html: `<a href="${link}">Sign in</a>` };
  await db.writes.write('daemon', (connection) => queue.enqueue(connection, mail, { suppressed, expiresAtMs }));
  queue.wake();
}

export async function untilEmpty({ queue }: MailDaemon): Promise<void> {
  await expect.poll(() => queue.pending()).toBe(0);
}
