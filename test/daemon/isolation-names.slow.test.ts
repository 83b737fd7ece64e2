import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type MemoryDaemon, startMemoryDaemon } from '../features/memories/memory-daemon.ts';

let daemon: MemoryDaemon;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());

describe('names', () => {
  const NAMES = [
    'b',
    '../b',
    './b',
    'B',
    'b ',
    ' b',
    'b/',
    '%62',
    'b%00',
    "b' OR '1'='1",
    'b*',
    '_',
    '%',
    'admin',
    'аdmin',
    'caf\u00e9',
    'cafe\u0301',
    'ﬁ',
    'fi',
    '\u200bb',
    'b\u202e',
    'İ',
    'i',
    '0',
    '00',
    'null',
    'default',
    '__proto__',
    'constructor',
    '👩‍👩‍👧',
    'x'.repeat(256),
  ];

  test('of users and tags stay distinct, however similar they look', async () => {
    const caller = await daemon.account();
    await caller.addAll(NAMES.map((name, index) => ({ content: `unicorn ${index}`, user: name, tags: [name] })));
    await caller.addAll(NAMES.map((name, index) => ({ content: `tagged ${index}`, tags: [name] })));
    for (const [index, name] of NAMES.entries()) {
      const named = encodeURIComponent(name);
      expect(await caller.find('unicorn', { user: name }), name).toEqual([`unicorn ${index}`]);
      expect(await caller.find('tagged', { filter: { tags: [name] } }), name).toEqual([`tagged ${index}`]);
      expect(await caller.list(`?tag=${named}`), name).toEqual([`tagged ${index}`, `unicorn ${index}`]);
      const own = name === 'default' ? NAMES.length + 1 : 1;
      expect(await caller.list(`?user=${named}`), name).toHaveLength(own);
    }
  });

  test.each([
    ['NUL', 'a\0b'],
    ['a line break', 'a\nb'],
    ['10 KB', 'x'.repeat(10_240)],
    ['half a surrogate pair', 'a\ud800'],
    ['no characters', ''],
  ])('with %s are rejected', async (_, name) => {
    const owner = await daemon.account();
    for (const body of [{ user: name }, { tags: [name] }]) {
      const answer = await owner.call('/v1/memories', { body: { content: 'never stored', ...body } });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    }
  });
});

test('thousands of better matches of another tenant do not affect a tenant’s results', async () => {
  const [small, big] = [await daemon.account(), await daemon.account()];
  const filler = 'which is said in a long and winding sentence of many more words than would be needed';
  await small.addAll(Array.from({ length: 30 }, (_, index) => ({ content: `phoenix number ${index} ${filler}` })));
  await small.add('nothing of the kind');
  const questions = [{ limit: 100 }, { limit: 10 }, { limit: 100, filter: { before: '9999-01-01T00:00:00Z' } }];
  const before = await Promise.all(questions.map((more) => small.find('phoenix feather', more)));
  expect(before.map((contents) => contents.length)).toEqual([30, 10, 30]);
  for (let batch = 0; batch < 5; batch += 1) {
    await big.addAll(
      Array.from({ length: 500 }, (_, index) => ({ content: `phoenix feather ${batch * 500 + index}` })),
    );
  }
  expect(await Promise.all(questions.map((more) => small.find('phoenix feather', more)))).toEqual(before);
  const { text } = (await small.call<{ text: string }>('/v1/context', { body: { query: 'phoenix feather' } })).body;
  expect(text).toContain('winding');
  expect(text).not.toContain('feather');
  expect(await big.find('phoenix feather', { limit: 100 })).toHaveLength(100);
});
