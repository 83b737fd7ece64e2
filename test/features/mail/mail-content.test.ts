import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { signInMail } from '../../../src/features/auth/sign-in-mail.ts';
import { systemRandom } from '../../../src/lib/random.ts';
import { createMailer } from '../../../src/outside/mail.ts';
import { createMailHarness, enqueue, type MailHarness, untilEmpty } from './mail-harness.ts';

let harness: MailHarness;

beforeEach(async () => {
  harness = await createMailHarness();
});

afterEach(() => harness.end());

const MAIL = { to: 'ada@example.com', subject: 'Sign in', text: 'text', html: '<p>text</p>', messageId: 'id' };

function mailerWith(settings: {
  smtpUrl?: string;
  mailFrom?: string;
  mailDir?: string;
  show?: (text: string) => void;
}) {
  return createMailer({ mailFrom: 'svc@example.org', show: () => {}, random: systemRandom, ...settings });
}

const NOT_A_SINGLE_ADDRESS = [
  'ada@example.com,eve@example.com',
  'ada@example.com;eve@example.com',
  'ada@example.com eve@example.com',
  'ada@example.com\r\nBcc: eve@example.com',
  'ada@example.com\nRCPT TO:<eve@example.com>',
  'Ada <ada@example.com>',
  '"eve@example.com," <ada@example.com>',
  'ada@example.com<eve@example.com>',
  'eve@example.com@example.com',
  'group:ada@example.com',
  '"a,eve@example.com"@example.com',
  'ada@example.com\uFF0Ceve@example.com',
  'ada\uFF20example.com',
  'ada\u200b@example.com',
  'ada@[eve@example.com]',
  `${'a'.repeat(300)}@example.com`,
  'ada',
  '',
];

test('accepts exactly one recipient', async () => {
  const daemon = await harness.start();
  const mailers = [harness.smtpMailer(), mailerWith({ mailDir: join(harness.folder, 'mails') }), mailerWith({})];
  for (const to of NOT_A_SINGLE_ADDRESS) {
    await expect(enqueue(daemon, { to }), to).rejects.toMatchObject({ code: 'invalid_request' });
    for (const mailer of mailers) {
      await expect(mailer.send({ ...MAIL, to }), to).rejects.toMatchObject({ permanent: true });
    }
  }
  for (const mailer of mailers) mailer.close();
  for (const to of ["o'neil+svc@mail.example.com", 'ada@bücher.example']) await enqueue(daemon, { to });
  await untilEmpty(daemon);
  expect(harness.smtp.mails.map((mail) => mail.to).sort()).toEqual([
    ['ada@bücher.example'],
    ["o'neil+svc@mail.example.com"],
  ]);
});

test('a subject or message ID cannot inject a header', async () => {
  const mailer = harness.smtpMailer();
  const subject = 'Sign in\r\nBcc: eve@example.com\r\n\r\nbody';
  await mailer.send({ ...MAIL, subject, messageId: 'id\r\nCc: eve@example.com' });
  mailer.close();
  expect(harness.smtp.mails[0]?.to).toEqual(['ada@example.com']);
  const names = [...(harness.smtp.mails[0]?.headers.keys() ?? [])];
  expect(names).toContain('auto-submitted');
  expect(names.filter((name) => name === 'bcc' || name === 'cc')).toEqual([]);
});

test('prints the whole mail to the terminal in one block without control characters', async () => {
  const show = vi.fn();
  const link = `https://svc.example.org/v1/auth/callback?token=${'t'.repeat(100)}`;
  await mailerWith({ show }).send({ ...MAIL, text: `Hello\u001b[2J\n${link}\n` });
  expect(show).toHaveBeenCalledTimes(1);
  const [block] = show.mock.calls[0] as [string];
  expect(block).toContain('To:      ada@example.com');
  expect(block).toContain('Subject: Sign in');
  expect(block).toContain(`│ ${link}\n`);
  expect(block).not.toContain('\u001b');
});

test('rejects invalid mail settings', () => {
  const invalid = [
    { smtpUrl: 'http://user:secret@example.org' },
    { smtpUrl: 'mail.example.org' },
    { mailFrom: 'a@example.org, b@example.org' },
    { mailFrom: 'svc' },
  ];
  const rejection = expect.objectContaining({ code: 'unprocessable', message: expect.not.stringContaining('secret') });
  for (const settings of invalid) expect(() => mailerWith(settings)).toThrow(rejection);
});

test('an SMTP URL cannot make the daemon print mails', async () => {
  const printed = vi.spyOn(process.stdout, 'write');
  const logged = vi.spyOn(console, 'log');
  const mailer = mailerWith({ smtpUrl: `${harness.smtp.url}?logger=true&debug=true&transactionLog=true` });
  await mailer.send(MAIL);
  mailer.close();
  const output = JSON.stringify([printed.mock.calls, logged.mock.calls]);
  printed.mockRestore();
  logged.mockRestore();
  expect(harness.smtp.mails).toHaveLength(1);
  expect(output).not.toContain('ada@example.com');
});

test('includes the sign-in link once in the text part and as button and plain text in the HTML part', () => {
  const link = 'https://svc.example.org/v1/auth/callback?token=abc&x="1"';
  const { to, subject, text, html } = signInMail({
    kind: 'browser',
    link,
    email: 'ada@example.com',
    expiresInMinutes: 15,
  });
  expect({ to, subject }).toEqual({ to: 'ada@example.com', subject: 'Sign in to svc' });
  expect(text.split(link)).toHaveLength(2);
  expect(text.split(/https?:/)).toHaveLength(2);
  const escaped = 'https://svc.example.org/v1/auth/callback?token=abc&amp;x=&quot;1&quot;';
  expect(html.split(escaped)).toHaveLength(3);
  for (const part of [text, html]) expect(part).toMatch(/15 minutes.*ignore it/s);
});

test('renders an untrusted terminal name as neither a link nor markup', () => {
  const device = '<b>Prize</b>\r\nhttps://evil.example/x?y "laptop"';
  const options = {
    kind: 'terminal' as const,
    link: 'https://svc.example.org/l',
    email: 'ada@example.com',
    expiresInMinutes: 15,
    device,
  };
  const { subject, text, html } = signInMail({ ...options, requestedFrom: '203.0.113.7' });
  for (const part of [text, html]) {
    expect(part).toContain('laptop');
    expect(part).toContain('203.0.113.7');
    expect(part).not.toMatch(/evil\.example|<b>/);
  }
  expect(subject).toBe('Sign in to svc from a terminal');
});
