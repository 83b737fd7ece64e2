import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAboutOneself } from '../../../src/features/suggestions/about-oneself.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting } from './suggestion-daemon.ts';

describe('what a person says of themselves', () => {
  test.each([
    "I'm allergic to peanuts",
    'I live in Ghent',
    'My sister Hanna is a nurse',
    'My birthday is on 3 May',
    "I'm vegan",
    'I have two cats',
    'my dog is called Rex',
    "I don't eat pork",
    'I am a nurse',
    'My name is Ada',
    'Ich wohne in Graz',
    'Meine Mutter hat am 3. Mai Geburtstag',
    "J'habite à Lyon",
    'Vivo en Gijón',
    'Soy alérgica al polen',
    'Abito a Torino',
    'Moro em Lisboa',
    'Ik woon in Almere',
    'Mieszkam w Gdańsku',
    'Я живу в Казани',
    '我对花生过敏',
    '私は京都に住んでいます',
    'I work as a carpenter',
    'Mi hermana es médica',
    'Mein Hund heißt Bello',
  ])('belongs to no project: %s', (text) => {
    expect(isAboutOneself(text)).toBe(true);
  });

  test.each([
    'My branch is feature/x',
    'I use tabs in this repo',
    'We live in Rome',
    'My parent process is 42',
    'I have a child process that hangs',
    'My server is called pluto',
    'Our dog is called Rex',
    'My cat command is aliased to bat',
    'My manager is Henrik',
    'I drink from this API',
    'I prefer pnpm',
    'We deploy with Fly.io',
    'I live in the terminal here',
    'My address space is 32 bit',
    'My name server is ns1.example.com',
    'My child component has no props',
    'My parent class is abstract',
    'I work on the login page',
    'I play the test fixtures',
    'Meine Datenbank heißt svc',
    'My address is 0x3f',
    'My partner API is down',
  ])('is not what belongs to the project: %s', (text) => {
    expect(isAboutOneself(text)).toBe(false);
  });
});

describe('a suggested fact', () => {
  let daemon: MemoryDaemon;
  beforeAll(async () => {
    daemon = await startMemoryDaemon();
  });
  afterAll(() => daemon.close());

  test('about the person holds in every project once it is accepted, and one about the work in its own', async () => {
    const caller = await newSuggesting(daemon);
    const { body } = await caller.call<{ id: string }>('/v1/conversations', { body: { project: 'one' } });
    const messages = ["I'm allergic to peanuts.", 'We deploy with Fly.io every Friday.'].map((content) => ({
      role: 'user',
      content,
    }));
    await caller.call(`/v1/conversations/${body.id}/messages`, { body: { messages } });
    const suggested = await caller.compared();
    expect(new Map(suggested.map(({ content, project }) => [content, project]))).toEqual(
      new Map([
        ["I'm allergic to peanuts", null],
        ['We deploy with Fly.io every Friday', 'one'],
      ]),
    );
    for (const { id } of suggested) await caller.decide(id, 'accept');
    const stored = await caller.call<{ data: { content: string; project: string | null }[] }>('/v1/memories');
    expect(stored.body.data.find(({ content }) => content.includes('peanuts'))?.project).toBeNull();
  });

  test('is not what a later message of the conversation replaces', async () => {
    const caller = await newSuggesting(daemon);
    const { body } = await caller.call<{ id: string }>('/v1/conversations', { body: {} });
    const said = ['I live in Linz.', 'My manager is Henrik.', 'I moved to Graz last week.', 'my manager is Sofia now.'];
    const messages = said.map((content) => ({ role: 'user', content }));
    await caller.call(`/v1/conversations/${body.id}/messages`, { body: { messages } });
    const contents = (await caller.compared()).map(({ content }) => content);
    expect(contents.toSorted()).toEqual(['I moved to Graz last week', 'my manager is Sofia now']);
  });
});
