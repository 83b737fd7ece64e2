import { describe, expect, test } from 'vitest';
import { fixture, read, reasonsOf, recordsOf } from '../read-fixture.ts';

describe('a Claude export', () => {
  test('yields conversations with the text parts of their messages', async () => {
    const items = await read('claude', await fixture('claude-conversations.json'));
    expect(
      recordsOf(items, 'conversation').map(({ title, createdAt, updatedAt }) => [title, createdAt, updatedAt]),
    ).toEqual([
      ['Sourdough at altitude', '2025-03-02T08:15:30.123Z', '2025-03-02T08:20:00.000Z'],
      [null, '2025-03-05T10:00:00.000Z', '2025-03-05T10:00:00.000Z'],
    ]);
    expect(
      recordsOf(items, 'message').map(({ ordinal, role, content, createdAt }) => [ordinal, role, content, createdAt]),
    ).toEqual([
      [1, 'user', 'Why does my loaf collapse in La Paz?', '2025-03-02T08:15:31.500Z'],
      [
        2,
        'assistant',
        'At 3,600 m the dough rises too fast.\n\nUse a third less yeast. 🍞',
        '2025-03-02T08:16:00.000Z',
      ],
      [3, 'user', 'Gracias, mañana pruebo', '2025-03-02T08:19:00.000Z'],
      [1, 'user', 'مرحبا', '2025-03-05T10:00:00.000Z'],
      [2, 'assistant', 'أهلا', '2025-03-05T10:00:00.000Z'],
    ]);
  });

  test('reports what was left out', async () => {
    expect(reasonsOf(await read('claude', await fixture('claude-conversations.json')))).toEqual([
      'conversations[0] “Sourdough at altitude”: 2 attachments left out: recipe.txt, loaf.png',
      'conversations[0] “Sourdough at altitude”: 1 part of type thinking left out',
      'conversations[0] “Sourdough at altitude”: 1 part of type tool_use left out',
      'conversations[0] “Sourdough at altitude”: 1 part of type tool_result left out',
      'conversations[0] “Sourdough at altitude”: 1 empty message left out',
      'conversations[2] “Nothing said”: The conversation has no text',
    ]);
  });

  describe('with edited or regenerated messages', () => {
    const NIL = '00000000-0000-4000-8000-000000000000';
    const message = (uuid: string, parent: string | undefined, minute: number) => ({
      uuid,
      sender: 'human',
      text: uuid,
      created_at: `2025-03-02T08:${String(minute).padStart(2, '0')}:00Z`,
      ...(parent !== undefined && { parent_message_uuid: parent }),
    });
    const readChat = async (messages: object[], more: object = {}) => {
      const items = await read('claude', JSON.stringify([{ uuid: 'c', chat_messages: messages, ...more }]));
      return [recordsOf(items, 'message').map(({ content }) => content), reasonsOf(items)];
    };
    const edited = [message('q', NIL, 1), message('a1', 'q', 2), message('a2', 'q', 3), message('q2', 'a1', 4)];
    const omitted = (count: string) => [`conversations[0]: ${count} on other branches left out`];

    test('yields the branch of the current message, and reports the others', async () => {
      expect(await readChat(edited, { current_leaf_message_uuid: 'a2' })).toEqual([['q', 'a2'], omitted('2 messages')]);
    });

    test('yields the branch of the latest message if none is current, of several the last in the file', async () => {
      const first = [['q', 'a1', 'q2'], omitted('1 message')];
      for (const current of [undefined, 'gone']) {
        expect(await readChat(edited, { current_leaf_message_uuid: current })).toEqual(first);
      }
      expect(await readChat(edited.toReversed())).toEqual(first);
      expect(await readChat([...edited, message('a3', 'q', 4)])).toEqual([['q', 'a3'], omitted('3 messages')]);
    });

    test('starts at a message whose parent is missing or not in the file, and terminates on a cycle', async () => {
      for (const parent of [undefined, 'gone']) {
        const messages = [message('old', parent, 1), message('q', parent, 2), message('a', 'q', 3)];
        expect(await readChat(messages)).toEqual([['q', 'a'], omitted('1 message')]);
      }
      expect(await readChat([message('x', 'y', 1), message('y', 'x', 2)])).toEqual([['x', 'y'], []]);
    });
  });

  test('yields one memory per heading of Claude’s memory texts', async () => {
    const items = await read('claude', await fixture('claude-memories.json'));
    expect(recordsOf(items, 'memory').map(({ content, metadata, tags }) => [content, metadata, tags])).toEqual([
      ['**Overview** bakes at altitude', { source: 'claude' }, ['imported']],
      ['Runs a bakery in La Paz.', { source: 'claude', heading: 'Work' }, ['imported']],
      ['Asked about yeast in March.', { source: 'claude', heading: 'Brief history' }, ['imported']],
      ['The oven manual is in German.', { source: 'claude', project: 'proj-1' }, ['imported']],
    ]);
    const alone = await read('claude', '{"conversations_memory": "Bakes."}');
    expect(recordsOf(alone, 'memory')).toHaveLength(1);
  });

  test('yields one memory per bold heading, as Claude writes them', async () => {
    const text =
      '**Work context**\n\nLeads teams.\n\n**Personal context**\n\nLoves **photography**.\n\n**Brief history:**\n\nMoved to Graz.';
    const items = await read('claude', JSON.stringify([{ account_uuid: 'a', conversations_memory: text }]));
    expect(recordsOf(items, 'memory').map(({ content, metadata }) => [content, metadata])).toEqual([
      ['Leads teams.', { source: 'claude', heading: 'Work context' }],
      ['Loves **photography**.', { source: 'claude', heading: 'Personal context' }],
      ['Moved to Graz.', { source: 'claude', heading: 'Brief history' }],
    ]);
  });

  test('yields the files that Claude keeps, with their time, and says if it remembers nothing', async () => {
    const content = '- [stated] Ada is my sister\n\n## Plans\n\nShe moves to Linz.';
    const file = { path: '/people/ada.md', updated_at: '2026-07-01T10:00:00Z', content };
    const memories = { account_uuid: 'a', conversations_memory: '', project_memories: {}, memory_files: [file] };
    const found = recordsOf(await read('claude', JSON.stringify(memories)), 'memory');
    const metadata = { source: 'claude', path: '/people/ada.md' };
    expect(found).toMatchObject([
      { content: '- [stated] Ada is my sister', metadata, occurredAt: '2026-07-01T10:00:00.000Z' },
      { content: 'She moves to Linz.', metadata: { ...metadata, heading: 'Plans' } },
    ]);
    const empty = { account_uuid: 'a', conversations_memory: '', project_memories: {}, memory_files: [] };
    expect(reasonsOf(await read('claude', JSON.stringify(empty)))).toEqual([
      'the file: Claude remembers nothing in it',
    ]);
  });

  test('is rejected if it is neither conversations nor memories', async () => {
    expect(
      reasonsOf(await read('claude', '[{"uuid": "u", "full_name": "A", "email_address": "a@example.com"}]')),
    ).toEqual(['![0]: Neither a Claude conversation nor Claude memories.']);
  });
});
