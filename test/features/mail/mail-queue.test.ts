import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Clock } from '../../../src/lib/clock.ts';
import { systemRandom } from '../../../src/lib/random.ts';
import { mintToken } from '../../../src/lib/secret.ts';
import { createMailer, type Mailer } from '../../../src/outside/mail.ts';
import { openMailbox } from '../../helpers/mailbox.ts';
import { createMailWorld, enqueue, type MailWorld, untilEmpty } from './mail-daemon.ts';

const MINUTE_MS = 60_000;

let world: MailWorld;
let nowMs: number;
const clock: Clock = { nowMs: () => nowMs, monotonicMs: () => performance.now() };

beforeEach(async () => {
  world = await createMailWorld();
  nowMs = Date.UTC(2026, 0, 5, 9);
});

afterEach(() => world.end());

function folderMailer(): Mailer {
  const mailDir = join(world.folder, 'mails');
  return createMailer({ mailDir, mailFrom: 'svc@example.org', show: () => {}, random: systemRandom, clock });
}

test('a mail queued while the SMTP server is down is sent once when it is back', async () => {
  const daemon = await world.start();
  await world.smtp.stop();
  await enqueue(daemon);
  await world.untilLogged('tried again');
  expect(await daemon.queue.pending()).toBe(1);
  await world.smtp.restart();
  await untilEmpty(daemon);
  await sleep(200);
  const [mail, ...others] = world.smtp.mails;
  expect(others).toEqual([]);
  expect(mail).toMatchObject({ to: ['ada@example.com'], from: 'svc <svc@example.org>', subject: 'Sign in' });
  expect(mail?.text).toContain('https://svc.example.org/v1/auth/callback?token=token');
});

test('a queued mail survives a restart of the daemon', async () => {
  await world.smtp.stop();
  const first = await world.start();
  await enqueue(first);
  await world.untilLogged('tried again');
  await first.stop();
  await world.smtp.restart();
  await untilEmpty(await world.start());
  expect(world.smtp.mails).toHaveLength(1);
});

test('a mail that is sent again bears the same Message-ID', async () => {
  const daemon = await world.start();
  world.smtp.failNext(1, 451, 'reply');
  await enqueue(daemon);
  await untilEmpty(daemon);
  const [first, second] = world.smtp.mails;
  expect(first?.messageId).toMatch(/^<[0-9a-f]+@example\.org>$/);
  expect(second?.messageId).toBe(first?.messageId);
});

test('a mail taken up by a daemon that died is taken up again', async () => {
  const stuck: Mailer = { name: 'terminal', send: vi.fn(() => new Promise<void>(() => {})), close() {} };
  const dead = await world.start({ clock, mailer: stuck });
  await enqueue(dead, { expiresAtMs: nowMs + 15 * MINUTE_MS });
  await vi.waitFor(() => expect(stuck.send).toHaveBeenCalled());
  const next = await world.start({ clock });
  await sleep(100);
  expect(world.smtp.mails).toHaveLength(0);
  nowMs += MINUTE_MS;
  next.queue.wake();
  await untilEmpty(next);
  expect(world.smtp.mails).toHaveLength(1);
});

test('two workers on one database send each mail once', async () => {
  const [one, other] = [await world.start(), await world.start()];
  for (let count = 0; count < 30; count += 1) await enqueue(count % 2 ? one : other, { token: `t${count}` });
  one.queue.wake();
  await untilEmpty(one);
  expect(new Set(world.smtp.mails.map((mail) => mail.messageId)).size).toBe(30);
  expect(world.smtp.mails).toHaveLength(30);
});

test('stopping waits for the mail under way and takes up no other', async () => {
  let arrive = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const send = vi.fn(() => arrival);
  const daemon = await world.start({ mailer: { name: 'terminal', send, close() {} } });
  await enqueue(daemon);
  await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(1));
  const stopped = daemon.queue.stop();
  await enqueue(daemon);
  arrive();
  await stopped;
  expect(await daemon.queue.pending()).toBe(1);
  expect(send).toHaveBeenCalledTimes(1);
});

