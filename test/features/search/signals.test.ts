import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SIGNAL_NAMES } from '../../../src/contract/signals.ts';
import { ROW_IDS_PER_CONVERSATION } from '../../../src/features/conversations/message-row.ts';
import { STRATEGY_WEIGHTS } from '../../../src/features/search/fusion.ts';
import { signalsOf } from '../../../src/features/search/signals.ts';
import { TRAIT } from '../../../src/features/traits/traits.ts';
import { anyCandidate, candidate, DAY_MS, NOW, parsedQuery } from './candidate-rules.ts';

const NOBODY: ReadonlySet<string> = new Set();
const of = (...candidates: Parameters<typeof signalsOf>[0]) => signalsOf(candidates, parsedQuery(), NOBODY, NOW);

describe('signals', () => {
  test('are between 0 and 1, speaker from -1, and 1 for the best of the query', () => {
    const named = fc.constantFrom(NOBODY, new Set(['ann']), new Set(['ann', 'lee']), new Set(['zoe']));
    const asked = fc.constantFrom(
      parsedQuery(),
      parsedQuery({ dates: [{ month: 4, day: undefined }], answerTraits: 20 }),
    );
    fc.assert(
      fc.property(fc.array(anyCandidate, { maxLength: 12 }), asked, named, (candidates, questioned, speakers) => {
        const all = signalsOf(candidates, questioned, speakers, NOW);
        expect(all).toHaveLength(candidates.length);
        for (const signals of all) {
          for (const name of SIGNAL_NAMES) {
            expect(signals[name], name).toBeLessThanOrEqual(1 + 1e-9);
            expect(signals[name], name).toBeGreaterThanOrEqual(name === 'speaker' ? -1 : 0);
          }
        }
        for (const name of ['lexical', 'trigram'] as const) {
          if (candidates.some(({ scores }) => scores[name] > 0)) {
            expect(Math.max(...all.map((signals) => signals[name]))).toBeCloseTo(1, 9);
          }
        }
      }),
    );
  });

  test('do not depend on the order of the candidates', () => {
    fc.assert(
      fc.property(fc.array(anyCandidate, { maxLength: 12 }), (candidates) => {
        const backwards = signalsOf(candidates.toReversed(), parsedQuery(), new Set(['ann']), NOW);
        expect(backwards.toReversed()).toEqual(signalsOf(candidates, parsedQuery(), new Set(['ann']), NOW));
      }),
    );
  });

  test('of surroundings differ by the content of the messages', () => {
    const [near, far] = of(
      candidate('message', { lexical: 2, window: 4, session: 8, context: 1 }),
      candidate('message', { lexical: 1, window: 2, session: 2, context: 2 }),
    );
    expect(near).toMatchObject({ lexical: 1, window: 1, session: 1, context: 0.5 });
    expect(far).toMatchObject({ lexical: 0.5, window: 0.5, session: 0.25, context: 1 });
  });

  test('give a standalone fact no advantage or disadvantage against equal messages', () => {
    for (const type of ['memory', 'episode'] as const) {
      const [fact, message] = of(
        candidate(type, { lexical: 3 }),
        candidate('message', { lexical: 3, window: 7, session: 5 }),
        candidate('message', { lexical: 1, window: 3, session: 4 }),
      );
      expect(fact).toMatchObject({ lexical: 1, window: 1, session: 1, context: 0, reply: 0 });
      expect(message).toMatchObject({ lexical: 1, window: 1, session: 1 });
    }
  });

  test('keep weaker messages below a fact that matches fully, whatever surrounds them', () => {
    const [fact, message] = of(
      candidate('memory', { lexical: 4 }),
      candidate('message', { lexical: 1, window: 90, session: 90 }),
    );
    const gain = (signals: typeof fact) => STRATEGY_WEIGHTS.default.window * signals!.window + signals!.session;
    expect(message).toMatchObject({ lexical: 0.25, window: 0.25, session: 0.25 });
    expect(gain(fact)).toBeGreaterThan(gain(message));
  });

  test('distinguish the first two messages of a conversation from others and from memories', () => {
    const at = (type: 'message' | 'memory', ordinal: number) =>
      candidate(type, { lexical: 1 }, { rowId: 3 * ROW_IDS_PER_CONVERSATION + ordinal });
    const all = of(at('message', 1), at('message', 2), at('message', 3), at('memory', 1));
    expect(all.map(({ early }) => early)).toEqual([1, 1, 0, 0]);
  });

  test('are all 0 where nothing matches', () => {
    expect(of(candidate('memory'), candidate('message'))).toMatchObject([
      { lexical: 0, window: 0, session: 0, trigram: 0, context: 0, speaker: 0, date: 0, answerCue: 0, reply: 0 },
      { lexical: 0, window: 0, session: 0, trigram: 0, context: 0, speaker: 0, date: 0, answerCue: 0, reply: 0 },
    ]);
  });
});

