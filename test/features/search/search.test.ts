import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { STRATEGY_WEIGHTS } from '../../../src/features/search/fusion.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
  caller = await daemon.account();
  await caller.addAll([
    { content: 'Ada walked her dog through the park', tags: ['walk', 'dog'], occurredAt: '2020-01-10T00:00:00Z' },
    {
      content: 'The cat sleeps on the sofa',
      tags: ['cat'],
      metadata: { rating: 5, ratio: 0.5, mood: 'calm', "it's": 'quoted', indoors: true, 'a.b"c': 'odd name' },
      occurredAt: '2020-02-10T00:00:00Z',
    },
    {
      content: 'A dog and a cat share the kitchen',
      tags: ['dog', 'cat'],
      metadata: { rating: '5', mood: 'tense', indoors: false },
      occurredAt: '2020-03-10T00:00:00Z',
    },
  ]);
  await caller.add('Bob has a dog too', { user: 'bob' });
});
afterAll(() => daemon.close());

const WALK = 'Ada walked her dog through the park';
const SOFA = 'The cat sleeps on the sofa';
const KITCHEN = 'A dog and a cat share the kitchen';

describe('a query', () => {
  test.each<[string, string, string[]]>([
    ['any of its words', 'sofa park', [SOFA, WALK]],
    ['the stem of a word', 'walking dogs', [WALK, KITCHEN]],
    ['words in capitals', 'KITCHEN', [KITCHEN]],
    ['words beside stop words', 'who was it that had been on the sofa?', [SOFA]],
    ['stop words alone', 'and the', [SOFA, KITCHEN, WALK]],
    ['a tag', 'walk', [WALK]],
    ['nothing that is there', 'zeppelin', []],
    ['no word at all', '?!', []],
  ])('finds by %s', async (_, query, contents) => {
    expect((await caller.find(query)).sort()).toEqual([...contents].sort());
  });

  test('ranks the memory with more and rarer query words first', async () => {
    expect((await caller.find('dog park'))[0]).toBe(WALK);
    expect((await caller.find('cat kitchen'))[0]).toBe(KITCHEN);
  });

  test('finds nothing in an empty account, for an unknown user, or of a type without items', async () => {
    const stranger = await daemon.account();
    expect(await stranger.find('dog')).toEqual([]);
    expect(await caller.find('dog', { user: 'nobody' })).toEqual([]);
    expect(await caller.find('dog', { types: ['message', 'episode'] })).toEqual([]);
    expect(await caller.find('dog', { types: ['memory'] })).toHaveLength(2);
  });

  test('returns only items of its user', async () => {
    expect(await caller.find('dog', { user: 'bob' })).toEqual(['Bob has a dog too']);
    expect(await caller.find('bob dog')).not.toContain('Bob has a dog too');
  });

  test('returns at most limit results, ten by default, best first', async () => {
    const owner = await daemon.account();
    await owner.addAll(Array.from({ length: 150 }, (_, index) => ({ content: `pear ${'filler '.repeat(index)}` })));
    expect(await owner.find('pear')).toHaveLength(10);
    const all = await owner.find('pear', { limit: 100 });
    expect(all).toHaveLength(100);
    expect(await owner.find('pear', { limit: 3 })).toEqual(all.slice(0, 3));
    expect(all[0]).toBe('pear ');
  });
});

describe('a filter', () => {
  test.each<[string, object, string[]]>([
    ['nothing', {}, [SOFA, KITCHEN, WALK]],
    ['one tag', { tags: ['dog'] }, [KITCHEN, WALK]],
    ['all of several tags', { tags: ['dog', 'cat'] }, [KITCHEN]],
    ['a tag in other case', { tags: ['Dog'] }, []],
    ['a number', { metadata: { rating: 5 } }, [SOFA]],
    ['a text that looks like a number', { metadata: { rating: '5' } }, [KITCHEN]],
    ['a fraction', { metadata: { ratio: 0.5 } }, [SOFA]],
    ['true', { metadata: { indoors: true } }, [SOFA]],
    ['false', { metadata: { indoors: false } }, [KITCHEN]],
    ['1, which is not true', { metadata: { indoors: 1 } }, []],
    ['a name with a quote', { metadata: { "it's": 'quoted' } }, [SOFA]],
    ['a name with a dot and a quote', { metadata: { 'a.b"c': 'odd name' } }, [SOFA]],
    ['all of several members', { metadata: { mood: 'calm', rating: 5 } }, [SOFA]],
    ['members of different memories', { metadata: { mood: 'calm', rating: '5' } }, []],
    ['after', { after: '2020-02-10T00:00:00Z' }, [KITCHEN]],
    ['before', { before: '2020-02-10T00:00:00Z' }, [WALK]],
    ['between', { after: '2020-01-10T00:00:00Z', before: '2020-03-10T00:00:00Z' }, [SOFA]],
    [
      'everything at once',
      { tags: ['cat'], metadata: { mood: 'tense' }, after: '2020-03-01T00:00:00Z', before: '2020-04-01T00:00:00Z' },
      [KITCHEN],
    ],
  ])('by %s keeps matching memories', async (_, filter, contents) => {
    expect((await caller.find('dog cat park', { filter })).sort()).toEqual([...contents].sort());
  });

  test('fills the page: excluded memories that match better displace no result', async () => {
    const owner = await daemon.account();
    await owner.addAll([
      ...Array.from({ length: 200 }, (_, index) => ({ content: `plum ${index}` })),
      ...Array.from({ length: 20 }, (_, index) => ({ content: `a much longer text on a plum ${index}`, tags: ['x'] })),
    ]);
    expect(await owner.find('plum', { filter: { tags: ['x'] }, limit: 50 })).toHaveLength(20);
  });
});

