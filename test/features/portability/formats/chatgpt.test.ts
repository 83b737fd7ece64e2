import { describe, expect, test } from 'vitest';
import { fixture, GIVEN, read, reasonsOf, recordsOf } from '../reading.ts';

const message = (id: string, content: unknown, more: object = {}) => ({
  id,
  author: { role: 'user' },
  content,
  ...more,
});
const text = (...parts: unknown[]) => ({ content_type: 'text', parts });

/** A conversation whose messages follow each other. */
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

describe('an export of ChatGPT', () => {
  test('becomes the branch that its user saw, in order, the conversation before its messages', async () => {
    const found = await read('chatgpt', await fixture('chatgpt-conversations.json'));
    const [first] = found;
    const [rome] = recordsOf(found, 'conversation');
    expect(first).toMatchObject({ place: 'conversations[0] “Trip to Rome”', record: rome });
    expect(rome).toMatchObject({ title: 'Trip to Rome', user: 'default', createdAt: '2024-05-01T10:00:00.123Z' });
    const messages = recordsOf(found, 'message').filter(({ conversationId }) => conversationId === rome?.id);
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

  test('says once a conversation and kind what is left out', async () => {
    const reasons = reasonsOf(await read('chatgpt', await fixture('chatgpt-conversations.json')));
    expect(reasons).toEqual([
      'conversations[0] “Trip to Rome”: 1 message of the type user_editable_context left out',
      'conversations[0] “Trip to Rome”: 1 attachment left out: rail pass.pdf',
      'conversations[0] “Trip to Rome”: 1 image left out',
      'conversations[0] “Trip to Rome”: 1 message of the type thoughts left out',
      'conversations[0] “Trip to Rome”: 1 call to tools left out',
      'conversations[0] “Trip to Rome”: 1 message of branches that were not shown left out',
      'conversations[1]: 1 audio recording left out',
      'conversations[2] “A photo”: The conversation has no text',
      'conversations[2] “A photo”: 1 image left out',
      '!conversations[3] “Not a conversation”: It is no conversation of ChatGPT: it has no “mapping” of messages.',
    ]);
    const photos = message('m', {
      content_type: 'multimodal_text',
      parts: [{ content_type: 'image_asset_pointer' }, 'Look', { content_type: 'image_asset_pointer' }],
    });
    const twice = await readAll(conversation([photos]));
    expect(reasonsOf(twice)).toEqual(['conversations[0] “Chat”: 2 images left out']);
    expect(recordsOf(twice, 'message')).toHaveLength(1);
  });

  test('hides what ChatGPT hid, and keeps the same message where it is shown', async () => {
    const hidden = { metadata: { is_visually_hidden_from_conversation: true } };
    expect(await contentsOf(conversation([message('a', text('secret'), hidden), message('b', text('seen'))]))).toEqual([
      'seen',
    ]);
    expect(await contentsOf(conversation([message('a', text('secret'))]))).toEqual(['secret']);
    expect(await contentsOf(conversation([message('a', text('dropped'), { weight: 0 })]))).toEqual([]);
  });

  test('keeps what Python was asked and answered, not the talk with other tools', async () => {
    const tool = { author: { role: 'tool', name: 'bio' } };
    const said = [
      message('a', { content_type: 'code', text: '1 + 1' }, { recipient: 'python' }),
      message('b', { content_type: 'execution_output', text: '2' }, tool),
      message('c', { content_type: 'code', text: '{"q": 1}' }, { recipient: 'web.run' }),
      message('d', text('Model set context updated.'), tool),
      message('e', text('to all'), { recipient: 'all' }),
    ];
    const found = await readAll(conversation(said));
    expect(recordsOf(found, 'message').map(({ content }) => content)).toEqual(['1 + 1', '2', 'to all']);
    expect(reasonsOf(found)).toEqual([
      'conversations[0] “Chat”: 1 call to tools left out',
      'conversations[0] “Chat”: 1 answer of tools left out',
    ]);
  });

  test('gives a message without a time that of the one before it, the first that of the conversation', async () => {
    const found = await readAll(
      conversation([
        message('a', text('one')),
        message('b', text('two'), { create_time: 1700000100.5 }),
        message('c', text('three')),
      ]),
    );
    expect(recordsOf(found, 'message').map(({ createdAt }) => createdAt)).toEqual([
      '2023-11-14T22:13:20.000Z',
      '2023-11-14T22:15:00.500Z',
      '2023-11-14T22:15:00.500Z',
    ]);
  });

  test('takes the last node where the current one is unknown, and ends where the tree is a circle', async () => {
    const messages = [message('a', text('one')), message('b', text('two'))];
    expect(await contentsOf(conversation(messages, { current_node: null }))).toEqual(['one', 'two']);
    expect(await contentsOf(conversation(messages, { current_node: 'gone' }))).toEqual(['one', 'two']);
    const circle = {
      x: { id: 'x', parent: 'y', message: message('a', text('one')) },
      y: { id: 'y', parent: 'x', message: message('b', text('two')) },
    };
    expect(await contentsOf(conversation([], { mapping: circle, current_node: 'y' }))).toEqual(['one', 'two']);
  });

  test('leaves out the text that is too long for a message and counts on without a gap', async () => {
    const long = 'é'.repeat(100_001);
    const found = await readAll(
      conversation([
        message('a', text(long)),
        message('b', text(long.slice(1))),
        message('c', text('😀'.repeat(100_000))),
      ]),
    );
    expect(reasonsOf(found)).toEqual([
      '!conversations[0] “Chat”, message 1: content must NOT have more than 100000 characters',
    ]);
    expect(recordsOf(found, 'message').map(({ ordinal }) => ordinal)).toEqual([1, 2]);
  });

  test('stores text that cannot be stored without what cannot', async () => {
    const [said] = await contentsOf(conversation([message('a', text('a\0b \ud83d c 😀'))], { title: 'x\0\ud83d\n y' }));
    expect(said).toBe('ab \ufffd c 😀');
    const [kept] = recordsOf(
      await readAll(conversation([message('a', text('x'))], { title: 'x\0\ud83d\n y' })),
      'conversation',
    );
    expect(kept?.title).toBe('x\ufffd y');
  });

  test('gives the same ids whenever it is read, and others to another conversation', async () => {
    const one = conversation([message('a', text('x'))]);
    const ids = async (file: object, nowMs: number) =>
      (await read('chatgpt', JSON.stringify([file]), { ...GIVEN, nowMs })).map(
        (item) => 'record' in item && item.record.id,
      );
    expect(await ids(one, 1)).toEqual(await ids(one, 9_999));
    expect(await ids(one, 1)).not.toEqual(await ids({ ...one, id: 'c2' }, 1));
    const [id] = await ids(one, 1);
    expect(id).toMatch(new RegExp(`^conv_${(1_700_000_000_000).toString(16).padStart(12, '0')}7[0-9a-f]{3}[89ab]`));
  });

  test('may be an object with the list, or parts of unheard-of shapes', async () => {
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
      'conversations[0] “Chat”: 1 part of the type constructor left out',
      'conversations[0] “Chat”: 2 parts of the type unknown left out',
      'conversations[0] “Chat”: 1 message of the type unknown left out',
      'conversations[0] “Chat”: 1 message of an unknown role left out',
      'conversations[1]: The conversation has no text',
      '!conversations[2]: It is no conversation of ChatGPT: it has no “mapping” of messages.',
    ]);
  });
});
