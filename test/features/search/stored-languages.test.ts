import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ENGLISH_MODEL, MULTILINGUAL_MODEL, namesOfLanguages } from '../../../src/contract/advised-models.ts';
import type { StoredLanguages } from '../../../src/contract/stored-languages.ts';
import { languagesOfModel } from '../../../src/outside/models/model-list.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newAccount } from '../portability/portable-account.ts';

let daemon: MemoryDaemon;
let caller: Caller;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
beforeEach(async () => {
  caller = await newAccount(daemon);
});
afterAll(() => daemon.close());

const GERMAN = [
  'Ich wohne seit Mai in Graz',
  'Meine Tochter heißt Mila und ist drei',
  'Der Zahnarzt ist in der Hauptstraße',
];
const ENGLISH = ['My father drove trams in Rosario', 'The meeting is on Mondays at nine'];
const add = (texts: readonly string[]) => caller.addAll(texts.map((content) => ({ content })));
const stored = async (one = caller) => (await one.call<StoredLanguages>('/v1/retrieval/languages')).body;

describe('the languages of what is stored', () => {
  test('are none at first, and no model is advised', async () => {
    expect(await stored()).toEqual({ languages: [], meaning: 'none', needsMultilingualModel: false });
  });

  test('are counted over current memories and messages, the most frequent first, and advise a model for them', async () => {
    await add(ENGLISH);
    expect(await stored()).toMatchObject({
      languages: [{ language: 'en', texts: 2 }],
      needsMultilingualModel: false,
    });
    await add(GERMAN.slice(0, 2));
    const messages = [
      { role: 'user', content: GERMAN[2]! },
      { role: 'user', content: 'Hier ist noch etwas, das wir nicht vergessen' },
    ];
    await caller.call('/v1/remember', { body: { messages } });
    expect(await stored()).toEqual({
      languages: [
        { language: 'de', texts: 4 },
        { language: 'en', texts: 2 },
      ],
      meaning: 'none',
      needsMultilingualModel: true,
    });
  });

  test('advise nothing for a few texts among many, and for those of another account', async () => {
    await add(GERMAN);
    const other = await newAccount(daemon);
    await other.addAll(Array.from({ length: 40 }, (_, at) => ({ content: `The red box ${at} is on the shelf` })));
    await other.addAll([{ content: GERMAN[0]! }]);
    expect(await stored(other)).toEqual({
      languages: [
        { language: 'en', texts: 40 },
        { language: 'de', texts: 1 },
      ],
      meaning: 'none',
      needsMultilingualModel: false,
    });
  });

  test('are read of the newest fifty memories, and cost no query', async () => {
    await add(GERMAN);
    const quotasBefore = (await caller.call<{ quotas: unknown }>('/v1/account')).body.quotas;
    await add(Array.from({ length: 50 }, (_, at) => `The red box ${at} is on the shelf`));
    const quotas = (await caller.call<{ quotas: unknown }>('/v1/account')).body.quotas;
    expect(await stored()).toMatchObject({ languages: [{ language: 'en', texts: 50 }] });
    const after = (await caller.call<{ quotas: unknown }>('/v1/account')).body.quotas;
    expect(after).toEqual(quotas);
    expect(quotasBefore).not.toEqual(quotas);
  });

  test('are named in words, the first three', () => {
    const languages = ['de', 'en', 'nl', 'fr'].map((language) => ({ language, texts: 1 }));
    expect(namesOfLanguages(languages)).toBe('German, English, and Dutch');
    expect(namesOfLanguages(languages.slice(0, 1))).toBe('German');
  });
});

test('the models that are advised are listed for English and for many languages', () => {
  expect(languagesOfModel(`${ENGLISH_MODEL}@0123456789abcdef`)).toBe('english');
  expect(languagesOfModel(MULTILINGUAL_MODEL)).toBe('multilingual');
  expect(languagesOfModel('my-model')).toBe('unknown');
  expect(languagesOfModel(undefined)).toBe('unknown');
});
