import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { conversing } from '../conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newAccount } from '../portability/portable-account.ts';

/** What readers of a memory expect a word to find, through the whole daemon. */

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

describe('a word finds its irregular forms', () => {
  test.each([
    ['who breaks cups?', 'Otto broke the blue cup'],
    ['broken cups', 'Otto breaks a cup each week'],
    ['where does she swim?', 'Ida swam in the lake'],
    ['how many children?', 'Each child has a bicycle'],
    ['has he tried it?', 'Let us try the ferry'],
    ['did the fish die?', 'The goldfish died in March'],
    ['which bus?', 'Two buses stop at the mill'],
  ])('"%s" finds "%s"', async (query, content) => {
    await addAll(content, 'The kettle is green', 'Tea grows on hills');
    expect((await caller.find(query))[0]).toBe(content);
  });

  test('as reliably as regular ones', async () => {
    await addAll('Otto mended the cup', 'Otto stole the vase');
    const [mended] = (await caller.search('who mends a cup?')).body.results;
    const [stolen] = (await caller.search('who steals a vase?')).body.results;
    expect(stolen).toMatchObject({
      content: 'Otto stole the vase',
      score: mended!.score,
      relevance: mended!.relevance,
    });
  });

  test('and shows them in contexts', async () => {
    const rest = 'Nothing else is known about that day, and nobody wrote it down. '.repeat(8);
    await addAll(`${rest}Then Otto broke the vase in the hall. ${rest}`);
    const { body } = await caller.call<{ text: string }>('/v1/context', {
      body: { query: 'who breaks a vase?', maxTokens: 150 },
    });
    expect(body.text).toContain('Otto broke the vase');
  });
});

describe('a compound is found', () => {
  test.each([
    ['who is the babysitter?', 'Our baby sitter is Mira'],
    ['who is the baby sitter?', 'Our babysitter is Mira'],
    ['who is the baby-sitter?', 'Our babysitter is Mira'],
    ['who is the babysitter?', 'Our baby-sitter is Mira'],
    ['is the dish washer new?', 'The dishwasher came in May'],
  ])('"%s" finds "%s"', async (query, content) => {
    await addAll(content, 'The baby sleeps at seven', 'The dish is blue', 'A house sitter waters the plants');
    expect((await caller.find(query))[0]).toBe(content);
  });

  test('rather than a long text that holds both parts somewhere', async () => {
    await addAll(`The baby laughed. ${'It rained. '.repeat(40)}A sitter came.`, 'Our baby sitter is Mira');
    expect((await caller.find('babysitter'))[0]).toBe('Our baby sitter is Mira');
  });
});

test('a particle distinguishes the meanings of a word', async () => {
  await addAll('I call my mother', 'I am on call every third week', 'Call the dentist');
  expect((await caller.find('when am I on call?'))[0]).toBe('I am on call every third week');
});

test('an Arabic word is found with and without its article', async () => {
  await addAll('اشتريت الكتاب أمس', 'أحب القهوة');
  expect(await caller.find('كتاب')).toEqual(['اشتريت الكتاب أمس']);
  expect(await caller.find('قهوة')).toEqual(['أحب القهوة']);
  await addAll('عندي سيارة حمراء');
  expect(await caller.find('السيارة')).toEqual(['عندي سيارة حمراء']);
});

describe('a name that is a letter off', () => {
  test.each([
    ['when is Katherine free?', 'Catherine is free on Fridays'],
    ['when is Cristina free?', 'Kristina is free on Fridays'],
    ['when is Ana free?', 'Anna is free on Fridays'],
    ['when is Jon free?', 'John is free on Fridays'],
    ['when is Sara free?', 'Sarah is free on Fridays'],
  ])('"%s" finds "%s"', async (query, content) => {
    await addAll(content, 'Otto is free on Mondays', 'The pool is free for members');
    expect((await caller.find(query))[0]).toBe(content);
  });

  test('is that of a speaker', async () => {
    const talk = conversing(caller);
    const { id } = await talk.begin();
    const said = [
      ['Mel', 'We painted the boat'],
      ['Melanie', 'We painted the boat'],
      ['Caroline', 'We painted the boat'],
    ];
    await talk.append(
      id,
      said.map(([name, content]) => ({ role: 'user', name, content })),
    );
    const { body } = await caller.search('what did Carolin paint?');
    expect(body.results[0]).toMatchObject({ name: 'Caroline' });
  });
});

test('a rare word counts for more than a common first name', async () => {
  const others = ['tea', 'jazz', 'chess', 'rain', 'Porto', 'ferries', 'olives'].map((thing) => `Lena likes ${thing}`);
  await addAll(...others, 'Lena and Lena Berg are twins', 'The penicillin allergy is noted in the file');
  expect((await caller.find("Lena's penicillin"))[0]).toBe('The penicillin allergy is noted in the file');
});
