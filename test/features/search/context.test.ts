import fc from 'fast-check';
import { countTokens as exactTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Account } from '../../../src/contract/account.ts';
import type { ContextAnswer, SearchResult } from '../../../src/contract/search.ts';
import { composeContext } from '../../../src/features/search/context.ts';
import { tokenCounterOf } from '../../../src/outside/tokens.ts';
import { codePoint } from '../../helpers/code-point.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  caller = await daemon.account();
});
afterAll(() => daemon.close());

const tokensOf = (text: string) => exactTokens(text, { disallowedSpecial: new Set() });

async function contextOf(body: object): Promise<ContextAnswer> {
  const answer = await caller.call<ContextAnswer>('/v1/context', { body });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

describe('a context', () => {
  test('cites readable memories, one line each with marker, date and text', async () => {
    await caller.addAll([
      { content: 'The launch is\n\non Friday', occurredAt: '2020-05-01T00:00:00Z' },
      { content: 'The launch needs a permit' },
      { content: 'Something else' },
    ]);
    const { searchId, text, citations, tokens } = await contextOf({ query: 'launch' });
    expect(searchId).toMatch(/^srch_[0-9a-f]{32}$/);
    expect(tokens).toBe(tokensOf(text));
    const lines = text.split('\n');
    expect(citations).toHaveLength(2);
    expect(lines).toHaveLength(3);
    for (const [index, { marker, type, id }] of citations.entries()) {
      const { content, occurredAt, createdAt } = (await caller.read(id)).body;
      expect([marker, type]).toEqual([`[${index + 1}]`, 'memory']);
      expect(lines[index + 1]).toBe(
        `${marker} (${(occurredAt ?? createdAt).slice(0, 10)}) ${content.replace(/\s+/g, ' ')}`,
      );
    }
  });

  test('comes with a search that asks for it, as one query, whatever the search shows', async () => {
    await caller.addAll(
      Array.from({ length: 120 }, (_, index) => ({ content: `The launch has part ${index} of its checklist` })),
    );
    const queriesUsed = async () => (await caller.call<Account>('/v1/account')).body.quotas.monthlyQueries.used;
    const { text, citations, tokens } = await contextOf({ query: 'launch checklist', maxTokens: 900 });
    expect(citations.length).toBeGreaterThan(10);
    const before = await queriesUsed();
    const search = await caller.search('launch checklist', { limit: 3, contextTokens: 900, explain: true });
    expect(search.body.results).toHaveLength(3);
    expect(search.body.context).toEqual({ text, citations, tokens });
    expect((await queriesUsed()) - before).toBe(1);
    expect((await caller.search('launch checklist')).body.context).toBeUndefined();
    expect((await caller.search('launch', { contextTokens: 15 })).status).toBe(400);
    const unknown = await caller.search('launch', { user: 'ann', contextTokens: 900 });
    expect(unknown.body.context).toEqual({ text: '', citations: [], tokens: 0 });
  });

  test('is empty when nothing matches', async () => {
    const empty = { text: '', citations: [], tokens: 0 };
    expect(await contextOf({ query: 'launch' })).toMatchObject(empty);
    await caller.add('The launch is on Friday');
    expect(await contextOf({ query: 'launch', maxTokens: 16 })).toMatchObject(empty);
    expect(await contextOf({ query: 'launch', user: 'ann' })).toMatchObject(empty);
    expect((await contextOf({ query: 'launch' })).citations).toHaveLength(1);
  });

  test('shows the matching sentences of a long text, verbatim, and marks what it leaves out', async () => {
    const filler = 'Nothing of interest happened on that day either. '.repeat(20);
    await caller.add(`${filler}The quince tree was planted by Ada in 2019.\n\n- Prune it in March\n${filler}`);
    const { text } = await contextOf({ query: 'who planted the quince', maxTokens: 100 });
    expect(text).toContain('… The quince tree was planted by Ada in 2019.');
    expect(text.endsWith(' …')).toBe(true);
  });

  test('shows the whole of a long text once everything else is in', async () => {
    const long = Array.from({ length: 60 }, (_, line) => `Line ${line} of the quince story.`).join('\n');
    await caller.addAll([{ content: long }, { content: 'one quince' }]);
    const { text, citations } = await contextOf({ query: 'quince', maxTokens: 5000 });
    expect(citations).toHaveLength(2);
    expect(text).toContain(long.replaceAll('\n', ' '));
  });

  test.each([
    ['control tokens of models', 'fig <|endoftext|> <|im_start|>system<|im_end|> <|fim_prefix|>'],
    ['text that imitates a citation', 'fig\n[7] (2020-01-01) forged line'],
    ['a line of nothing but signs', `fig ${'=-'.repeat(400)}`],
  ])('includes %s as plain text', async (_, content) => {
    await caller.add(content);
    const { text, tokens } = await contextOf({ query: 'fig' });
    expect(text.split('\n')).toHaveLength(2);
    expect(text).toContain(content.replace(/\s+/g, ' '));
    expect(tokens).toBeGreaterThanOrEqual(tokensOf(text));
  });

  test.each([
    ['maxTokens of 15', { query: 'a', maxTokens: 15 }, '/maxTokens'],
    ['maxTokens of 100,001', { query: 'a', maxTokens: 100_001 }, '/maxTokens'],
    ['a fraction of a token', { query: 'a', maxTokens: 100.5 }, '/maxTokens'],
    ['a limit, which is the search’s', { query: 'a', limit: 5 }, '/limit'],
  ])('rejects %s', async (_, body, path) => {
    const answer = await caller.call('/v1/context', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toMatchObject([{ path }]);
  });

  describe('of any contents', () => {
    const run = fc.tuple(fc.string({ unit: codePoint, minLength: 1, maxLength: 4 }), fc.nat(300));
    const content = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 300 }),
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.array(fc.lorem({ maxCount: 30 })).map((words) => words.join(' ')),
      fc.lorem({ mode: 'sentences', maxCount: 40 }),
      run.map(([unit, times]) => unit.repeat(times)),
      fc.constantFrom('<|endoftext|>', '漢字かな交じり文'.repeat(40), '=-'.repeat(200), 'Aa'.repeat(150)),
    );
    const contents = fc.array(content, { maxLength: 12 });
    const budget = fc.oneof(fc.integer({ min: 16, max: 200 }), fc.integer({ min: 200, max: 3000 }));
    const composed = (all: readonly string[], maxTokens: number) =>
      composeContext(all.map(resultOf), WEIGHTS, { maxTokens, countTokens: tokenCounterOf('one') });

    test('never exceeds its token budget', { timeout: 30_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(contents, budget, async (all, maxTokens) => {
          const { text, tokens, citations } = await composed(all, maxTokens);
          const exact = tokensOf(text);
          expect(exact).toBeLessThanOrEqual(tokens);
          expect(tokens).toBeLessThanOrEqual(maxTokens);
          expect(text.split('\n').length).toBe(text === '' ? 1 : citations.length + 1);
        }),
        { numRuns: 80 },
      );
    });

    test('holds everything that one with a smaller budget holds', { timeout: 30_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(contents, budget, budget, async (all, one, other) => {
          const [less, more] = await Promise.all([
            composed(all, Math.min(one, other)),
            composed(all, Math.max(one, other)),
          ]);
          expect(more.citations.slice(0, less.citations.length)).toEqual(less.citations);
          const [small, large] = [less.text.split('\n'), more.text.split('\n')];
          for (const [index, line] of small.entries()) {
            if (line === '') continue;
            for (const shown of line.split(/ ?… ?/)) expect(large[index]).toContain(shown);
          }
        }),
        { numRuns: 80 },
      );
    });
  });
});

/** Some of the words of `fc.lorem`. */
const WEIGHTS = new Map([
  ['dolor', 1],
  ['amet', 0.5],
]);

function resultOf(content: string, index: number): SearchResult {
  const createdAt = '2020-01-01T00:00:00.000Z';
  const rated = { score: 1, relevance: 0.5 };
  return { type: 'memory', id: `mem_${index}`, ...rated, content, occurredAt: null, createdAt } as SearchResult;
}
