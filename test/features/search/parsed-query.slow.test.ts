import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseQuery, withWordings } from '../../../src/features/search/parsed-query.ts';
import { daysOf } from '../../../src/features/text/day-ranges.ts';
import { deriveFrom, TRAIT } from '../../../src/features/traits/traits.ts';

const AT = Date.parse('2026-05-20T12:00:00Z');
const namesOf = (traits: number) =>
  Object.entries(TRAIT).flatMap(([name, bit]) => ((traits & bit) === 0 ? [] : [name]));
const traitsOf = (text: string) => namesOf(deriveFrom(text, AT).traits);

describe('a text', () => {
  test.each<[string, string, string[]]>([
    ['a query', 'Did it rain?', ['question', 'asks']],
    ['a question before a statement', 'Rain? No', ['question']],
    ['a question in quotes', '"Did it rain?"', ['question', 'asks']],
    ['the first person', "it rained and I'm wet", ['firstPerson']],
    ['a number', 'there were 12', ['number']],
    ['a number in words', 'there were several', ['number']],
    ['a time', 'it rained yesterday', ['time']],
    ['a name inside a sentence', 'then came Amélie', ['name']],
    ['a place with a name', 'she came from Zürich', ['name', 'place']],
    ['a kind of place', 'she ran through the park', ['place']],
    ['none of these', 'it rained', []],
    ['a name at the beginning, which any word may be', 'Rain fell', []],
  ])('with %s has exactly that trait', (_, text, traits) => {
    expect(traitsOf(text).sort()).toEqual([...traits].sort());
  });

  test('stores the dates it mentions', () => {
    expect(deriveFrom('it rained', AT).dates).toBeNull();
    const { dates } = deriveFrom('it rained on 1970-01-03', AT);
    expect(daysOf(0, 86_400_000, dates)).toEqual([
      [0, 1],
      [2, 2],
    ]);
    expect(daysOf(0, 0, null)).toEqual([[0, 0]]);
  });

  test('of any length is judged by its beginning', () => {
    const idle = 'it rained '.repeat(10_000);
    expect(deriveFrom(`${idle} did it on 5 May 2020?`, AT)).toEqual(deriveFrom(idle, AT));
    expect(traitsOf(`yesterday ${idle}`)).toEqual(['time']);
  });
});

describe('a query', () => {
  test.each<[string, string[]]>([
    ['When did it rain?', ['time']],
    ['which year was it', ['time']],
    ['How long ago was that?', ['time', 'number']],
    ['How many kayaks are there?', ['number']],
    ['Where is the kayak?', ['place']],
    ['What city did they visit?', ['name', 'place']],
    ['Which European countries has she been to?', ['name', 'place']],
    ['What books did she read?', ['name']],
    ["What are her dogs' names?", ['name']],
    ['What kind of books does she read?', []],
    ['What did she book?', []],
    ['Who rained on it, and when?', ['name', 'time']],
    ['Whose kayak is it?', ['name']],
    ['the kayak whenever whoever', []],
    ['What colour is it?', []],
  ])('"%s" asks for an answer with one of %j', (query, traits) => {
    expect(namesOf(parseQuery(query, AT).answerTraits).sort()).toEqual([...traits].sort());
  });

  test.each([
    ['my latest plan', true],
    ['the most recent plan', true],
    ['where do I live right now', true],
    ['the plan of late', false],
    ['the newestplan', false],
  ])('"%s" asks for recent items: %s', (query, recent) => {
    expect(parseQuery(query, AT).asksForRecent).toBe(recent);
  });

  test.each<[string, string[]]>([
    ['in April', ['__m4']],
    ['on April 5 and on April 9', ['__m4']],
    ['in April 2020', ['__2020m4']],
    ['last month', ['__2026m4']],
    ['last weekend', ['__2026m5']],
    ['from 20 April 2020 to 3 May 2020', ['__2020m4', '__2020m5']],
    ['in 2020', []],
    ['a kayak', []],
  ])('"%s" searches the months %j', (query, months) => {
    expect(parseQuery(query, AT).months).toEqual(months);
  });

  test.each<[string, string[]]>([
    ['Can you list the order in which I brought up different aspects of my garden in our chats, in order?', ['garden']],
    ['Could you give me a brief summary of what I learned about kayaks over time?', ['learned', 'kayaks']],
    ['List only two items: what rain did we talk about across all of our conversations', ['rain']],
    ['How many times have I ever seen a kayak?', ['seen', 'kayak']],
    ["the user's kayak", ['kayak']],
    ['user kayak color', ['kayak', 'color']],
    ['where does the user paddle', ['paddle']],
    ['user table schema', ['user', 'table', 'schema']],
    ['how do we validate the user', ['validate', 'user']],
    ['user', ['user']],
    ['the error in my chat app', ['error', 'chat', 'app']],
    ['an order of kayaks', ['order', 'kayaks']],
    ['what kind of dog do we have?', ['dog']],
    ['which other types of bread does she bake?', ['bread', 'bake']],
    ['my blood type', ['blood', 'type']],
    ['be kind', ['kind']],
    ['what did we talk about in our last chat?', ['talk', 'last', 'chat']],
  ])('"%s" is about %j', (query, terms) => {
    expect(parseQuery(query, AT).terms).toEqual(terms);
  });

  test('contributes at most sixty-four words', () => {
    for (const unit of [
      'a',
      'in the ',
      'when ',
      'how many times ',
      'last week ',
      '1/1',
      'may 5 ',
      '漢',
      '? ',
      'what ',
      'a-',
      '\u0301',
    ]) {
      const { terms } = parseQuery(unit.repeat(10_000 / unit.length), AT);
      expect(terms.length).toBeLessThanOrEqual(64);
    }
    const words = Array.from({ length: 3000 }, (_, index) => `w${index}`);
    expect(parseQuery(words.join(' '), AT).terms).toEqual(words.slice(0, 64));
  });
});

