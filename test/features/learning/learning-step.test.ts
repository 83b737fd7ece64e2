import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mixtureOf } from '../../../src/features/learning/experts.ts';
import { learnedWeights, reserveDefaults } from '../../../src/features/learning/learned-ranking.ts';
import {
  createLearnedState,
  decodeLearnedState,
  encodeLearnedState,
  type LearnedState,
} from '../../../src/features/learning/learned-state.ts';
import { expectedDeltas, type FeedbackEvent, learnFrom } from '../../../src/features/learning/learning-step.ts';
import { QUERY_BUCKETS } from '../../../src/features/learning/query-bucket.ts';
import { signalModelOf } from '../../../src/features/learning/signal-model.ts';
import { indexBelow } from '../../../src/features/learning/symmetric-matrix.ts';

const NAMES = [
  'lexical',
  'trigram',
  'window',
  'session',
  'context',
  'speaker',
  'date',
  'recency',
  'answerCue',
  'reply',
  'self',
  'vector',
];
const WEIGHTS = {
  lexical: 1,
  trigram: 1,
  window: 2,
  session: 1,
  context: 1,
  speaker: 1,
  date: 4,
  answerCue: 1,
  reply: 1,
  self: 1,
};
const model = signalModelOf(NAMES, WEIGHTS, 0.5);
const fresh = createLearnedState(NAMES);

const any = fc.oneof(
  fc.double({ min: -1, max: 1, noNaN: true }),
  fc.constantFrom(0, 1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e308, -1e308, 5e-324),
);
const places = fc.array(fc.oneof(fc.nat(12), fc.constantFrom(-1, 0.5, Number.NaN, 1e9)), { maxLength: 6 });
const silly = fc.record({
  bucket: fc.constantFrom(...QUERY_BUCKETS),
  signals: fc.array(fc.array(any, { maxLength: 14 }), { maxLength: 12 }),
  shown: places,
  used: places,
  irrelevant: places,
});

/** Realistic events: up to a dozen candidates, all shown, one used. */
const sound = fc
  .record({
    bucket: fc.constantFrom(...QUERY_BUCKETS),
    signals: fc.array(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 12, maxLength: 12 }), {
      minLength: 3,
      maxLength: 12,
    }),
    used: fc.nat(2),
    irrelevant: fc.subarray([0, 1, 2], { maxLength: 2 }),
  })
  .map((event) => ({ ...event, shown: event.signals.map((_, index) => index), used: [event.used] }));

const numbersOf = (state: LearnedState) => [
  ...state.beliefs,
  ...[...state.overall, ...state.byBucket.flat()].flatMap(({ deltas, precisions, couplings }) => [
    ...deltas,
    ...precisions,
    ...couplings,
  ]),
];
const learnAll = (events: readonly FeedbackEvent[]) =>
  events.reduce((state, event) => learnFrom(state, model, event), fresh);

/** Deterministic pseudorandom numbers from 0 to 1. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state + 0.5) / 2 ** 32;
  };
}

/** A user who chooses by the default scores plus `taste` per standard deviation of recency. */
function choosing(taste: number, next: () => number): FeedbackEvent {
  const recency = NAMES.indexOf('recency');
  const signals = Array.from({ length: 10 }, () => NAMES.map(next));
  const utilities = signals.map((row) => {
    const base = row.reduce((sum, value, at) => sum + model.weights[at]! * value, 0) / model.temperature;
    return base + (taste * row[recency]!) / model.deviations[recency]! - Math.log(-Math.log(next()));
  });
  const used = [utilities.indexOf(Math.max(...utilities))];
  return { bucket: 'other', signals, shown: signals.map((_, index) => index), used, irrelevant: [] };
}

/** One candidate leads by one signal, the others by the rest. */
function preferring(signal: string, count = 10): FeedbackEvent {
  const signals = Array.from({ length: count }, (_, index) =>
    NAMES.map((name, at) => (name === signal ? Number(index === count - 1) : ((index * 7 + at * 3) % 10) / 10)),
  );
  const shown = signals.map((_, index) => index);
  return { bucket: 'other', signals, shown, used: [count - 1], irrelevant: [] };
}

