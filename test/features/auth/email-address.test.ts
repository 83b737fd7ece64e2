import fc from 'fast-check';
import addressparser from 'nodemailer/lib/addressparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../../src/contract/errors.ts';
import { normalizeEmail } from '../../../src/features/accounts/email-address.ts';
import { isSingleAddress } from '../../../src/outside/mail.ts';
import { codePoint } from '../../helpers/code-point.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { askFor, mailsAfterAll, receiveLink, signInAs, startSignInDaemon, statusOf } from '../../helpers/sign-in.ts';

/** The normalized address, or undefined if it is rejected. */
function normalOf(text: string): string | undefined {
  try {
    return normalizeEmail(text);
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_request') return undefined;
    throw error;
  }
}

/** Generates near-valid addresses, lists, and texts that a mail client could parse as several addresses. */
const nearlyAnAddress = () => {
  const piece = fc.constantFrom(
    ...[
      'ada',
      'ADA',
      'example.com',
      'bücher.example',
      '.',
      '@',
      '＠',
      '﹫',
      ',',
      '，',
      ';',
      '"',
      '\\',
      '<',
      '>',
      '(',
      ')',
    ],
    ...[
      ' ',
      '\r\n',
      '\n',
      '\t',
      '\0',
      '\u00a0',
      '\u200b',
      '\u202e',
      '\ufeff',
      ':',
      '%',
      '!',
      '+tag',
      '-',
      '_',
      '=?utf-8?q?',
    ],
    ...[
      'J\u030c',
      'İ',
      'ß',
      'ﬁ',
      'Å',
      'K',
      'e\u0301',
      'Σ',
      '１',
      '\ud800',
      '😀',
      'xn--',
      '127.1',
      '[::1]',
      'Bcc: eve@example.com',
    ],
  );
  return fc.oneof(
    fc
      .array(
        fc.oneof(
          { weight: 4, arbitrary: piece },
          { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 4 }) },
        ),
        {
          maxLength: 9,
        },
      )
      .map((pieces) => pieces.join('')),
    fc.tuple(fc.emailAddress(), piece).map(([address, more]) => address + more),
    fc.tuple(piece, fc.emailAddress()).map(([more, address]) => more + address),
    fc
      .tuple(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }), fc.domain())
      .map(([local, domain]) => `${local}@${domain}`),
  );
};

