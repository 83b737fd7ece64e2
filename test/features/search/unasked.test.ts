import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ContextAnswer, SearchResult } from '../../../src/contract/search.ts';
import { readForeign } from '../../../src/features/search/foreign-query.ts';
import { promptSubject } from '../../../src/features/search/prompt-subject.ts';
import { replacesSentence, sentenceWordsOf } from '../../../src/features/search/sentence-replacement.ts';
import { statementReader } from '../../../src/features/search/statement-words.ts';
import { chooseUnasked } from '../../../src/features/search/unasked.ts';
import { queryTerms } from '../../../src/features/text/terms.ts';
import { rootOf } from '../../../src/features/text/word-forms.ts';
import { conversing } from '../conversations/conversation-caller.ts';
import { type Caller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let daemon: MemoryDaemon;
let caller: Caller;
let chat: ReturnType<typeof conversing>;

beforeAll(async () => {
  daemon = await startMemoryDaemon();
});
afterAll(() => daemon.close());
beforeEach(async () => {
  caller = await daemon.account();
  chat = conversing(caller);
});

async function contextOf(query: string, more: object = {}): Promise<ContextAnswer> {
  const answer = await caller.call<ContextAnswer>('/v1/context', { body: { query, purpose: 'prompt', ...more } });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
}

const idsIn = ({ citations }: ContextAnswer) => citations.map(({ id }) => id);

async function sayInNewConversation(...contents: string[]) {
  const { id } = await chat.begin();
  return { conversationId: id, said: await chat.say(id, ...contents) };
}

describe('a context for a prompt', () => {
  test('holds what the user said in passing in an earlier conversation, as the sentence that says it', async () => {
    await sayInNewConversation(
      'Please tidy up the readme of the parser and sort its sections by name. We format Python with ruff, line length 110. Then push it.',
      'Thanks, that is fine',
    );
    const { text } = await contextOf('which line length does ruff have for our Python?');
    expect(text).toContain('user: … We format Python with ruff, line length 110.');
    expect(text).not.toContain('readme');
  });

  test('is empty where a context that was asked for would show what merely shares a word', async () => {
    await caller.addAll([
      { content: 'We run the tests with Vitest before each release' },
      { content: 'Ada drinks jasmine tea in the afternoon' },
    ]);
    expect(await contextOf('run it again, please')).toMatchObject({ text: '', citations: [], tokens: 0 });
    expect((await contextOf('run it again, please', { purpose: undefined })).citations).toHaveLength(1);
    expect((await contextOf('which tests do we run before a release?')).text).toContain('Vitest');
  });

  test('holds no words of an assistant unless the prompt asks for them', async () => {
    const { id } = await chat.begin();
    await chat.append(id, [
      { role: 'user', content: 'Which cheese goes with quince?' },
      { role: 'assistant', content: 'I recommend a ripe manchego with the quince.' },
    ]);
    expect((await contextOf('what goes well with quince for the party?')).text).not.toContain('manchego');
    expect((await contextOf('which cheese did you recommend with quince?')).text).toContain('manchego');
  });

  test('holds what is stored behind all that a long session has said about it', () => {
    const said = Array.from({ length: 30 }, (_, index) => ({ type: 'message', id: `msg_${index}`, role: 'user' }));
    const own = said.map((one) => ({ ...one, conversationId: 'conv_1', content: 'When does the press get its oil?' }));
    const memory = { type: 'memory', id: 'mem_1', content: 'The press gets its oil each Monday' };
    const results = [...own, memory].map(
      (one) =>
        ({ relevance: 0.5, createdAt: '2026-11-01T10:00:00.000Z', origin: 'user', ...one }) as object as SearchResult,
    );
    const steps = chooseUnasked(results, {
      exclude: { conversationId: 'conv_1' },
      voice: null,
      asksForPast: false,
      weights: new Map([['press', 1]]),
      isRejected: () => false,
    });
    let step = steps.next();
    while (!step.done) step = steps.next();
    expect(step.value).toMatchObject([{ id: 'mem_1' }]);
  });

  test('leaves out what the model has, of a conversation and by id, also if nobody typed the prompt', async () => {
    const { conversationId, said } = await sayInNewConversation('The quince tree needs pruning in March.');
    const memory = await caller.add('The quince tree was planted in 2019');
    const query = 'when does the quince tree need pruning?';
    expect(idsIn(await contextOf(query)).sort()).toEqual([memory.id, said[0]!.id].sort());
    for (const purpose of ['prompt', undefined]) {
      const without = (exclude: object) => contextOf(query, { purpose, types: ['memory', 'message'], exclude });
      expect(idsIn(await without({ conversationId }))).toEqual([memory.id]);
      expect(idsIn(await without({ ids: [memory.id] }))).toEqual([said[0]!.id]);
      expect(idsIn(await without({ conversationId, ids: [memory.id] }))).toEqual([]);
    }
  });

  test('holds the newer of two statements, and never the older because the model has the newer', async () => {
    const older = await caller.add('Head nurse on the unit is Graciete Lobo');
    const newer = await caller.add('Graciete has retired, Nuno Abrantes leads the nurses on our unit since May');
    const query = 'who is the head nurse on our unit?';
    expect(idsIn(await contextOf(query))).toEqual([newer.id]);
    expect(idsIn(await contextOf(query, { exclude: { ids: [newer.id] } }))).toEqual([]);
    expect(idsIn(await contextOf(query, { purpose: undefined })).sort()).toEqual([older.id, newer.id].sort());
  });

  test('holds what the user said later of a change, however little it has of the prompt, unless it asks for the past', async () => {
    const { said: older } = await sayInNewConversation(
      'Please tidy up the readme. The villain of the opera is called Leonor.',
    );
    const { said: newer } = await sayInNewConversation(
      'Make the table wider. Renamed the baritone of that opera from Leonor to Brites.',
    );
    await sayInNewConversation('Leonor rides a horse', 'The baritone sings low', 'We paint the stage green');
    expect(idsIn(await contextOf('what is the villain of the opera called?'))).toEqual([newer[0]!.id]);
    expect(idsIn(await contextOf('what was the villain of the opera called before?'))).toEqual([older[0]!.id]);
  });

  test.each([
    ['We use RabbitMQ for the queue.', 'We migrated from RabbitMQ to NATS.', 'which queue do we use?'],
    ['I work at Siemens.', "I quit Siemens, I'm at Bosch now.", 'where do I work?'],
    ['I drive a Skoda to the office.', 'I sold the Skoda.', 'which car do I drive to the office?'],
    ['I have a dog called Pixel.', 'Pixel died last month.', 'what is my dog called?'],
    ['I live in Linz.', 'I moved to Graz last week.', 'where do I live?'],
    ['My manager is Henrik.', 'Henrik left the company.', 'who is my manager?'],
    ['Ich wohne in Linz.', 'Ich bin im Oktober nach Graz gezogen.', 'Wo wohne ich?'],
    ['Vivo en Sevilla.', 'Me mudé a Bilbao en marzo.', '¿Dónde vivo?'],
  ])('holds instead of "%s" the later "%s", which shares no word with "%s"', async (older, newer, query) => {
    await sayInNewConversation(`Please tidy up the readme. ${older} Then push it.`);
    const { said } = await sayInNewConversation(`Thanks for the table. ${newer} Now sort it.`);
    await sayInNewConversation('Paint the stage green', 'Make the header wider', 'The build is slow today');
    const context = await contextOf(query);
    expect(idsIn(context)).toEqual([said[0]!.id]);
    expect(context.text).toContain(newer.replace(/\.$/, ''));
  });

  test.each([
    ['I live in Linz.', 'My sister moved to Graz last week.', 'where do I live?'],
    ['We use RabbitMQ for the queue.', 'The other team dropped RabbitMQ.', 'which queue do we use?'],
    ['I have a dog called Pixel.', 'The Pixel phone of the test rack died.', 'what is my dog called?'],
    ['I work at Siemens.', 'I read about Siemens in the paper.', 'where do I work?'],
  ])('still holds "%s" after "%s", which is about something else', async (own, other, query) => {
    const { said } = await sayInNewConversation(`Please tidy up the readme. ${own} Then push it.`);
    await sayInNewConversation(`Thanks for the table. ${other} Now sort it.`);
    expect(idsIn(await contextOf(query))).toEqual([said[0]!.id]);
  });

  test('holds what the user said of themselves beside what they said of somebody else', async () => {
    const own = await sayInNewConversation("I'm allergic to nuts.");
    const other = await sayInNewConversation('My sister is no longer allergic to nuts.');
    const ids = [own, other].map(({ said }) => said[0]!.id);
    expect(idsIn(await contextOf('what am I allergic to?')).sort()).toEqual(ids.sort());
  });

  test('holds no earlier question, which answers none', async () => {
    const { said } = await sayInNewConversation(
      'Fix the parser, please. Which port does the metrics server listen on?',
    );
    expect(await contextOf('which port does the metrics server listen on?')).toMatchObject({ text: '' });
    await sayInNewConversation('Ready? The metrics server listens on port 9201.');
    const context = await contextOf('which port does the metrics server listen on?');
    expect(context.text).toContain('9201');
    expect(idsIn(context)).not.toContain(said[0]!.id);
  });

  test('holds a memory once, without the message that it was made of', async () => {
    const { conversationId, said } = await sayInNewConversation('The metrics server listens on port 9201.');
    const source = { conversationId, messageId: said[0]!.id };
    const memory = await caller.add('The metrics server listens on port 9201', { source });
    expect(idsIn(await contextOf('which port does the metrics server listen on?'))).toEqual([memory.id]);
  });

  test('is the same over MCP', async () => {
    const { said } = await sayInNewConversation('The quince tree needs pruning in March.');
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'memory_context', arguments: { query: 'quince tree pruning', purpose: 'prompt' } },
    };
    const headers = { accept: 'application/json, text/event-stream' };
    const { text } = await caller.call('/v1/mcp', { body: call, headers });
    expect(text).toContain(said[0]!.content);
  });

  test.each([
    [{ purpose: 'lunch' }, '/purpose'],
    [{ exclude: { ids: [7] } }, '/exclude/ids/0'],
    [{ exclude: { ids: Array.from({ length: 1001 }, () => 'mem_1') } }, '/exclude/ids'],
    [{ exclude: { other: true } }, '/exclude/other'],
  ])('of %j is refused', async (more, path) => {
    const answer = await caller.call('/v1/context', { body: { query: 'tea', ...more } });
    expect(answer.body).toMatchObject({ code: 'invalid_request', errors: [{ path }] });
  });
});