describe('one learning step', () => {
  test('yields finite numbers for any input', () => {
    fc.assert(
      fc.property(fc.array(silly, { maxLength: 30 }), (events) => {
        const state = learnAll(events);
        expect(numbersOf(state).every(Number.isFinite)).toBe(true);
        for (const bucket of QUERY_BUCKETS) {
          expect(Object.values(learnedWeights(state, model, bucket)).every(Number.isFinite)).toBe(true);
        }
        const mixture = mixtureOf(state.beliefs);
        expect(mixture.reduce((sum, share) => sum + share)).toBeCloseTo(1, 6);
      }),
    );
  });

  test('does not depend on the order of the pool', () => {
    fc.assert(
      fc.property(sound, fc.array(fc.double({ noNaN: true }), { minLength: 12, maxLength: 12 }), (event, keys) => {
        const order = event.signals.map((_, index) => index).sort((a, b) => keys[a]! - keys[b]!);
        const moved = (list: readonly number[]) => list.map((index) => order.indexOf(index));
        const shuffled = {
          bucket: event.bucket,
          signals: order.map((index) => event.signals[index]!),
          shown: moved(event.shown),
          used: moved(event.used),
          irrelevant: moved(event.irrelevant),
        };
        const [one, other] = [numbersOf(learnAll([event])), numbersOf(learnAll([shuffled]))];
        expect(Math.max(...one.map((value, index) => Math.abs(other[index]! - value)))).toBeLessThan(0.0005);
      }),
    );
  });

  test.each<[string, Partial<FeedbackEvent>]>([
    ['nothing is said', { used: [] }],
    ['what was used is unknown', { used: [99, -1, Number.NaN] }],
    ['all is irrelevant', { used: [], irrelevant: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] }],
    ['there is no candidate', { signals: [] }],
  ])('changes nothing where %s', (_, more) => {
    expect(learnFrom(fresh, model, { ...preferring('recency'), ...more })).toBe(fresh);
    expect(learnFrom(fresh, model, preferring('recency'))).not.toBe(fresh);
  });

  test('raises the signals in which used results lead, and lowers those of irrelevant ones', () => {
    const recency = NAMES.indexOf('recency');
    const used = learnAll(Array(20).fill(preferring('recency')));
    expect(expectedDeltas(used, 'other')[recency]).toBeGreaterThan(0.1);
    const refused = { ...preferring('recency'), used: [], irrelevant: [9] };
    const lowered = learnAll(Array(20).fill(refused));
    expect(lowered.overall[1]!.deltas[recency]).toBeLessThan(0);
  });

  test('converges to a lasting preference despite forgetting', () => {
    const deltas = [1, 2, 3, 4].map((seed) => {
      const next = numbersFrom(seed);
      const state = learnAll(Array.from({ length: 400 }, () => choosing(1, next)));
      return expectedDeltas(state, 'other')[NAMES.indexOf('recency')]!;
    });
    const mean = deltas.reduce((sum, delta) => sum + delta) / deltas.length;
    expect(mean).toBeGreaterThan(0.75);
    expect(mean).toBeLessThan(1.15);
  });

  test('learns little from a use that nothing explains', () => {
    const recency = NAMES.indexOf('recency');
    const following = { ...preferring('lexical'), used: [0] };
    const expected = learnAll(Array(30).fill(following));
    const shiftOf = (signals: Float64Array[]) =>
      learnFrom(expected, model, { ...following, signals, used: [9] }).overall[2]!.deltas[recency]! -
      expected.overall[2]!.deltas[recency]!;
    const withLast = (recencyOfLast: number, others: number) =>
      following.signals.map((row, index) =>
        Float64Array.from(row, (value, at) => {
          if (at === recency) return index === 9 ? recencyOfLast : 0;
          return index === 9 ? others : value;
        }),
      );
    const plausible = shiftOf(withLast(0.5, 0.8));
    const absurd = shiftOf(withLast(0.5, -4));
    expect(plausible).toBeGreaterThan(0);
    expect(Math.abs(absurd)).toBeLessThan(plausible / 10);
  });

  test('gives two signals that rise and fall together one shift, not two', () => {
    const [one, other] = [NAMES.indexOf('recency'), NAMES.indexOf('self')];
    const event = (isTwin: boolean): FeedbackEvent => {
      const alone = preferring('recency');
      const signals = alone.signals.map((row) =>
        Array.from(row, (value, at) => (at === other && isTwin ? row[one]! : value)),
      );
      return { ...alone, signals };
    };
    const moved = (isTwin: boolean) => {
      const { deltas } = learnAll(Array(40).fill(event(isTwin))).overall[0]!;
      return deltas[one]! / model.deviations[one]! + (isTwin ? deltas[other]! / model.deviations[other]! : 0);
    };
    expect(moved(true)).toBeLessThan(1.6 * moved(false));
  });

  test('is stronger for the query bucket of the event', () => {
    const recency = NAMES.indexOf('recency');
    const state = learnAll(Array(20).fill(preferring('recency')));
    expect(expectedDeltas(state, 'other')[recency]!).toBeGreaterThan(expectedDeltas(state, 'date')[recency]!);
    expect(expectedDeltas(state, 'date')[recency]!).toBeGreaterThan(0);
  });
});