test('no token of a queued mail is readable in the database or its log', async () => {
  const token = mintToken(systemRandom);
  const daemon = await world.start();
  world.smtp.failNext(Number.MAX_SAFE_INTEGER, 451);
  await enqueue(daemon, { token, to: 'canary@example.com' });
  await world.untilLogged('tried again');
  expect(await daemon.queue.pending()).toBe(1);
  expect(await readdir(world.folder)).toContain('svc.db-wal');
  const whileQueued = await world.databaseBytes();
  world.smtp.failNext(0, 0);
  await untilEmpty(daemon);
  await daemon.stop();
  const afterwards = await world.databaseBytes();
  expect(world.smtp.mails[0]?.text).toContain(token);
  for (const secret of [token, 'canary@example.com', 'auth/callback']) {
    expect(whileQueued.includes(secret)).toBe(false);
    expect(afterwards.includes(secret)).toBe(false);
    expect(JSON.stringify(world.logged)).not.toContain(secret);
  }
  expect(world.logged[0]?.fields).toMatchObject({ attempts: 1, responseCode: 451 });
});

test('a suppressed mail is never sent', async () => {
  const daemon = await world.start();
  await enqueue(daemon, { suppressed: true, to: 'nobody@example.com' });
  await enqueue(daemon, { to: 'ada@example.com' });
  await untilEmpty(daemon);
  expect(world.smtp.mails.map((mail) => mail.to)).toEqual([['ada@example.com']]);
  expect(world.smtp.attempts()).toBe(1);
});

test('an expired mail is given up', async () => {
  const daemon = await world.start({ clock });
  await world.smtp.stop();
  await enqueue(daemon, { expiresAtMs: nowMs + 15 * MINUTE_MS });
  await world.untilLogged('tried again');
  nowMs += 15 * MINUTE_MS;
  daemon.queue.wake();
  await untilEmpty(daemon);
  await world.untilLogged('given up: its link has expired');
  await world.smtp.restart();
  await sleep(100);
  expect(world.smtp.mails).toHaveLength(0);
});

test('a clock set back by an hour does not hold a mail up', async () => {
  const daemon = await world.start({ clock });
  await world.smtp.stop();
  await enqueue(daemon, { expiresAtMs: nowMs + 15 * MINUTE_MS });
  await world.untilLogged('tried again');
  await world.smtp.restart();
  nowMs -= 60 * MINUTE_MS;
  daemon.queue.wake();
  await untilEmpty(daemon);
  expect(world.smtp.mails).toHaveLength(1);
});

test('a permanent refusal is not tried again', async () => {
  const daemon = await world.start();
  world.smtp.failNext(1, 550);
  await enqueue(daemon, { to: 'gone@example.com' });
  await untilEmpty(daemon);
  await world.untilLogged('refused for good');
  expect(world.smtp.attempts()).toBe(1);
  world.smtp.failNext(1, 450);
  await enqueue(daemon, { to: 'ada@example.com' });
  await untilEmpty(daemon);
  expect(world.smtp.attempts()).toBe(3);
  expect(world.smtp.mails.map((mail) => mail.to)).toEqual([['ada@example.com']]);
});

test('a mail sealed with another master key is dropped and said so', async () => {
  await world.smtp.stop();
  const first = await world.start();
  await enqueue(first);
  await world.untilLogged('tried again');
  await first.stop();
  await world.smtp.restart();
  await untilEmpty(await world.start({ masterKey: randomBytes(32) }));
  await world.untilLogged('another master key');
  expect(world.smtp.mails).toHaveLength(0);
});

test('a mail of the folder transport is a whole .eml of mode 0600', async () => {
  const daemon = await world.start({ mailer: folderMailer(), clock });
  for (const token of ['first', 'second']) await enqueue(daemon, { token, expiresAtMs: nowMs + MINUTE_MS });
  await untilEmpty(daemon);
  const folder = join(world.folder, 'mails');
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