describe('normalizing an email address', () => {
  test('accepts only texts with exactly one recipient, according to svc and the mail library', () => {
    fc.assert(
      fc.property(nearlyAnAddress(), (text) => {
        const normal = normalOf(text);
        if (normal === undefined) return;
        expect(isSingleAddress(normal)).toBe(true);
        expect(
          addressparser(normal).map((recipient) => ('address' in recipient ? recipient.address : recipient)),
        ).toEqual([normal]);
        expect(normal).not.toMatch(/[\s\p{Cc}\p{Cf}\p{Cs},;:"<>()[\]\\]/u);
        expect(Buffer.byteLength(normal)).toBeLessThanOrEqual(254);
      }),
      { numRuns: 500 },
    );
  });

  test('is idempotent', () => {
    fc.assert(
      fc.property(nearlyAnAddress(), (text) => {
        const normal = normalOf(text);
        if (normal !== undefined) expect(normalizeEmail(normal)).toBe(normal);
      }),
      { numRuns: 500 },
    );
  });

  test('accepts ordinary addresses in any case and lower-cases them', () => {
    const ordinary = fc
      .tuple(fc.stringMatching(/^[a-z0-9]+([._+-][a-z0-9]+){0,2}$/, { maxLength: 30 }), fc.domain())
      .map(([local, domain]) => `${local}@${domain}`);
    fc.assert(
      fc.property(ordinary, fc.boolean(), (address, loud) => {
        fc.pre(address.length <= 64);
        expect(normalizeEmail(loud ? address.toUpperCase() : address)).toBe(address.toLowerCase());
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['J\u030cose@example.com', '\u01f0ose@example.com'],
    ['ADA@Bücher.Example', 'ada@xn--bcher-kva.example'],
    ['\tada@example.com\r\n', 'ada@example.com'],
    ["o'hara+svc@example.com", "o'hara+svc@example.com"],
    ['用户@例子.广告', '用户@xn--fsqu00a.xn--4rr70v'],
    ['ada@localhost', 'ada@localhost'],
  ])('%j becomes %j', (text, normal) => {
    expect(normalizeEmail(text)).toBe(normal);
  });

  test.each(['ada@127.1', 'ada@0x7f.1', 'ada@1', 'ada@127.0.0.1', 'ada@[127.0.0.1]', 'ada@[::1]', 'ada@example.1'])(
    'rejects a numeric host: %s',
    (text) => {
      expect(normalOf(text)).toBeUndefined();
    },
  );

  test.each([
    ['local part of 64 bytes', `${'a'.repeat(64)}@example.com`, true],
    ['local part of 65 bytes', `${'a'.repeat(65)}@example.com`, false],
    ['254 bytes', `${'a'.repeat(60)}@${`${'b'.repeat(60)}.`.repeat(3)}${'c'.repeat(10)}`, true],
    ['255 bytes', `${'a'.repeat(61)}@${`${'b'.repeat(60)}.`.repeat(3)}${'c'.repeat(10)}`, false],
    ['254 letters of more bytes', `${'ü'.repeat(32)}@${`${'b'.repeat(60)}.`.repeat(3)}${'c'.repeat(30)}`, false],
  ])('%s', (_name, text, accepted) => {
    expect(normalOf(text) !== undefined).toBe(accepted);
  });
});

describe('POST /v1/auth/magic-link', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startSignInDaemon();
  });
  afterAll(() => daemon.close());

  const oneAccount: [string, string[]][] = [
    [
      'ada@example.com',
      [
        'ada@example.com',
        'ADA@Example.COM',
        '  ada@example.com\r\n',
        'ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ',
        'ada﹫example．com',
      ],
    ],
    ['bob@xn--bcher-kva.example', ['bob@bücher.example', 'Bob@BÜCHER.example', 'bob@xn--bcher-kva.example']],
    ['e\u0301'.normalize('NFC').concat('ve@example.com'), ['e\u0301ve@example.com', 'Éve@example.com']],
  ];
  test.each(oneAccount)('%s is one account in every spelling', async (normal, spellings) => {
    const tenants = new Set<string>();
    for (const spelling of spellings) {
      daemon.clock.advance(61_000);
      const [before] = (await daemon.mailbox.mailsTo(normal)).slice(-1);
      expect((await askFor(daemon, { email: spelling })).status).toBe(202);
      const link = await daemon.mailbox.latestLink(normal, { after: before?.name });
      const apiKey = /#key=(.*)$/.exec((await daemon.redeem(link)).headers.get('location') ?? '')?.[1];
      const account = await daemon.call<{ tenantId: string; email: string }>(apiKey, '/v1/account');
      expect(account.body.email).toBe(normal);
      tenants.add(account.body.tenantId);
    }
    expect(tenants.size).toBe(1);
  });

  const refused: [string, unknown][] = [
    ['two with a comma', 'ada@example.com,eve@example.com'],
    ['two with a full-width comma', 'ada@example.com，eve@example.com'],
    ['two with a semicolon', 'ada@example.com;eve@example.com'],
    ['two with a space', 'ada@example.com eve@example.com'],
    ['a header injection', 'ada@example.com\r\nBcc: eve@example.com'],
    ['a line feed', 'ada@example.com\neve@example.com'],
    ['a NUL', 'ada@example.com\0eve@example.com'],
    ['quotes', '"ada eve"@example.com'],
    ['a display name', 'Ada <ada@example.com>'],
    ['a comment', 'ada(eve@example.com)@example.com'],
    ['two at signs', 'ada@eve@example.com'],
    ['a second at sign that is full-width', 'ada＠eve@example.com'],
    ['a group', 'friends:ada@example.com,eve@example.com;'],
    ['a source route', '@eve.example:ada@example.com'],
    ['a zero-width character', 'ada\u200b@example.com'],
    ['a right-to-left override', 'ada\u202e@example.com'],
    ['an unpaired surrogate', 'ada\ud800@example.com'],
    ['no local part', '@example.com'],
    ['no domain', 'ada@'],
    ['no at sign', 'ada.example.com'],
    ['two dots', 'ada@example..com'],
    ['three hundred characters', `${'a'.repeat(288)}@example.com`],
    ['two thousand characters', `${'a'.repeat(2000)}@example.com`],
    ['nothing', ''],
    ['a list', ['ada@example.com', 'eve@example.com']],
    ['an object', { address: 'ada@example.com' }],
    ['a number', 5],
    ['null', null],
  ];
  test.each(refused)('rejects %s with 400 and sends no mail', async (_name, email) => {
    const names = async () => (await daemon.db.readers.all('SELECT tokenHash FROM signInLinks')).length;
    const before = await names();
    const answer = await askFor(daemon, { email });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    expect(await names()).toBe(before);
  });

  test('sends each mail to exactly one recipient', async () => {
    const email = "o'hara+svc@example.com";
    expect(await statusOf(daemon, await signInAs(daemon, email))).toBe(200);
    await receiveLink(daemon, email);
    const mails = await daemon.mailbox.mailsTo(email);
    expect(mails).toHaveLength(await mailsAfterAll(daemon, email));
    for (const { headers } of mails) {
      expect(headers.get('to')).toEqual([email]);
      expect([headers.get('cc'), headers.get('bcc')]).toEqual([undefined, undefined]);
    }
  });
});