describe('the answer', () => {
  test('holds memories with score and type, and with explain the reasons', async () => {
    const plain = (await caller.search('sofa')).body;
    const { id } = plain.results[0]!;
    expect(plain).toEqual({
      searchId: expect.stringMatching(/^srch_[0-9a-f]{32}$/),
      confidence: expect.any(Number),
      results: [
        { ...(await caller.read(id)).body, type: 'memory', score: expect.any(Number), relevance: expect.any(Number) },
      ],
      strategy: { name: 'default', weights: STRATEGY_WEIGHTS.default, learnedFrom: 0 },
      tookMs: expect.any(Number),
    });
    const explained = (await caller.search('cat dog', { explain: true, strategy: 'recent' })).body;
    expect(explained.strategy.name).toBe('recent');
    for (const [index, { score, why }] of explained.results.entries()) {
      expect(why?.rank).toBe(index + 1);
      const shares = Object.values(why!.signals).map(({ value, weight, share }) => {
        expect(share).toBeCloseTo(value * weight);
        return share;
      });
      const { signals } = why!;
      const most = Object.keys(signals)
        .filter((name) => explained.results.some((other) => other.why!.signals[name]!.value !== 0))
        .reduce((sum, name) => sum + signals[name]!.weight, 0);
      expect(shares.reduce((sum, share) => sum + share) / most).toBeCloseTo(score, 5);
    }
  });

  test('of the recent strategy puts the newest of equals first', async () => {
    const owner = await daemon.account();
    await owner.addAll([
      { content: 'plan for spring', occurredAt: '2001-01-01T00:00:00Z' },
      { content: 'plan for summer' },
      { content: 'plan for autumn', occurredAt: '2000-01-01T00:00:00Z' },
    ]);
    expect(await owner.find('plan', { strategy: 'recent' })).toEqual([
      'plan for summer',
      'plan for spring',
      'plan for autumn',
    ]);
    for (const strategy of ['auto', 'default', 'lexical']) {
      expect(await owner.find('plan', { strategy })).toHaveLength(3);
    }
  });
});

describe('in every script', () => {
  test.each([
    ['accents left out', 'We met at the café in Zürich', 'cafe zurich'],
    ['accents put in', 'We met at the cafe', 'café'],
    ['another normal form', 'Am\u00e9lie sings', 'Ame\u0301lie'],
    ['full-width letters', 'The code is ABC123', 'ＡＢＣ１２３'],
    ['a soft hyphen', 'Donau\u00addampfschiff ahoy', 'donaudampfschiff'],
    ['Greek in capitals', 'Ο μακρύς οδός της Αθήνας', 'ΟΔΌΣ'],
    ['Cyrillic', 'Ёлка стоит в саду', 'елка'],
    ['Chinese', '我喜欢喝绿茶和咖啡', '绿茶'],
    ['one Chinese character in the middle', '我喜欢喝绿茶和咖啡', '茶'],
    ['one Chinese character at the end', '她每天喝茶', '茶'],
    ['Japanese', '猫が窓のそばで寝ています', '窓のそば'],
    ['Japanese in half-width kana', 'カタカナで書く', 'ｶﾀｶﾅ'],
    ['katakana for hiragana', '朝はいつもりんごを食べます', 'リンゴ'],
    ['hiragana for katakana', '庭にネコがいます', 'ねこはどこにいますか？'],
    ['Korean', '서울에서 만나요', '서울'],
    ['Thai', 'ฉันชอบกินข้าวผัด', 'ข้าวผัด'],
    ['Hindi', 'मुझे हिन्दी में किताबें पसंद हैं', 'हिन्दी'],
    ['Arabic', 'أحب القهوة في الصباح', 'القهوة'],
    [
      'a script younger than most software',
      '\u{1e900}\u{1e901}\u{1e902} is written in Adlam',
      '\u{1e922}\u{1e923}\u{1e924}',
    ],
    ['an emoji', 'Pizza night 🍕 with friends', '🍕'],
    ['an emoji with a selector', 'Much love ❤️', '❤'],
    ['a flag', 'Holidays in 🇵🇹', '🇵🇹'],
    ['an emoji of several', 'Family day 👩‍👩‍👧', '👩‍👩‍👧'],
  ])('finds by %s, and nothing else', async (name, content, query) => {
    await caller.add(content, { user: name });
    await caller.add('🎉️ другое ένα 別の 다른 อื่น अन्य آخر \u{1e920} other', { user: name });
    expect(await caller.find(query, { user: name })).toEqual([content]);
  });
});
