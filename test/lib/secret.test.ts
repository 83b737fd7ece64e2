import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Random, systemRandom } from '../../src/lib/random.ts';
import {
  codeChallengeOf,
  equalSecrets,
  hashSecret,
  isApiKey,
  mintApiKey,
  mintCode,
  mintToken,
  normalizeCode,
} from '../../src/lib/secret.ts';

describe('keys, tokens and codes', () => {
  test('an API key is svc_live_ and 128 random bits in lower-case hex', () => {
    const keys = Array.from({ length: 1000 }, () => mintApiKey(systemRandom));
    for (const key of keys) expect(key).toMatch(/^svc_live_[0-9a-f]{32}$/);
    expect(new Set(keys).size).toBe(1000);
    expect(keys.every(isApiKey)).toBe(true);
  });

  test('a token contains 256 random bits', () => {
    const bytes = randomBytes(32);
    const random: Random = { bytes: (count) => bytes.subarray(0, count) };
    expect(Buffer.from(mintToken(random), 'base64url')).toEqual(bytes);
  });

  test('a code uses the alphabet evenly', () => {
    const letters = new Map<string, number>();
    for (let byte = 0; byte < 256; byte += 1) {
      const code = mintCode({ bytes: (count) => Buffer.alloc(count, byte) });
      expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z])\1{3}-\1{4}$/);
      letters.set(code[0]!, (letters.get(code[0]!) ?? 0) + 1);
    }
    expect([...letters.values()]).toEqual(Array(32).fill(8));
  });

  const malformed = [
    '',
    'svc_live_',
    `svc_live_${'a'.repeat(31)}`,
    `svc_live_${'a'.repeat(33)}`,
    `svc_live_${'A'.repeat(32)}`,
    `SVC_LIVE_${'a'.repeat(32)}`,
    `svc_live_${'g'.repeat(32)}`,
    `svc_test_${'a'.repeat(32)}`,
    ` svc_live_${'a'.repeat(32)}`,
    `svc_live_${'a'.repeat(32)}\n`,
    `svc_live_${'а'.repeat(32)}`,
  ];
  test.each(malformed)('%j is not an API key', (text) => {
    expect(isApiKey(text)).toBe(false);
  });

  test('a code is normalized however a person types it', () => {
    const variants: ((code: string) => string)[] = [
      (code) => code.toLowerCase(),
      (code) => code.replace('-', ''),
      (code) => code.replace('-', ' '),
      (code) => code.replace('-', '–'),
      (code) => code.replace('-', '‑'),
      (code) => ` ${[...code].join(' ')}\n`,
      (code) => code.replaceAll('0', 'O').replaceAll('1', 'l'),
      (code) => code.replaceAll('0', 'o').replaceAll('1', 'I'),
      (code) => code.replace(/[0-9A-Z]/g, (letter) => String.fromCodePoint(letter.codePointAt(0)! + 0xfee0)),
    ];
    const codes = fc
      .uint8Array({ minLength: 8, maxLength: 8 })
      .map((bytes) => mintCode({ bytes: () => Buffer.from(bytes) }));
    fc.assert(
      fc.property(codes, fc.constantFrom(...variants), (code, vary) => {
        expect(normalizeCode(vary(code))).toBe(code);
      }),
    );
  });

  test('different codes stay different when normalized', () => {
    const codes = fc
      .uint8Array({ minLength: 8, maxLength: 8 })
      .map((bytes) => mintCode({ bytes: () => Buffer.from(bytes) }));
    fc.assert(
      fc.property(codes, codes, (one, other) => {
        expect(normalizeCode(one) === normalizeCode(other)).toBe(one === other);
        expect(normalizeCode(`${one}0`)).not.toBe(one);
        expect(normalizeCode(one.slice(0, -1))).not.toBe(one);
      }),
    );
  });

  test('the challenge matches the example in RFC 7636', () => {
    expect(codeChallengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    );
  });

  test('secrets of any length are compared exactly', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(equalSecrets(one, other)).toBe(one === other);
        expect(equalSecrets(one, one)).toBe(true);
      }),
    );
    expect(hashSecret('abc')).toBe(createHash('sha256').update('abc').digest('hex'));
  });
});
