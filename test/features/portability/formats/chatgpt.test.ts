import { describe, expect, test } from 'vitest';
import { fixture, READER_OPTIONS, read, reasonsOf, recordsOf } from '../read-fixture.ts';

const message = (id: string, content: unknown, more: object = {}) => ({
  id,
  author: { role: 'user' },
  content,
  ...more,
});
const text = (...parts: unknown[]) => ({ content_type: 'text', parts });

/** A conversation without branches. */
function conversation(messages: object[], more: object = {}) {
  const nodes = messages.map((one, index) => [
    `n${index}`,
    { id: `n${index}`, parent: index === 0 ? null : `n${index - 1}`, children: [], message: one },
  ]);
  const mapping = Object.fromEntries(nodes);
  return { id: 'c1', title: 'Chat', create_time: 1700000000, current_node: nodes.at(-1)?.[0], mapping, ...more };
}

const readAll = (...conversations: object[]) => read('chatgpt', JSON.stringify(conversations));
const contentsOf = async (...conversations: object[]) =>
  recordsOf(await readAll(...conversations), 'message').map(({ content }) => content);

describe('a ChatGPT export', () => {
  test('yields each conversation, then the branch of messages that the user saw, in order', async () => {
    const items = await read('chatgpt', await fixture('chatgpt-conversations.json'));
    const [first] = items;
    const [rome] = recordsOf(items, 'conversation');
    expect(first).toMatchObject({ place: 'conversations[0] “Trip to Rome”', record: rome });
    expect(rome).toMatchObject({ title: 'Trip to Rome', user: 'default', createdAt: '2024-05-01T10:00:00.123Z' });
    const messages = recordsOf(items, 'message').filter(({ conversationId }) => conversationId === rome?.id);
    expect(messages.map(({ ordinal, role, name, content }) => [ordinal, role, name, content])).toEqual([
      [1, 'user', null, 'Plan three days in Rome for my mother and me 🇮🇹'],
      [2, 'assistant', null, 'Day one: Trastevere on foot.\n\n- San Cosimato market\n- Gelateria'],
      [3, 'user', null, 'What is this church?'],
      [4, 'assistant', null, 'Santa Maria in Trastevere. 十二世紀のモザイクがあります。'],
      [5, 'assistant', null, 'print(3 * 80)'],
      [6, 'tool', 'python', '240'],
      [7, 'assistant', null, 'Three nights cost about 240 €.'],
    ]);
  });

  test('reports what was left out once per conversation and kind', async () => {
    const reasons = reasonsOf(await read('chatgpt', await fixture('chatgpt-conversations.json')));
    expect(reasons).toEqual([
      'conversations[0] “Trip to Rome”: 1 message of type user_editable_context left out',
      'conversations[0] “Trip to Rome”: 1 attachment left out: rail pass.pdf',
      'conversations[0] “Trip to Rome”: 1 image left out',
      'conversations[0] “Trip to Rome”: 1 message of type thoughts left out',
      'conversations[0] “Trip to Rome”: 1 tool call left out',
      'conversations[0] “Trip to Rome”: 1 message on other branches left out',
      'conversations[1]: 1 audio recording left out',
      'conversations[2] “A photo”: The conversation has no text',
      'conversations[2] “A photo”: 1 image left out',
      '!conversations[3] “Not a conversation”: Not a ChatGPT conversation: it has no “mapping” of messages.',
    ]);
    const photos = message('m', {
      content_type: 'multimodal_text',
      parts: [{ content_type: 'image_asset_pointer' }, 'Look', { content_type: 'image_asset_pointer' }],
    });
    const twice = await readAll(conversation([photos]));
    expect(reasonsOf(twice)).toEqual(['conversations[0] “Chat”: 2 images left out']);
    expect(recordsOf(twice, 'message')).toHaveLength(1);
  });

  test('leaves out messages that ChatGPT hides, and keeps the same message if it is shown', async () => {
    const hidden = { metadata: { is_visually_hidden_from_conversation: true } };
    expect(await contentsOf(conversation([message('a', text('secret'), hidden), message('b', text('seen'))]))).toEqual([
      'seen',
    ]);
    expect(await contentsOf(conversation([message('a', text('secret'))]))).toEqual(['secret']);
    expect(await contentsOf(conversation([message('a', text('dropped'), { weight: 0 })]))).toEqual([]);
  });

  test('keeps Python code and its output, but no other tool calls and none of their results', async () => {
    const tool = (name: string) => ({ author: { role: 'tool', name } });
    const said = [
      message('a', { content_type: 'code', text: '1 + 1' }, { recipient: 'python' }),
      message('b', { content_type: 'execution_output', text: '2' }, tool('python')),
      message('c', text('Saved the chart.'), tool('python')),
      message('d', { content_type: 'code', text: '{"q": 1}' }, { recipient: 'web.run' }),
      message('e', text('Model set context updated.'), tool('bio')),
      message('f', { content_type: 'code', text: 'ls' }, { recipient: 'container.exec' }),
      message('g', { content_type: 'execution_output', text: 'notes.txt' }, tool('container.exec')),
      message('h', { content_type: 'multimodal_text', parts: ['Page 1 of a file'] }, tool('file_search')),
      message('i', { content_type: 'tether_browsing_display', result: 'Found' }, tool('browser')),
      message('j', text('to all'), { recipient: 'all' }),
    ];
    const items = await readAll(conversation(said));
    const contents = recordsOf(items, 'message').map(({ content }) => content);
    expect(contents).toEqual(['1 + 1', '2', 'Saved the chart.', 'to all']);
    expect(reasonsOf(items)).toEqual([
      'conversations[0] “Chat”: 2 tool calls left out',
      'conversations[0] “Chat”: 4 tool results left out',
    ]);
  });

  test.each([
    ['Rome is old \ue200cite\ue202turn0search0\ue202turn0search1\ue201.', 'Rome is old.'],
    ['Rome is old【4†source】 【12:3†file.pdf】 and big.', 'Rome is old and big.'],
    ['Rome \ue200cite\ue202turn0search0\ue201is old', 'Rome is old'],
    [
      '\ue203Rome is old.\ue204\ue200filecite\ue202turn0file1\ue202L1-L5\ue201\n\nIt is 【5†big】',
      'Rome is old.\n\nIt is',
    ],
    ['Meet \ue200entity\ue202["people","Ada Lovelace","mathematician"]\ue201!', 'Meet Ada Lovelace!'],
    ['Open \ue200url\ue202The map\ue202turn0search2\ue201', 'Open The map'],
    ['An \ue200entity\ue202oddity\ue201 and the rest', 'An and the rest'],
    ['Kept: 【4】, [1†], † and \ue200cite', 'Kept: 【4】, [1†], † and \ue200cite'],
  ])('removes citations, but no name that the user saw: %j', async (said, content) => {
    expect(await contentsOf(conversation([message('a', text(said))]))).toEqual([content]);
  });

  test('dates a message without a time like the one before it, the first like the conversation', async () => {
    const items = await readAll(
      conversation([
        message('a', text('one')),
        message('b', text('two'), { create_time: 1700000100.5 }),
        message('c', text('three')),
      ]),
    );
    expect(recordsOf(items, 'message').map(({ createdAt }) => createdAt)).toEqual([
      '2023-11-14T22:13:20.000Z',
      '2023-11-14T22:15:00.500Z',
      '2023-11-14T22:15:00.500Z',
    ]);
  });

  test('ends at the last node if the current one is unknown, and terminates on a cycle', async () => {
    const messages = [message('a', text('one')), message('b', text('two'))];
    expect(await contentsOf(conversation(messages, { current_node: null }))).toEqual(['one', 'two']);
    expect(await contentsOf(conversation(messages, { current_node: 'gone' }))).toEqual(['one', 'two']);
    const circle = {
      x: { id: 'x', parent: 'y', message: message('a', text('one')) },
      y: { id: 'y', parent: 'x', message: message('b', text('two')) },
    };
    expect(await contentsOf(conversation([], { mapping: circle, current_node: 'y' }))).toEqual(['one', 'two']);
  });

  test('leaves out a message that is too long and numbers the others without a gap', async () => {
    const long = 'é'.repeat(100_001);
    const items = await readAll(
      conversation([
        message('a', text(long)),
        message('b', text(long.slice(1))),
        message('c', text('😀'.repeat(100_000))),
      ]),
    );
    expect(reasonsOf(items)).toEqual([
      '!conversations[0] “Chat”, message 1: content must have at most 100000 characters',
    ]);
    expect(recordsOf(items, 'message').map(({ ordinal }) => ordinal)).toEqual([1, 2]);
  });

  test('drops or replaces characters that cannot be stored', async () => {
    const [content] = await contentsOf(
      conversation([message('a', text('a\0b \ud83d c 😀'))], { title: 'x\0\ud83d\n y' }),
    );
    expect(content).toBe('ab \ufffd c 😀');
    const [kept] = recordsOf(
      await readAll(conversation([message('a', text('x'))], { title: 'x\0\ud83d\n y' })),
      'conversation',
    );
    expect(kept?.title).toBe('x\ufffd y');
  });

  test('gives the same ids on every read, and different ones to another conversation', async () => {
    const one = conversation([message('a', text('x'))]);
    const ids = async (file: object, nowMs: number) =>
      (await read('chatgpt', JSON.stringify([file]), { ...READER_OPTIONS, nowMs })).map(
        (item) => 'record' in item && item.record.id,
      );
    expect(await ids(one, 1)).toEqual(await ids(one, 9_999));
    expect(await ids(one, 1)).not.toEqual(await ids({ ...one, id: 'c2' }, 1));
    const [id] = await ids(one, 1);
    expect(id).toMatch(new RegExp(`^conv_${(1_700_000_000_000).toString(16).padStart(12, '0')}7[0-9a-f]{3}[89ab]`));
  });

  test('may be an object with the list, and tolerates unknown shapes', async () => {
    const inside = await read('chatgpt', JSON.stringify({ conversations: [conversation([message('a', text('x'))])] }));
    expect(recordsOf(inside, 'message')).toHaveLength(1);
    const odd = await readAll(
      conversation([
        message('a', text({ content_type: 'constructor' }, { content_type: { toString: 1 } }, null)),
        message('b', 'no object'),
        message('c', text('said'), { author: null }),
      ]),
      { mapping: { __proto__: null, toString: 5 }, current_node: 'toString' },
      7 as unknown as object,
    );
    expect(recordsOf(odd, 'message')).toEqual([]);
    expect(reasonsOf(odd)).toEqual([
      'conversations[0] “Chat”: The conversation has no text',
      'conversations[0] “Chat”: 1 part of type constructor left out',
      'conversations[0] “Chat”: 2 parts of type unknown left out',
      'conversations[0] “Chat”: 1 message of type unknown left out',
      'conversations[0] “Chat”: 1 message with an unknown role left out',
      'conversations[1]: The conversation has no text',
      '!conversations[2]: Not a ChatGPT conversation: it has no “mapping” of messages.',
    ]);
  });
});