describe('the subject of a prompt', () => {
  const pasted = (line: string, count = 20) => Array.from({ length: count }, () => line).join('\n');

  test('is the whole of a short one', () => {
    const prompt = 'fix this\n```\nconst tea = 1;\n```';
    expect(promptSubject(prompt)).toBe(prompt);
  });

  test.each([
    ['a fenced block', `\`\`\`ts\n${pasted('make the tea green')}\n\`\`\``],
    ['a fenced block that is not closed', `\`\`\`\n${pasted('make the tea green')}`],
    ['a trace', pasted('    at brew (/srv/tea.js:12:5)')],
    ['a log', pasted('2026-11-24 10:00:01 INFO brewing tea')],
    ['code', pasted('const tea = brew(leaves);')],
  ])('leaves out %s', (_, block) => {
    expect(promptSubject(`Why is the kettle cold?\n${block}`)).toBe('Why is the kettle cold?');
  });

  test('keeps the first errors of what was pasted', () => {
    const log = `${pasted('2026-11-24 10:00:01 INFO brewing')}\n2026-11-24 10:00:02 ERROR E1047 upstream timed out`;
    expect(promptSubject(`what now?\n${log}`)).toBe('what now?\n2026-11-24 10:00:02 ERROR E1047 upstream timed out');
  });

  test('is the whole of a prompt that is pasted text alone', () => {
    const prompt = pasted('const tea = brew(leaves);');
    expect(promptSubject(prompt)).toBe(prompt);
  });
});