describe('the voice', () => {
  test.each<[string, 'user' | 'assistant' | null]>([
    ['what is my deadline?', 'user'],
    ['where do we keep the backups', 'user'],
    ['When did I mention the leak?', 'user'],
    ['remind me of the port', 'user'],
    ['can you list the order in which I brought up my goals?', 'user'],
    ['what did you recommend for my trip?', 'assistant'],
    ['the library that you suggested', 'assistant'],
    ['your advice about my diet', 'assistant'],
    ['have you ever told me about Rust?', 'assistant'],
    ['summarize what I said about my trip', null],
    ['an overview of our project', null],
    ['where does Ada live?', null],
    ['Iowa and Mexico', null],
  ])('of "%s" is %s', (query, voice) => {
    expect(parseQuery(query, AT).voice).toBe(voice);
  });
});

describe('other wordings', () => {
  const word = fc.constantFrom(...'home house Haus casa дом 家 lived in the on 5 May who When Ada'.split(' '));
  const text = fc.array(fc.oneof(word, fc.string({ minLength: 1, maxLength: 5 })), { minLength: 1, maxLength: 120 });
  const sentence = text.map((words) => words.join(' '));

  test('add at most as many terms as a query has, leave room for its own, and change nothing else that it asks', () => {
    fc.assert(
      fc.property(sentence, fc.array(sentence, { maxLength: 10 }), (query, wordings) => {
        const own = parseQuery(query, AT);
        const { terms, phrases, related, wordingRoots, ways, ...rest } = withWordings(own, wordings);
        const { terms: ownTerms, phrases: ownPhrases, related: _, ...ownRest } = own;
        expect(rest).toEqual(ownRest);
        expect(phrases.joined).toBe(ownPhrases.joined);
        expect(new Set(terms).size).toBe(terms.length);
        expect(terms.length).toBeLessThanOrEqual(64);
        expect(terms.slice(0, Math.min(32, ownTerms.length))).toEqual(ownTerms.slice(0, 32));
        if (terms.some((term) => !ownTerms.includes(term))) expect(ways && wordingRoots).toBeDefined();
        else expect(terms).toEqual(ownTerms);
        if (ways === undefined) return;
        expect(ways).toHaveLength(1 + wordings.length);
        expect(ways[0]).toEqual(ownTerms);
        const inWays = new Set(ways.flat());
        expect(terms.filter((term) => !inWays.has(term))).toEqual([]);
      }),
    );
  });
});
