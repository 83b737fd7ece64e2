import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canSendMail, type SignInKind } from '../../../src/features/auth/mail-rate-limit.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 10, 20);

interface Request {
  atMs: number;
  kind: SignInKind;
}

/** Which of these requests get a mail, if each link lives for `liveMs`. */
function mailedRequests(requests: readonly Request[], liveMs: number): Request[] {
  const mailed: Request[] = [];
  for (const request of requests) {
    const { kind, atMs: nowMs } = request;
    const history = mailed.map((earlier) => ({
      kind: earlier.kind,
      createdAt: earlier.atMs,
      live: nowMs < earlier.atMs + liveMs,
    }));
    if (canSendMail(kind, history, nowMs)) mailed.push(request);
  }
  return mailed;
}

/** The same for requests of one kind at these instants. */
function mailedOf(instants: readonly number[], liveMs: number, kind: SignInKind = 'browser'): number[] {
  const requests = instants.map((atMs) => ({ atMs, kind }));
  return mailedRequests(requests, liveMs).map(({ atMs }) => atMs);
}

const every = (stepMs: number, count: number) => Array.from({ length: count }, (_, index) => START + index * stepMs);

describe('the mail rate limit', () => {
  test('allows three mails at once but not a fourth', () => {
    expect(mailedOf(every(0, 20), 0)).toHaveLength(3);
  });

  test('allows terminals two mails at once, one more every two minutes and five per hour', () => {
    const terminal = (instants: readonly number[]) => mailedOf(instants, 0, 'terminal');
    const two = every(0, 2);
    expect(terminal(every(0, 20))).toHaveLength(2);
    expect(terminal([...two, START + 2 * MINUTE - 1])).toHaveLength(2);
    expect(terminal([...two, START + 2 * MINUTE, START + 2 * MINUTE])).toHaveLength(3);
    expect(terminal(every(2 * MINUTE, 30))).toEqual(every(2 * MINUTE, 5));
    expect(terminal([...every(2 * MINUTE, 5), START + HOUR - 1])).toHaveLength(5);
    expect(terminal([...every(2 * MINUTE, 5), START + HOUR])).toHaveLength(6);
  });

  test('counts browsers and terminals apart, whatever the order of their requests', () => {
    const requests = fc.array(
      fc.record({ pauseMs: fc.constantFrom(0, SECOND, MINUTE, 15 * MINUTE), fromTerminal: fc.boolean() }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(requests, fc.constantFrom(0, 15 * MINUTE), (steps, liveMs) => {
        let atMs = START;
        const mixed = steps.map(({ pauseMs, fromTerminal }): Request => {
          atMs += pauseMs;
          return { atMs, kind: fromTerminal ? 'terminal' : 'browser' };
        });
        const mailed = mailedRequests(mixed, liveMs);
        for (const kind of ['browser', 'terminal'] as const) {
          const alone = mixed.filter((request) => request.kind === kind);
          expect(mailed.filter((request) => request.kind === kind)).toEqual(mailedRequests(alone, liveMs));
        }
      }),
    );
  });

  test('allows one more after a minute but not before', () => {
    const three = every(0, 3);
    expect(mailedOf([...three, START + MINUTE - 1], 0)).toHaveLength(3);
    expect(mailedOf([...three, START + MINUTE], 0)).toHaveLength(4);
    expect(mailedOf([...three, START + MINUTE, START + MINUTE], 0)).toHaveLength(4);
    expect(mailedOf([...three, START + 2 * MINUTE, START + 2 * MINUTE], 0)).toHaveLength(5);
  });

  test('allows ten per hour, and the next when the first is an hour old', () => {
    expect(mailedOf(every(MINUTE, 60), 0)).toEqual(every(MINUTE, 10));
    expect(mailedOf([...every(MINUTE, 10), START + HOUR - 1], 0)).toHaveLength(10);
    expect(mailedOf([...every(MINUTE, 10), START + HOUR], 0)).toHaveLength(11);
  });

  test('allows no fourth link while three are live', () => {
    expect(mailedOf(every(MINUTE, 15), 15 * MINUTE)).toEqual(every(MINUTE, 3));
    expect(mailedOf(every(MINUTE, 16), 15 * MINUTE)).toEqual([...every(MINUTE, 3), START + 15 * MINUTE]);
  });

  test('holds for any request pattern', () => {
    const rhythm = fc.array(fc.oneof(fc.constant(0), fc.nat(5 * SECOND), fc.nat(2 * MINUTE), fc.nat(HOUR)), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(rhythm, fc.constantFrom(0, MINUTE, 15 * MINUTE), (pauses, liveMs) => {
        let nowMs = START;
        const instants = pauses.map((pauseMs) => {
          nowMs += pauseMs;
          return nowMs;
        });
        const mailed = mailedOf(instants, liveMs);
        mailed.forEach((firstMs, first) => {
          mailed.slice(first).forEach((lastMs, more) => {
            const count = more + 1;
            expect(count).toBeLessThanOrEqual(3 + (lastMs - firstMs) / MINUTE + 1e-6);
            if (lastMs - firstMs < HOUR) expect(count).toBeLessThanOrEqual(10);
          });
        });
      }),
      { numRuns: 500 },
    );
  });

  test('allows one mail every 15 minutes, and one after a quiet hour', () => {
    expect(mailedOf(every(15 * MINUTE, 50), 15 * MINUTE)).toHaveLength(50);
    const flood = every(SECOND, 3600);
    const late = START + 3599 * SECOND + HOUR;
    expect(mailedOf([...flood, late], 15 * MINUTE).at(-1)).toBe(late);
  });
});