describe('of two sentences of another language, the newer', () => {
  const replaces = (older: string, newer: string) => {
    const reader = statementReader(readForeign(newer)?.reading);
    return replacesSentence(sentenceWordsOf(newer, reader), sentenceWordsOf(older, reader), () => 1);
  };

  test.each([
    ['Ich arbeite bei Siemens.', 'Ich habe bei Siemens gekündigt.', 'Meine Frau hat bei Siemens gekündigt.'],
    ['Tomo metformina.', 'Ya no tomo metformina.', 'Mi hermana ya no toma metformina.'],
    ['私は肉を食べます。', '私はもう肉を食べません。', '私の妹はもう肉を食べません。'],
  ])('takes the place of "%s" if it is "%s", not if it is "%s"', (older, own, anothers) => {
    expect(replaces(older, own)).toBe(true);
    expect(replaces(older, anothers)).toBe(false);
  });
});

describe('of two sentences, the newer replaces the older', () => {
  const replaces = (older: string, newer: string, query: string) => {
    const asked = new Set(queryTerms(query).map(rootOf));
    return replacesSentence(sentenceWordsOf(newer), sentenceWordsOf(older), (root) => (asked.has(root) ? 2 : 1));
  };

  test.each([
    ['Daily standup is at 10:15 in room Saturn.', 'Daily standup at 9:40, on Zoom.', 'what time is the standup'],
    ['We deploy with Capistrano.', 'Kamal deploys it since June, no more Capistrano.', 'how do we deploy'],
    ['My sister works at Siemens.', 'My sister quit Siemens.', 'where does my sister work'],
    ['The design team uses Figma.', 'The design team dropped Figma.', 'what does the design team use'],
    ['We use Redis for the cache.', 'The platform team moved us away from Redis.', 'what do we use for the cache'],
    ['I share the Skoda with my wife.', 'My wife sold the Skoda.', 'which car do I share'],
    [
      'The invoices are due on the 30th.',
      'They agreed to extend: invoices by 15 February.',
      'when are the invoices due',
    ],
  ])('"%s" by "%s"', (older, newer, query) => {
    expect(replaces(older, newer, query)).toBe(true);
  });

  test.each([
    ['The boat is called Maresia.', 'The engine of the boat is a Volvo Penta.', 'what is the boat called'],
    ['Ada drinks oolong tea.', 'Theo moved to Graz in May.', 'which tea does Ada drink'],
    ['The backup runs at 03:40.', 'The certificate runs out on 3 May.', 'when does the backup run'],
    ["I'm allergic to nuts.", 'My sister is no longer allergic to nuts.', 'what am I allergic to'],
    ['My sister is allergic to nuts.', "I'm no longer allergic to nuts.", 'what is my sister allergic to'],
    ['I work at Siemens.', 'My wife quit Siemens.', 'where do I work'],
    ['We use Redis for the cache.', 'The other team no longer uses Redis.', 'what do we use for the cache'],
    ['We deploy on Tuesdays.', 'The design team deploys on Fridays.', 'when do we deploy'],
    ['We host the shop at Hetzner.', 'A customer of ours moved away from Hetzner.', 'where do we host the shop'],
  ])('but not "%s" by "%s"', (older, newer, query) => {
    expect(replaces(older, newer, query)).toBe(false);
  });
});
