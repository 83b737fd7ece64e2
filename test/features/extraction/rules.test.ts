import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Memory } from '../../../src/contract/memories.ts';
import type { ProviderKey } from '../../../src/contract/providers.ts';
import { CONTEXT_HEADING } from '../../../src/contract/search.ts';
import { type Chunk, toChunk, withoutRecalled } from '../../../src/features/extraction/conversation-chunk.ts';
import { chooseModel, defaultModel } from '../../../src/features/extraction/model-choice.ts';
import type { Extracted } from '../../../src/features/extraction/prompt.ts';
import { proposalsInSteps } from '../../../src/features/extraction/proposals.ts';
import { replacedPairsIn } from '../../../src/features/extraction/replaced.ts';
import { extracted } from './extraction-daemon.ts';

const said = (content: string, ordinal = 1, role: 'user' | 'assistant' | 'system' | 'tool' = 'user') => ({
  id: `msg_${ordinal}`,
  ordinal,
  role,
  name: null,
  author: null,
  content,
  parts: null,
  createdAt: Date.UTC(2026, 4, ordinal),
});
const memory = (id: string, content: string, day = '2026-05-01') =>
  ({ id, content, version: 1, saidAt: null, occurredAt: null, createdAt: `${day}T00:00:00.000Z` }) as Memory;
const key = (provider: ProviderKey['provider'], models: string[], status: ProviderKey['status'] = 'valid') =>
  ({ provider, models, status }) as ProviderKey;

function toProposals(...given: Parameters<typeof proposalsInSteps>) {
  const steps = proposalsInSteps(...given);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Reads messages chunk by chunk to their end. */
function chunksOf(all: readonly ReturnType<typeof said>[], failures = 0): Chunk[] {
  const chunks: Chunk[] = [];
  let read = { throughOrdinal: 0, partlyRead: null as string | null };
  while (read.throughOrdinal < all.length) {
    const { throughOrdinal, partlyRead } = read;
    const chunk = toChunk(all.slice(throughOrdinal), all.slice(0, throughOrdinal), failures, partlyRead);
    chunks.push(chunk);
    read = chunk;
  }
  return chunks;
}

const unmarked = (text: string) => text.replace(/^\[…\] /, '').replace(/ \[…\]$/, '');

describe('a chunk', () => {
  test('is as long as a model reads reliably, and the next one continues where it ended', () => {
    const all = Array.from({ length: 10 }, (_, index) => said('x'.repeat(5000), index + 1));
    const first = toChunk(all, []);
    expect([first.messages.length, first.seen, first.throughOrdinal]).toEqual([2, 2, 2]);
    expect(toChunk(all, [], 1).messages).toHaveLength(1);
  });

  test('is a part of a long message, marked where that goes on, with what was said just before', () => {
    const lines = Array.from({ length: 800 }, (_, index) => `Line ${index} is about tea.`).join('\n');
    const all = [said('Read this.', 1), said(lines, 2), said('That was all.', 3)];
    const [first, second, third] = chunksOf(all);
    expect(first).toMatchObject({ messages: [{ text: 'Read this.' }], seen: 1, partlyRead: null });
    expect(second).toMatchObject({ before: [{ text: 'Read this.' }], seen: 0, throughOrdinal: 1, lastOrdinal: 2 });
    expect(second!.messages.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Line 0 is about tea\.\n.*about tea\.\n \[…\]$/s),
    ]);
    const [context] = third!.before.slice(-1);
    expect(context).toMatchObject({ id: 'msg_2', text: expect.stringMatching(/^\[…\] .*about tea\.\n \[…\]$/s) });
    expect(third!.messages.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^\[…\] Line \d+ is about tea\..*Line 799 is about tea\.$/s),
      'That was all.',
    ]);
    expect(third).toMatchObject({ seen: 2, throughOrdinal: 3, partlyRead: null });
  });

  test('comes with what was said before and after a long text in an earlier message, whatever that is cut at', () => {
    for (const pasted of ['x'.repeat(40_000), '😀'.repeat(20_000), `y${'😀'.repeat(20_000)}`]) {
      const earlier = said(`Read this for Ada: ${pasted} By the way, I moved to Graz.`, 1);
      const [context] = toChunk([said('Did you?', 2)], [earlier]).before;
      expect(context!.text).toMatch(/^Read this for Ada: .*\n\[…\]\n.* By the way, I moved to Graz\.$/su);
      expect([context!.text.length <= 1010, context!.text.isWellFormed()]).toEqual([true, true]);
    }
  });

  test('of a message that replaces a partly read one begins with its first word', () => {
    const partlyRead = JSON.stringify({ ordinal: 2, characters: 12_000 });
    expect(toChunk([said('My cat is called Pixel.', 3)], [], 0, partlyRead).messages).toMatchObject([
      { text: 'My cat is called Pixel.' },
    ]);
    const shorter = toChunk([said('Hello.', 2)], [], 0, partlyRead);
    expect(shorter).toMatchObject({ messages: [], seen: 1, throughOrdinal: 2, partlyRead: null });
  });

  test('skips messages that nobody wrote', () => {
    const passage = toChunk([said('be kind', 1, 'system'), said('{}', 2, 'tool')], []);
    expect(passage).toMatchObject({ messages: [], seen: 2, throughOrdinal: 2 });
  });

  test('holds what was written in parts, without tool calls and their results', () => {
    const call = { type: 'tool_call', id: 'a', name: 'recall', arguments: {} };
    const parts = JSON.stringify([{ type: 'text', text: 'Let me see.' }, call]);
    const messages = [
      { ...said('Let me see.\nrecall {}', 1, 'assistant'), parts },
      { ...said('recall {}', 2, 'assistant'), parts: JSON.stringify([call]) },
    ];
    expect(toChunk(messages, [])).toMatchObject({ messages: [{ ordinal: 1, text: 'Let me see.' }], seen: 2 });
  });

  test('and those after it hold all that was written, at any length and after any failures', () => {
    const unit = fc.constantFrom('x', '😀', 'é', '。', '. ', ' ', '\n', '\n\n');
    const text = fc.tuple(fc.array(unit, { minLength: 1, maxLength: 40 }), fc.integer({ min: 1, max: 800 }));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), fc.nat(20), (texts, failures) => {
        const all = texts.map(([units, times], index) => said(`a${units.join('').repeat(times)}z`, index + 1));
        const chunks = chunksOf(all, failures);
        const written = chunks.flatMap(({ messages }) => messages.map((message) => unmarked(message.text)));
        expect(written.join('')).toBe(all.map(({ content }) => content).join(''));
        expect(written.every((part) => part.length <= 12_000 && part.isWellFormed())).toBe(true);
        expect(chunks.reduce((sum, { seen }) => sum + seen, 0)).toBe(all.length);
        expect(chunks.at(-1)!.throughOrdinal).toBe(all.length);
      }),
      { numRuns: 50 },
    );
  });

  test('omits the blocks that svc puts into prompts and keeps everything else', () => {
    const block = `${CONTEXT_HEADING}\n[1] (2026-01-02) Ada has a cat.\n[2] (2026-01-03) Ada likes tea.`;
    expect(withoutRecalled(`Before.\n${block}\n\nAfter.\n[1] a list`)).toBe('Before.\n\n\nAfter.\n[1] a list');
    expect(withoutRecalled(`Use this: ${block}`)).toBe('Use this: ');
    expect(withoutRecalled('[1] (2026-01-02) a line of my own')).toBe('[1] (2026-01-02) a line of my own');
  });
});

