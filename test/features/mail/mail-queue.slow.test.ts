import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Clock } from '../../../src/lib/clock.ts';
import { systemRandom } from '../../../src/lib/random.ts';
import { mintToken } from '../../../src/lib/secret.ts';
import { createMailer, type Mailer } from '../../../src/outside/mail.ts';
import { openMailbox } from '../../helpers/mailbox.ts';
import { createMailHarness, enqueue, type MailHarness, untilEmpty } from './mail-harness.ts';

const MINUTE_MS = 60_000;

let harness: MailHarness;
let nowMs: number;
const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => performance.now() };

beforeEach(async () => {
  harness = await createMailHarness();
  nowMs = Date.UTC(2026, 0, 5, 9);
});

afterEach(() => harness.end());

function folderMailer(): Mailer {
  const mailDir = join(harness.folder, 'mails');
  return createMailer({ mailDir, mailFrom: 'svc@example.org', show: () => {}, random: systemRandom, clock });
}

test('sends a mail once after the SMTP server comes back', async () => {
  const daemon = await harness.start();
  await harness.smtp.stop();
  await enqueue(daemon);
  await harness.untilLogged('will retry');
  expect(await daemon.queue.pending()).toBe(1);
  await harness.smtp.restart();
  await untilEmpty(daemon);
  await daemon.stop();
  const [mail, ...others] = harness.smtp.mails;
  expect(others).toEqual([]);
  expect(mail).toMatchObject({ to: ['ada@example.com'], from: 'svc <svc@example.org>', subject: 'Sign in' });
  expect(mail?.text).toContain('https://svc.example.org/v1/auth/callback?token=token');
});

test('keeps queued mails across a daemon restart', async () => {
  await harness.smtp.stop();
  const first = await harness.start();
  await enqueue(first);
  await harness.untilLogged('will retry');
  await first.stop();
  await harness.smtp.restart();
  await untilEmpty(await harness.start());
  expect(harness.smtp.mails).toHaveLength(1);
});

test('retries with the same Message-ID', async () => {
  const daemon = await harness.start();
  harness.smtp.failNext(1, 451, 'reply');
  await enqueue(daemon);
  await untilEmpty(daemon);
  const [first, second] = harness.smtp.mails;
  expect(first?.messageId).toMatch(/^<[0-9a-f]+@example\.org>$/);
  expect(second?.messageId).toBe(first?.messageId);
});

test('claims a mail again after the daemon that claimed it crashed', async () => {
  const stuck: Mailer = { name: 'terminal', send: vi.fn(() => new Promise<void>(() => {})), close() {} };
  const dead = await harness.start({ clock, mailer: stuck });
  await enqueue(dead, { expiresAtMs: nowMs + 15 * MINUTE_MS });
  await expect.poll(() => stuck.send).toHaveBeenCalled();
  const next = await harness.start({ clock });
  await enqueue(next, { to: 'grace@example.com' });
  const recipients = () => harness.smtp.mails.map(({ to }) => to[0]);
  await expect.poll(recipients).toEqual(['grace@example.com']);
  nowMs += MINUTE_MS;
  next.queue.wake();
  await untilEmpty(next);
  expect(recipients()).toEqual(['grace@example.com', 'ada@example.com']);
});

test('sends each mail once with two workers on one database', async () => {
  const [one, other] = [await harness.start(), await harness.start()];
  for (let count = 0; count < 30; count += 1) await enqueue(count % 2 ? one : other, { token: `t${count}` });
  one.queue.wake();
  await untilEmpty(one);
  expect(new Set(harness.smtp.mails.map((mail) => mail.messageId)).size).toBe(30);
  expect(harness.smtp.mails).toHaveLength(30);
});

test('stop waits for the mail in flight and claims no other', async () => {
  let arrive = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const send = vi.fn(() => arrival);
  const daemon = await harness.start({ mailer: { name: 'terminal', send, close() {} } });
  await enqueue(daemon);
  await expect.poll(() => send).toHaveBeenCalledTimes(1);
  const stopped = daemon.queue.stop();
  await enqueue(daemon);
  arrive();
  await stopped;
  expect(await daemon.queue.pending()).toBe(1);
  expect(send).toHaveBeenCalledTimes(1);
});