describe('speaker', () => {
  const said = (...speakers: (string | null)[]) =>
    speakers.map((speaker) => candidate(speaker === null ? 'memory' : 'message', {}, { speaker }));
  const speaker = (named: string[], ...speakers: (string | null)[]) =>
    signalsOf(said(...speakers), parsedQuery(), new Set(named), NOW).map((signals) => signals.speaker);

  test.each<[string, string[], (string | null)[], number[]]>([
    ['nobody named speaks for none', [], ['Ann', 'Bob'], [0, 0]],
    ['the one who is named speaks for hers and against the others', ['ann'], ['Ann', 'Bob', null], [1, -1, 0]],
    ['a part of a name is enough', ['lee'], ['Ann Lee', 'Bob'], [1, -1]],
    ['all parts of one name mean that one', ['ann', 'lee'], ['Ann Lee', 'Ann'], [1, -1]],
    ['two who are named are neither', ['ann', 'bob'], ['Ann', 'Bob'], [0, 0]],
    ['one who said nothing of this is nobody', ['zoe'], ['Ann', 'Bob'], [0, 0]],
    ['accents and case do not matter', ['zoe'], ['Zoë', 'Bob'], [1, -1]],
  ])('%s', (_, named, speakers, expected) => {
    expect(speaker(named, ...speakers)).toEqual(expected);
  });
});

describe('speaker in a chat with an assistant', () => {
  const chat = [
    candidate('message', {}, { role: 'user' }),
    candidate('message', { before: 1 }, { role: 'assistant', traitsBefore: TRAIT.question }),
    candidate('message', {}, { role: 'tool' }),
    candidate('memory'),
  ];
  const asked = (voice: 'user' | 'assistant' | null, named: string[] = [], said = chat) =>
    signalsOf(said, parsedQuery({ voice }), new Set(named), NOW).map(({ speaker }) => speaker);

  test('is the role that the query asks for; items outside conversations count as the user’s', () => {
    expect(asked('user')).toEqual([1, -1, -1, 1]);
    expect(asked('assistant')).toEqual([-1, 1, -1, 0]);
  });

  test('is unset if the query does not say, names someone, or only one of the two speaks', () => {
    expect(asked(null)).toEqual([0, 0, 0, 0]);
    expect(asked('user', ['ann'])).toEqual([0, 0, 0, 0]);
    expect(asked('user', [], [chat[0]!, chat[3]!])).toEqual([0, 0]);
  });

  test('replaces reply, since an assistant’s closing question asks for nothing here', () => {
    const replies = (voice: 'user' | null) => signalsOf(chat, parsedQuery({ voice }), NOBODY, NOW)[1]!.reply;
    expect(replies(null)).toBeGreaterThan(0);
    expect(replies('user')).toBe(0);
  });
});

describe('time', () => {
  test('halves recency after thirty days, and treats the future as now', () => {
    const ages = [0, 30, 60, -9].map((days) => candidate('memory', {}, { at: NOW - days * DAY_MS }));
    expect(of(...ages).map(({ recency }) => recency)).toEqual([1, 0.5, 0.25, 1]);
  });

  test('discriminates by age even in a years-old archive', () => {
    const ages = [3000, 3030, 3060].map((days) => candidate('memory', {}, { at: NOW - days * DAY_MS }));
    const recency = of(...ages).map(({ recency }) => recency);
    for (const [index, expected] of [1, 0.5, 0.25].entries()) expect(recency[index]).toBeCloseTo(expected, 9);
  });

  test('compares the date asked for with the nearest date of the item, its own or mentioned', () => {
    const asked = parsedQuery({ dates: [{ range: [19_000, 19_001] }] });
    const date = (at: number, dates: string | null = null) =>
      signalsOf([candidate('memory', {}, { at: at * DAY_MS, dates })], asked, NOBODY, NOW)[0]!.date;
    expect(date(19_000)).toBe(1);
    expect(date(19_008)).toBeCloseTo(Math.exp(-1), 9);
    expect(date(15_000, '[[18990,19000]]')).toBe(1);
    expect(date(15_000)).toBeLessThan(1e-9);
  });
});

test('answerCue, reply and self reward what is asked for, a reply, and a first-person statement', () => {
  const asked = parsedQuery({ answerTraits: TRAIT.time | TRAIT.number });
  const [dated, named, idle] = signalsOf(
    [
      candidate(
        'message',
        { before: 5 },
        { traits: TRAIT.time | TRAIT.firstPerson, traitsBefore: TRAIT.question, length: 400 },
      ),
      candidate('message', { before: 5 }, { traits: TRAIT.name | TRAIT.question | TRAIT.asks }),
      candidate('message', { before: 0 }, { traitsBefore: TRAIT.question }),
    ],
    asked,
    NOBODY,
    NOW,
  );
  expect(dated).toMatchObject({ answerCue: 1, reply: 1, self: 1 });
  expect(named).toMatchObject({ answerCue: 0, reply: 0, self: 0 });
  expect(idle).toMatchObject({ answerCue: 0, reply: 0, self: 0.3 });
});
