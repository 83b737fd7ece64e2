import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { nextUtcDayMs, nextUtcMonthMs, parseTimestamp, toTimestamp, utcDay } from '../../src/lib/clock.ts';

const zone = process.env.TZ;
const ZONES = ['UTC', 'America/New_York', 'Pacific/Kiritimati', 'Australia/Lord_Howe'];

afterAll(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const at = (text: string) => Date.parse(text);
const instants = fc.integer({ min: at('1970-01-01T00:00:00Z'), max: at('2200-01-01T00:00:00Z') });

describe.each(ZONES)('on a machine in %s', (name) => {
  test('days and months begin at midnight UTC', () => {
    process.env.TZ = name;
    fc.assert(
      fc.property(instants, (nowMs) => {
        const day = nextUtcDayMs(nowMs);
        expect(toTimestamp(day).slice(10)).toBe('T00:00:00.000Z');
        expect(day - nowMs).toBeGreaterThan(0);
        expect(day - nowMs).toBeLessThanOrEqual(86_400_000);
        expect(utcDay(day - 1)).toBe(utcDay(nowMs));
        const month = nextUtcMonthMs(nowMs);
        expect(toTimestamp(month).slice(8)).toBe('01T00:00:00.000Z');
        expect(utcDay(month - 1).slice(0, 7)).toBe(utcDay(nowMs).slice(0, 7));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['2026-03-08T06:59:59.999Z', '2026-03-08', '2026-03-09T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    ['2026-03-08T07:00:00.000Z', '2026-03-08', '2026-03-09T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
    ['2026-11-01T05:30:00.000Z', '2026-11-01', '2026-11-02T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-31', '2027-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['2028-02-28T23:59:59.999Z', '2028-02-28', '2028-02-29T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['2026-03-01T00:00:00.000Z', '2026-03-01', '2026-03-02T00:00:00.000Z', '2026-04-01T00:00:00.000Z'],
  ])('%s belongs to %s', (instant, day, nextDay, nextMonth) => {
    process.env.TZ = name;
    expect([
      utcDay(at(instant)),
      toTimestamp(nextUtcDayMs(at(instant))),
      toTimestamp(nextUtcMonthMs(at(instant))),
    ]).toEqual([day, nextDay, nextMonth]);
  });

  test('rejects a timestamp without an offset', () => {
    process.env.TZ = name;
    for (const text of ['2026-01-01T00:00:00', '2026-01-01 00:00:00', '2026-01-01', '2026', 'Jan 5 2026']) {
      expect(parseTimestamp(text), text).toBeUndefined();
    }
  });
});

describe('a timestamp', () => {
  test.each([
    ['2026-11-20T09:00:00.000Z', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20t09:00:00z', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20 09:00:00Z', '2026-11-20T09:00:00.000Z'],
    ['2026-11-20T09:00:00.123456789+02:00', '2026-11-20T07:00:00.123Z'],
    ['2026-11-20T09:00:00-00:00', '2026-11-20T09:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is parsed', (text, instant) => {
    expect(toTimestamp(parseTimestamp(text)!)).toBe(instant);
  });

  test.each([
    '',
    'now',
    '2026-02-29T00:00:00Z',
    '2024-02-30T00:00:00Z',
    '2100-02-29T00:00:00Z',
    '2026-04-31T12:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-12-31T23:59:60Z',
    '2026-01-01T00:00:00+0100',
    '2026-01-01T00:00:00+25:00',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '+10000-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n',
    '٢٠٢٦-01-01T00:00:00Z',
  ])('%j is rejected', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  test('round-trips through formatting and parsing', () => {
    fc.assert(
      fc.property(instants, (nowMs) => {
        expect(parseTimestamp(toTimestamp(nowMs))).toBe(nowMs);
      }),
    );
  });
});