test('stores no readable token of a queued mail in the database or its log', async () => {
  const token = mintToken(systemRandom);
  const daemon = await harness.start();
  harness.smtp.failNext(Number.MAX_SAFE_INTEGER, 451);
  await enqueue(daemon, { token, to: 'canary@example.com' });
  await harness.untilLogged('will retry');
  expect(await daemon.queue.pending()).toBe(1);
  expect(await readdir(harness.folder)).toContain('svc.db-wal');
  const whileQueued = await harness.databaseBytes();
  harness.smtp.failNext(0, 0);
  await untilEmpty(daemon);
  await daemon.stop();
  const afterwards = await harness.databaseBytes();
  expect(harness.smtp.mails[0]?.text).toContain(token);
  for (const secret of [token, 'canary@example.com', 'auth/callback']) {
    expect(whileQueued.includes(secret)).toBe(false);
    expect(afterwards.includes(secret)).toBe(false);
    expect(JSON.stringify(harness.logged)).not.toContain(secret);
  }
  expect(harness.logged[0]?.fields).toMatchObject({ attempts: 1, responseCode: 451 });
});

test('never sends a suppressed mail', async () => {
  const daemon = await harness.start();
  await enqueue(daemon, { suppressed: true, to: 'nobody@example.com' });
  await enqueue(daemon, { to: 'ada@example.com' });
  await untilEmpty(daemon);
  expect(harness.smtp.mails.map((mail) => mail.to)).toEqual([['ada@example.com']]);
  expect(harness.smtp.attempts()).toBe(1);
});

test('drops a mail whose link has expired', async () => {
  const daemon = await harness.start({ clock });
  await harness.smtp.stop();
  await enqueue(daemon, { expiresAtMs: nowMs + 15 * MINUTE_MS });
  await harness.untilLogged('will retry');
  nowMs += 15 * MINUTE_MS;
  daemon.queue.wake();
  await untilEmpty(daemon);
  await harness.untilLogged('mail dropped: its link has expired');
  await harness.smtp.restart();
  await daemon.stop();
  expect(harness.smtp.mails).toHaveLength(0);
});

test('sends due mails without delay when the clock is set back by an hour', async () => {
  const daemon = await harness.start({ clock });
  await harness.smtp.stop();
  await enqueue(daemon, { expiresAtMs: nowMs + 15 * MINUTE_MS });
  await harness.untilLogged('will retry');
  await harness.smtp.restart();
  nowMs -= 60 * MINUTE_MS;
  daemon.queue.wake();
  await untilEmpty(daemon);
  expect(harness.smtp.mails).toHaveLength(1);
});

test('does not retry a permanently rejected mail', async () => {
  const daemon = await harness.start();
  harness.smtp.failNext(1, 550);
  await enqueue(daemon, { to: 'gone@example.com' });
  await untilEmpty(daemon);
  await harness.untilLogged('permanently rejected');
  expect(harness.smtp.attempts()).toBe(1);
  harness.smtp.failNext(1, 450);
  await enqueue(daemon, { to: 'ada@example.com' });
  await untilEmpty(daemon);
  expect(harness.smtp.attempts()).toBe(3);
  expect(harness.smtp.mails.map((mail) => mail.to)).toEqual([['ada@example.com']]);
});

test('drops a mail sealed with a different master key and logs it', async () => {
  await harness.smtp.stop();
  const first = await harness.start();
  await enqueue(first);
  await harness.untilLogged('will retry');
  await first.stop();
  await harness.smtp.restart();
  await untilEmpty(await harness.start({ masterKey: randomBytes(32) }));
  await harness.untilLogged('a different master key');
  expect(harness.smtp.mails).toHaveLength(0);
});

test('writes each mail to the folder transport as a complete .eml file with mode 0600', async () => {
  const daemon = await harness.start({ mailer: folderMailer(), clock });
  for (const token of ['first', 'second']) await enqueue(daemon, { token, expiresAtMs: nowMs + MINUTE_MS });
  await untilEmpty(daemon);
  const folder = join(harness.folder, 'mails');
  const names = await readdir(folder);
  expect(names).toHaveLength(2);
  for (const name of names) {
    expect(name).toMatch(/^20260105T090000000Z-\d{6}-[0-9a-f]{12}\.eml$/);
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  }
  const mailbox = openMailbox(folder);
  const [first] = await mailbox.mailsTo('ada@example.com');
  expect(first?.raw.endsWith('--\r\n')).toBe(true);
  expect(first).toMatchObject({ subject: 'Sign in', html: expect.stringContaining('?token=first"') });
  expect(await mailbox.latestLink('ADA@example.com')).toBe('https://svc.example.org/v1/auth/callback?token=second');
  expect((await mailbox.waitForMail('ada@example.com', { after: first?.name })).text).toContain('token=second');
});