describe('an extracted memory', () => {
  const passage = toChunk([said('I painted a sunrise with Bob.', 1), said('My cat is called Pixel.', 2)], []);
  const known = [memory('mem_a', 'Ada has a cat.'), memory('mem_b', 'Bob is her friend.')];
  const judged = (one: Partial<Extracted>) =>
    toProposals([{ ...extracted('Ada was painting with Bob.', [1]), ...one }], passage, known)[0]!;

  test('is accepted if a message supports it, in any form of a word', () => {
    expect(judged({})).toMatchObject({ decision: 'add', cited: [{ id: 'msg_1' }], target: undefined });
    expect(judged({ decision: 'update', known: 'm1' })).toMatchObject({ decision: 'update', target: { id: 'mem_a' } });
    expect(judged({ decision: 'supersede', known: '[m2]' })).toMatchObject({ target: { id: 'mem_b' } });
  });

  test('is added if it refers to an unknown memory', () => {
    expect(judged({ decision: 'supersede', known: 'm9' })).toMatchObject({ decision: 'add', target: undefined });
    expect(judged({ decision: 'add', known: 'm1' })).toMatchObject({ decision: 'add', target: undefined });
  });

  test('does not supersede what was learned later', () => {
    const later = [memory('mem_c', 'Bob is no friend any more.', '2026-06-01')];
    const one = extracted('Ada was painting with Bob.', [1], { decision: 'supersede', known: 'm1' });
    expect(toProposals([one], passage, later)).toMatchObject([
      { decision: 'nothing', reason: expect.stringContaining('newer') },
    ]);
    expect(toProposals([one], passage, known)).toMatchObject([{ decision: 'supersede' }]);
    const corrected = [{ ...memory('mem_a', 'Bob is a friend.'), saidAt: '2026-06-01T00:00:00.000Z' }];
    expect(toProposals([one], passage, corrected)).toMatchObject([{ decision: 'nothing' }]);
  });

  test.each([
    [{ messages: [] }, 'cites no message'],
    [{ messages: [0, 3, -1] }, 'cites no message'],
    [{ messages: [2] }, 'do not support it'],
    [{ content: 'ada  has a CAT' }, 'already known'],
    [{ content: ' \n ' }, 'empty'],
    [{ content: 'painted '.repeat(500) }, 'too long'],
  ])('is ignored as %j', (one, reason) => {
    expect(judged(one)).toMatchObject({ decision: 'nothing', reason: expect.stringContaining(reason) });
  });

  test('has a date only if the date is valid', () => {
    expect(judged({ date: '2026-05-03' }).occurredAt).toBe('2026-05-03T00:00:00.000Z');
    for (const date of ['', 'yesterday', '2026-02-30', '2026-5-3']) expect(judged({ date }).occurredAt).toBeUndefined();
  });

  test.each([
    ['Ada writes C#.', 'Ada writes C++.'],
    ['The rent is 500 €.', 'The rent is 500 $.'],
    ['It was 5 degrees.', 'It was -5 degrees.'],
    ['Ada prefers C# to C++.', 'Ada prefers C++ to C#.'],
  ])('is not taken for what is known where only a sign differs: %s %s', (before, now) => {
    const one = extracted(now, [1], { decision: 'supersede', known: 'm1' });
    const proposals = toProposals([one, one], toChunk([said(now)], []), [memory('mem_a', before)]);
    expect(proposals).toMatchObject([{ decision: 'supersede', target: { id: 'mem_a' } }, { decision: 'nothing' }]);
  });

  test('keeps up to five labels, short and each once, on one line', () => {
    const tags = ['tea', ' tea ', 'two\nlines', '', 'x'.repeat(41), 'half \ud800', 'a', 'b', 'c'];
    expect(judged({ tags }).tags).toEqual(['tea', 'two lines', 'half \ufffd', 'a', 'b']);
  });

  test('never goes beyond its messages, for any output', () => {
    const any = fc.record({
      decision: fc.constantFrom('add' as const, 'update' as const, 'supersede' as const, 'nothing' as const),
      content: fc.string(),
      tags: fc.array(fc.string()),
      messages: fc.array(fc.integer()),
      known: fc.string(),
      date: fc.string(),
      reason: fc.string(),
    });
    fc.assert(
      fc.property(fc.array(any), (items) => {
        const proposals = toProposals(items, passage as Chunk, known);
        expect(proposals).toHaveLength(items.length);
        for (const { decision, cited } of proposals) if (decision !== 'nothing') expect(cited).not.toEqual([]);
      }),
    );
  });
});

