import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { SIGNAL_NAMES } from '../../../src/contract/signals.ts';
import {
  createLearnedState,
  decodeLearnedState,
  encodeLearnedState,
} from '../../../src/features/learning/learned-state.ts';
import { type FeedbackEvent, learnFrom } from '../../../src/features/learning/learning-step.ts';
import { signalModelOf } from '../../../src/features/learning/signal-model.ts';
import { STRATEGY_WEIGHTS, TEMPERATURE } from '../../../src/features/search/fusion.ts';

/** The signals that there were when they had short names. */
const FORMER = SIGNAL_NAMES.slice(0, 12);
const FORMER_MODEL = signalModelOf(FORMER, STRATEGY_WEIGHTS.default, TEMPERATURE);

/** Four events; the fixture holds the state that an early version of svc learned from them. */
const EVENTS: FeedbackEvent[] = (['short', 'date', 'other', 'short'] as const).map((bucket, at) => ({
  bucket,
  signals: Array.from({ length: 6 }, (_, row) => FORMER.map((_name, index) => ((row * 7 + index * 3) % 11) / 10)),
  shown: [0, 1, 2, 3, 4, 5],
  used: [5 - at],
  irrelevant: at === 2 ? [0] : [],
}));
const learned = EVENTS.reduce((state, event) => learnFrom(state, FORMER_MODEL, event), createLearnedState(FORMER));

test('a state stored before there were couplings and whole signal names decodes to the same numbers', async () => {
  const fixture = await readFile(new URL('fixtures/state-with-short-names.txt', import.meta.url), 'utf8');
  const bytes = Buffer.from(fixture, 'base64url');
  const start = 2 + bytes.readUInt16LE();
  expect(bytes.toString('utf8', 2, start)).toContain('{"version":1,"signals":["lex","tri","win"');
  const stored = Array.from({ length: (bytes.length - start) / 4 }, (_, at) => bytes.readFloatLE(start + at * 4));

  const decoded = decodeLearnedState(bytes, FORMER);
  const lists = [...decoded.overall, ...decoded.byBucket.flat()];
  expect(decoded.events).toBe(4);
  expect([...decoded.beliefs, ...lists.flatMap(({ deltas, precisions }) => [...deltas, ...precisions])]).toEqual(
    stored,
  );
  expect(lists.flatMap(({ couplings }) => [...couplings]).every((coupling) => coupling === 0)).toBe(true);
  expect(decodeLearnedState(encodeLearnedState(decoded), FORMER)).toEqual(decoded);
});

test('what was learned before a signal was added stays, and the new signal starts fresh', () => {
  const decoded = decodeLearnedState(encodeLearnedState(learned), SIGNAL_NAMES);
  const fresh = createLearnedState(SIGNAL_NAMES);
  expect(decoded).toMatchObject({ events: learned.events, beliefs: learned.beliefs, signals: SIGNAL_NAMES });
  for (const [at, estimate] of decoded.overall.entries()) {
    for (const part of ['deltas', 'precisions'] as const) {
      expect(estimate[part].slice(0, FORMER.length)).toEqual(learned.overall[at]![part]);
      expect(estimate[part].slice(FORMER.length)).toEqual(fresh.overall[at]![part].slice(FORMER.length));
    }
  }
  const { couplings } = decoded.overall[0]!;
  expect(couplings.slice(0, learned.overall[0]!.couplings.length)).toEqual(learned.overall[0]!.couplings);
  expect(couplings.slice(learned.overall[0]!.couplings.length).every((coupling) => coupling === 0)).toBe(true);
  expect(decodeLearnedState(encodeLearnedState(decoded), SIGNAL_NAMES)).toEqual(decoded);
});

test('a state is encoded with whole signal names', () => {
  const bytes = encodeLearnedState(learned);
  expect(bytes.toString('utf8', 2, 2 + bytes.readUInt16LE())).toContain(`"signals":${JSON.stringify(FORMER)}`);
});

test('signals keep the order in which remembered searches store them', () => {
  expect(SIGNAL_NAMES).toEqual([
    ...['lexical', 'trigram', 'window', 'session', 'context', 'speaker'],
    ...['date', 'recency', 'answerCue', 'reply', 'self', 'vector', 'early', 'coverage'],
    ...['category', 'learnedWords'],
  ]);
});
