import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { SIGNAL_NAMES } from '../../../src/contract/signals.ts';
import {
  createLearnedState,
  decodeLearnedState,
  encodeLearnedState,
} from '../../../src/features/learning/learned-state.ts';
import { type FeedbackEvent, learnFrom } from '../../../src/features/learning/learning-step.ts';
import { SIGNAL_MODEL } from '../../../src/features/search/ranking.ts';

/** Four events, of which the fixture holds the state that was stored while signals had short names. */
const EVENTS: FeedbackEvent[] = (['short', 'date', 'other', 'short'] as const).map((bucket, at) => ({
  bucket,
  signals: Array.from({ length: 6 }, (_, row) => SIGNAL_NAMES.map((_name, index) => ((row * 7 + index * 3) % 11) / 10)),
  shown: [0, 1, 2, 3, 4, 5],
  used: [5 - at],
  irrelevant: at === 2 ? [0] : [],
}));
const learned = EVENTS.reduce(
  (state, event) => learnFrom(state, SIGNAL_MODEL, event),
  createLearnedState(SIGNAL_NAMES),
);

test('a state stored under the short signal names decodes to the same numbers', async () => {
  const fixture = await readFile(new URL('fixtures/state-with-short-names.txt', import.meta.url), 'utf8');
  const bytes = Buffer.from(fixture, 'base64url');
  expect(bytes.toString('utf8', 2, 2 + bytes.readUInt16LE())).toContain('"lex","tri","win"');
  expect(decodeLearnedState(bytes, SIGNAL_NAMES)).toEqual(learned);
});

test('a state is encoded with whole signal names', () => {
  const bytes = encodeLearnedState(learned);
  expect(bytes.toString('utf8', 2, 2 + bytes.readUInt16LE())).toContain(`"signals":${JSON.stringify(SIGNAL_NAMES)}`);
});

test('signals keep the order in which remembered searches store them', () => {
  expect(SIGNAL_NAMES).toEqual([
    ...['lexical', 'trigram', 'window', 'session', 'context', 'speaker'],
    ...['date', 'recency', 'answerCue', 'reply', 'self', 'vector'],
  ]);
});