describe('the pairs that a model names', () => {
  const decision = { decision: 'add' as const, content: 'new', messageIds: [], targetId: null, reason: '' };
  const old = { at: '2026-05-01T00:00:00.000Z', content: 'old' };
  const stored = Array.from({ length: 100 }, (_, index) => ({
    ...{ ...decision, memoryId: `mem_new${index}` },
    related: [0, 1].map((one) => ({ ...old, id: `mem_old${2 * index + one}` })),
  }));

  test('are found among the labels that it was shown, each older memory once', () => {
    const named = [
      ...[
        { older: '[o3]', newer: 'n2.' },
        { older: 'o3', newer: 'n2' },
      ],
      ...[
        { older: 'o3', newer: 'n1' },
        { older: 'o999', newer: 'n2' },
        { older: 'none', newer: '' },
      ],
    ];
    expect(replacedPairsIn(named, stored)).toMatchObject([{ older: 'mem_old2', newer: 'mem_new1' }]);
  });

  test('are read once each, however many a provider returns', () => {
    let reads = 0;
    const pair = {
      get older() {
        reads += 1;
        return 'o1';
      },
      newer: 'n7',
    };
    expect(replacedPairsIn(Array(1000).fill(pair), stored)).toEqual([]);
    expect(reads).toBe(1000);
  });
});

describe('the extraction model', () => {
  test('is a small text model among those the provider lists', () => {
    expect(defaultModel(key('openai', ['text-embedding-3-small', 'gpt-5', 'gpt-5-mini', 'gpt-4o-mini']))).toBe(
      'gpt-5-mini',
    );
    expect(defaultModel(key('anthropic', ['claude-opus-4-1', 'claude-haiku-4-5']))).toBe('claude-haiku-4-5');
    expect(defaultModel(key('google', ['gemini-2.5-flash-lite', 'gemini-2.5-flash']))).toBe('gemini-2.5-flash');
    expect(defaultModel(key('ollama', ['nomic-embed-text', 'all-minilm', 'llama3.2']))).toBe('llama3.2');
    expect(defaultModel(key('voyage', ['voyage-4']))).toBeUndefined();
  });

  test('is the requested one, else the chosen one, else one of the newest valid key', () => {
    const keys = [
      key('voyage', ['voyage-4']),
      key('openai', ['gpt-5-mini'], 'refused'),
      key('mistral', ['mistral-small-latest']),
    ];
    const chosen = { provider: 'openai', model: 'gpt-5' } as const;
    expect(chooseModel({ requested: {}, chosen: undefined, keys }).provider).toBe('mistral');
    expect(chooseModel({ requested: {}, chosen, keys })).toEqual(chosen);
    expect(chooseModel({ requested: { model: 'o9' }, chosen, keys })).toEqual({ provider: 'openai', model: 'o9' });
    expect(chooseModel({ requested: { provider: 'mistral' }, chosen, keys }).model).toBe('mistral-small-latest');
    for (const requested of [{ provider: 'voyage' }, { provider: 'cohere' }, { model: 'unknown' }] as const) {
      expect(() => chooseModel({ requested, chosen: undefined, keys })).toThrow(/key|Name/);
    }
  });
});
