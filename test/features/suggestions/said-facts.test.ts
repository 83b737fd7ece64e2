import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { factsIn } from '../../../src/features/suggestions/said-facts.ts';
import { type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';
import { newSuggesting, type Suggesting } from './suggestion-daemon.ts';

const textsIn = (message: string) => factsIn(message).map(({ text }) => text);

describe('facts in a message', () => {
  test.each([
    ['remember that I sing in the parish choir', ['I sing in the parish choir']],
    [
      'fix the deploy script, we deploy with Fly.io and never on Fridays',
      ['we deploy with Fly.io and never on Fridays'],
    ],
    ['From now on: answer in German.', ['answer in German']],
    ['never mock the database in these tests', ['never mock the database in these tests']],
    ['My sister Hanna is a nurse. Write her a birthday card!', ['My sister Hanna is a nurse']],
    ['Meine Mutter hat am 3. Mai Geburtstag.', ['Meine Mutter hat am 3. Mai Geburtstag']],
    ['My doctor is Dr. Patel at the corner. Write to her!', ['My doctor is Dr. Patel at the corner']],
    ['Fix it and remember that our team uses tabs', ['our team uses tabs']],
    ['Claude, note that the port is 4417', ['the port is 4417']],
    ['Merk dir bitte, dass ich vegan bin', ['ich vegan bin']],
    ['请记住我对花生过敏', ['我对花生过敏']],
    ["J'habite désormais à Lyon avec ma sœur", ["J'habite désormais à Lyon avec ma sœur"]],
    ['Ich arbeite künftig in Zürich als Koch', ['Ich arbeite künftig in Zürich als Koch']],
    ['Wij wonen vanaf nu in Almere bij mijn ouders', ['Wij wonen vanaf nu in Almere bij mijn ouders']],
    ['Como carne dos veces por semana', ['Como carne dos veces por semana']],
    ['Usamos una versión antigua de Node', ['Usamos una versión antigua de Node']],
    ['We decided to keep SQLite. Update the README.', ['We decided to keep SQLite']],
  ])('%s', (message, facts) => {
    expect(textsIn(message)).toEqual(facts);
  });

  test.each([
    'The docs say: we always use yarn. Is that outdated?',
    'The readme states: we always use yarn',
    'Laut Doku: wir verwenden immer yarn.',
    "[10:23] bob: I'm allergic to cats",
    "[10:23] bob: I'm allergic to cats\n[10:24] ann: I live in Rome",
    '12/11/26, 10:23 - Bob: I live in Rome',
    'Ada Berg  10:23 AM\nI live in Rome',
    'Reply to this customer: My account is locked and I live in Lyon.',
    'Antworte auf diese Mail: Ich wohne in Graz.',
    "Réponds à ce client : J'habite à Lyon.",
    'Classify this ticket: I live in Lyon.',
    'my test user is called Bob and lives in Rome',
    'Mein Testnutzer heißt Bob und wohnt in Rom',
  ])('are not made of what others said, a text to answer or a test user: %s', (message) => {
    expect(textsIn(message)).toEqual([]);
  });

  test.each([
    ['Note: I live in Rome.', 'I live in Rome'],
    ['I moved to Graz last week.', 'I moved to Graz last week'],
    ['We switched to pnpm yesterday.', 'We switched to pnpm yesterday'],
    ['I say: we always use tabs', 'we always use tabs'],
    ['My test server is called pluto', 'My test server is called pluto'],
    ['Our test runner is vitest', 'Our test runner is vitest'],
    ['I answer customers in the evening. We always use yarn.', 'We always use yarn'],
  ])('are made of the own words in %s', (message, fact) => {
    expect(textsIn(message)).toContain(fact);
  });

  test.each([
    'do we deploy with Fly.io?',
    'I moved the button to the left last week',
    'We switched to another branch yesterday',
    'I moved to line 40 last night',
    'if I used Postgres instead, we would need a server',
    "I'm stuck on this error, we run it every time",
    '```\nwe use tabs in this file always\n```',
    '> we use Jenkins, wrote Tom\nwhat do I answer?',
    'today we work on the login page',
    'it is always slow',
    '<svc-memory-123>\nWe deploy with Fly.io\n</svc-memory-123>',
    'thanks, we like it',
    "I can't remember that password for the bank",
    'I left a note that the dog was fed at six',
    'Ana me recuerda a una actriz francesa',
    'If we talk about code, remember that tests come first',
    'We use Postgres, right?',
    'Nutzen wir Postgres, oder?',
    'I like your answer',
    'Ich schicke dir gleich den Text',
    'Je te remercie pour ton aide',
    '我等你的回复',
    'I prefer the second option',
    'Ich nehme die zweite Variante',
    'Prendo la seconda opzione',
    'Mam pytanie o podatki',
    'У меня вопрос про налоги',
    '私は税金について質問があります',
    '我有个问题想请教',
    'My boss says we use Oracle',
    'Meine Freundin behauptet, ich sei faul',
    'La mia ragazza dice che sono pigro',
    'You are a pirate. I love gold and rum.',
    'Act as a lawyer. I am a client with a dog.',
    'Como te dije antes el informe está listo',
    'Como faço para instalar o programa',
    '',
  ])('none in %j', (message) => {
    expect(factsIn(message)).toEqual([]);
  });

  test('are never what follows a word for remembering inside a sentence', () => {
    for (const message of [
      '我从来不记得同事的名字和生日',
      'Mi madre no recuerda mi cumpleaños nunca',
      'Mio nonno non ricorda più i nomi dei nipoti',
      'Je retiens mal les noms de mes élèves',
      'Mijn zus let op de kinderen van de buren',
    ])
      expect([[], [message]]).toContainEqual(textsIn(message));
  });

  test('are five at most, each once', () => {
    const sentences = Array.from({ length: 9 }, (_, index) => `We use tool number ${index}.`);
    expect(textsIn([...sentences, ...sentences].join(' '))).toHaveLength(5);
  });
});

describe('what was said in conversations', () => {
  let daemon: MemoryDaemon;
  let caller: Suggesting;
  beforeAll(async () => {
    daemon = await startMemoryDaemon();
  });
  afterAll(() => daemon.close());
  beforeEach(async () => {
    caller = await newSuggesting(daemon);
    // Only what is said from now on is read.
    await caller.compared();
  });

  async function say(messages: object[], project?: string) {
    const { body } = await caller.call<{ id: string }>('/v1/conversations', { body: project ? { project } : {} });
    const path = `/v1/conversations/${body.id}/messages`;
    const answer = await caller.call<{ data: { id: string }[] }>(path, { body: { messages } });
    expect(answer.status, answer.text).toBe(201);
    return { conversationId: body.id, ids: answer.body.data.map(({ id }) => id) };
  }
  const user = (content: string) => ({ role: 'user', content });

  test('by the person is suggested once, with its words, and stored with its source', async () => {
    const said = await say([user('Fix the script, we deploy kestrel with Fly.io'), user('ok')], 'kestrel');
    const [suggestion, ...others] = await caller.compared();
    expect(others).toEqual([]);
    expect(suggestion).toMatchObject({
      ...{ kind: 'add', content: 'we deploy kestrel with Fly.io', project: 'kestrel', by: 'rules' },
      evidence: [{ id: said.ids[0], text: 'we deploy kestrel with Fly.io' }],
    });
    await caller.decide(suggestion!.id, 'accept');
    const { body } = await caller.call<{ data: object[] }>('/v1/memories');
    const source = { conversationId: said.conversationId, messageId: said.ids[0] };
    expect(body.data).toMatchObject([{ content: 'we deploy kestrel with Fly.io', project: 'kestrel', source }]);
    await say([user('Again: we deploy kestrel with Fly.io')], 'kestrel');
    expect(await caller.compared()).toEqual([]);
  });

  test('is not suggested if a memory says it, and not again after a rejection', async () => {
    await caller.add('We deploy kestrel with Fly.io in two regions');
    await say([user('we deploy kestrel with Fly.io'), user('My cat is called Muffin')]);
    const [suggestion, ...others] = await caller.compared();
    expect([suggestion?.content, others]).toEqual(['My cat is called Muffin', []]);
    await caller.decide(suggestion!.id, 'reject');
    await say([user('My cat is called Muffin')]);
    expect(await caller.compared()).toEqual([]);
  });

  test('is suggested however much was said at once', async () => {
    for (const talk of [1, 2, 3, 4, 5]) {
      await say(Array.from({ length: 45 }, (_, index) => user(`My cousin number ${talk * 100 + index} is called Ada`)));
    }
    await caller.compared();
    expect(await caller.suggestions('?limit=200&state=open')).toHaveLength(200);
  });

  test('by assistants, tools and the system gives nothing', async () => {
    await say([
      { role: 'assistant', content: 'We use pnpm here' },
      { role: 'system', content: 'We use pnpm here' },
      { role: 'tool', content: 'We use pnpm here' },
    ]);
    expect(await caller.compared()).toEqual([]);
  });

  test('is no longer suggested once the conversation is erased', async () => {
    const { conversationId } = await say([user('My cat is called Muffin')]);
    expect(await caller.compared()).toHaveLength(1);
    await caller.call(`/v1/conversations/${conversationId}`, { method: 'DELETE' });
    await daemon.conversations.sweep();
    expect(await caller.suggestions('')).toEqual([]);
  });
});