describe('what was learned', () => {
  test('is empty before any feedback: the weights equal the defaults exactly', () => {
    for (const bucket of QUERY_BUCKETS) {
      expect(learnedWeights(fresh, model, bucket)).toEqual(
        Object.fromEntries(NAMES.map((name, index) => [name, model.weights[index]])),
      );
    }
  });

  test('round-trips through less than three kilobytes', () => {
    fc.assert(
      fc.property(fc.array(sound, { maxLength: 10 }), (events) => {
        const state = learnAll(events);
        const bytes = encodeLearnedState(state);
        expect(bytes.length).toBeLessThan(3000);
        expect(decodeLearnedState(bytes, NAMES)).toEqual(state);
      }),
      { numRuns: 25 },
    );
  });

  test('round-trips after thousands of one-sided events', () => {
    const extreme = { ...preferring('recency', 3), signals: [[], [], NAMES.map(() => 4)] };
    const state = learnAll(Array(3000).fill(extreme));
    expect(decodeLearnedState(encodeLearnedState(state), NAMES)).toEqual(state);
    expect(state.events).toBe(3000);
  });

  test('is kept for signals that remain when others are added or removed', () => {
    const state = learnAll(Array(9).fill(preferring('recency')));
    const changed = decodeLearnedState(encodeLearnedState(state), ['new', 'recency', 'lexical']);
    expect(changed.events).toBe(9);
    const kept = (name: string) => state.overall[2]!.deltas[NAMES.indexOf(name)];
    expect([...changed.overall[2]!.deltas]).toEqual([0, kept('recency'), kept('lexical')]);
    const [stored] = state.overall[2]!.couplings.slice(indexBelow(NAMES.indexOf('recency'), 0));
    expect(stored).not.toBe(0);
    expect([...changed.overall[2]!.couplings]).toEqual([0, 0, stored]);
  });

  test('starts fresh from bytes that are damaged or of another version', () => {
    const bytes = encodeLearnedState(learnAll([preferring('recency')]));
    const other = Buffer.from(bytes);
    other.write('3', bytes.indexOf('"version":2') + '"version":'.length);
    const notFinite = Buffer.from(bytes);
    notFinite.writeFloatLE(Number.NaN, bytes.length - 4);
    const impossible = Buffer.from(bytes);
    impossible.writeFloatLE(1e6, bytes.length - 4);
    const short = bytes.subarray(0, 900);
    for (const damaged of [Buffer.alloc(0), Buffer.from([255, 255]), short, other, notFinite, impossible]) {
      expect(decodeLearnedState(damaged, NAMES)).toEqual(fresh);
    }
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        expect(decodeLearnedState(Buffer.from(noise), NAMES)).toEqual(fresh);
      }),
      { numRuns: 30 },
    );
  });

  test('stays negligible under random feedback', () => {
    const senseless = Array.from({ length: 100 }, (_, index) => ({
      ...preferring('recency'),
      used: [(index * 7) % 10],
    }));
    const deltas = expectedDeltas(learnAll(senseless), 'other');
    expect(Math.max(...deltas.map(Math.abs))).toBeLessThan(0.02);
  });
});

describe('reserved ranks', () => {
  const letters = [...'abcdefghijklmnop'];

  test('nine and ten go to the default ranking’s best remaining items', () => {
    const reversed = letters.toReversed();
    expect(reserveDefaults(reversed, letters)).toEqual([...'ponmlkjiab', ...'hgfedc']);
    expect(reserveDefaults(letters, letters)).toEqual(letters);
  });

  test('neither lose nor repeat an item', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(99), { maxLength: 40 }), fc.func(fc.nat()), (items, key) => {
        const learned = items.toSorted((a, b) => key(a) - key(b));
        const shown = reserveDefaults(learned, items);
        expect(shown.toSorted()).toEqual(items.toSorted());
        expect(shown.slice(0, 8)).toEqual(learned.slice(0, 8));
      }),
    );
  });
});
