import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { SearchAnswer } from '../../../src/contract/search.ts';
import { conversing } from '../conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newAccount } from '../portability/portable-account.ts';

/** What is found by words that mean the same, or name a category, through the whole daemon. */

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  caller = await newAccount(daemon);
});
afterAll(() => daemon.close());

const addAll = (...contents: string[]) => caller.addAll(contents.map((content) => ({ content })));
const explain = async (query: string) =>
  (await caller.search(query, { explain: true })).body.results as SearchAnswer['results'];

describe('a memory is found', () => {
  test.each([
    ['who is the boss?', 'The manager is Kim Osei'],
    ['is there a drug allergy?', 'Allergic to penicillin'],
    ['which foods?', 'Sushi every Friday'],
    ['any dogs?', 'Toby is a puppy'],
    ['which cities?', 'A week in Athens'],
    ['which database?', 'Readings go to ClickHouse'],
    ['which typeface?', 'The font is Iosevka'],
  ])('"%s" by "%s"', async (query, content) => {
    await addAll(content, 'The kettle is green', 'Clouds hang over hills');
    expect(await caller.find(query)).toEqual([content]);
  });

  test('by the asked word before a related one', async () => {
    await addAll('The manager likes tea', 'The boss likes tea');
    expect(await caller.find('what does the boss like?')).toEqual(['The boss likes tea', 'The manager likes tea']);
  });

  test('under the conditions of a filter', async () => {
    await caller.add('The manager is Kim', { tags: ['work'] });
    await caller.add('The manager is Lee', { tags: ['club'] });
    expect(await caller.find('boss', { filter: { tags: ['club'] } })).toEqual(['The manager is Lee']);
  });

  test('and is as likely to answer as its related words say', async () => {
    await addAll('The manager is Kim Osei', 'The kettle is green', 'Clouds hang over hills');
    const confidenceOf = async (query: string) => (await caller.search(query)).body.confidence;
    const [related, own, absent] = await Promise.all(['boss', 'manager', 'zeppelin'].map(confidenceOf));
    expect(related).toBeGreaterThan(0.1);
    expect(own).toBeGreaterThan(related!);
    expect(absent).toBe(0);
  });

  test('and explained by the word that it holds', async () => {
    await addAll('All managers like tea', 'The boss is Kim');
    const [boss, managers] = await explain('boss');
    expect(managers?.why?.related).toEqual([{ term: 'boss', word: 'managers' }]);
    expect(boss?.why).not.toHaveProperty('related');
  });

  test('and shown in contexts by what matches', async () => {
    const rest = 'Nothing else is known about that day, and nobody wrote it down. '.repeat(8);
    await addAll(`${rest}Then the manager broke a vase. ${rest}`);
    const { body } = await caller.call<{ text: string }>('/v1/context', { body: { query: 'boss', maxTokens: 150 } });
    expect(body.text).toContain('the manager broke');
  });
});

describe('a conversation', () => {
  const say = async (...contents: string[]) => {
    const { id } = await conversing(caller).begin();
    await conversing(caller).say(id, ...contents);
  };

  test('is not found by related words', async () => {
    await say('The manager is Kim', 'Toby is a puppy');
    expect(await caller.find('who is the boss of the dog?')).toEqual([]);
  });

  test('ranks the message first that names a member of the category asked for', async () => {
    await say('We met at noon, Kim and me, and slept', 'We had pizza, Kim and me, and slept');
    const [first, second] = await explain('which food did Kim order?');
    expect(first?.content).toContain('pizza');
    expect(first?.why?.signals.category?.value).toBeGreaterThan(0);
    expect(second?.why?.signals.category?.value).toBe(0);
  });
});
