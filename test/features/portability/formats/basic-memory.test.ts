import { describe, expect, test } from 'vitest';
import { fixture, read, reasonsOf, recordsOf } from '../read-fixture.ts';

const readNote = (content: string) => read('basic-memory', JSON.stringify({ path: 'folder/note.md', content }));
const contentsOf = async (content: string) =>
  recordsOf(await readNote(content), 'memory').map((memory) => memory.content);

describe('a Basic Memory note', () => {
  test('yields one memory per heading, observation and relation', async () => {
    const items = await read('basic-memory', await fixture('basic-memory-notes.ndjson'));
    const tea = recordsOf(items, 'memory').filter(({ metadata }) => metadata.path === 'drinks/tea.md');
    expect(tea.map(({ content }) => content)).toEqual([
      'Notes from the shop in Uji.\nThey sell by weight.',
      '- [ ] buy a kyusu\n- [x] wash the pot\n- [Uji](https://example.com/uji)',
      '```sh\n# no heading\n- [method] no observation\n\ntea --steep 60\n```',
      'Sencha wants water at 70 °C #sencha #temperature',
      'Second infusion is the best of the three',
      'Gyokuro keeps for a month #storage',
      'Tea Brewing relates_to Coffee Brewing',
      'Tea Brewing was taught by Mr. Ito',
      'Tea Brewing links_to Water',
    ]);
    const about = { path: 'drinks/tea.md', title: 'Tea Brewing', type: 'guide', permalink: 'drinks/tea-brewing' };
    expect(tea.map(({ metadata }) => metadata)).toEqual([
      about,
      { ...about, heading: 'Observations' },
      { ...about, heading: 'Code' },
      { ...about, category: 'method', context: 'Mr. Ito' },
      { ...about, category: 'preference' },
      about,
      { ...about, relation: 'relates_to', target: 'Coffee Brewing' },
      { ...about, relation: 'was taught by', target: 'Mr. Ito', context: '2024' },
      { ...about, relation: 'links_to', target: 'Water' },
    ]);
    expect(tea[3]).toMatchObject({
      tags: ['imported', 'tea', 'brewing', 'method', 'sencha', 'temperature'],
      occurredAt: '2024-11-05T08:30:00.000Z',
      createdAt: '2024-11-05T08:30:00.000Z',
      updatedAt: '2024-11-06T00:00:00.000Z',
    });
  });

  test('takes its title from the file name if it has none; invalid front matter stays in the text', async () => {
    const items = await read('basic-memory', await fixture('basic-memory-notes.ndjson'));
    const [diary, broken] = recordsOf(items, 'memory').slice(-2);
    expect(diary).toMatchObject({
      content: '今日は雨。\n\n本を読んだ。',
      metadata: { path: '日記/五月.md', title: '五月' },
    });
    expect(broken?.content).toBe('---\ntitle: [a\n---\nStill worth keeping.');
    expect(reasonsOf(items)).toEqual([
      'empty.md: The note is empty',
      expect.stringMatching(/^!broken\.md: Front matter was read as text: Flow sequence/),
      '!line 5: The line is not a JSON object.',
    ]);
  });

  test('keeps text that only looks like an observation or a relation', async () => {
    const prose =
      '- [00:12:03] the band enters\n- [x] done\n- [a](b)\n- see [[Tea]] and [[Water]] there\n\n> - [note] quoted #x';
    expect(await contentsOf(prose)).toEqual([prose]);
    expect(await contentsOf('- [note] quoted #x')).toEqual(['quoted #x']);
    expect(await contentsOf('- see [[Tea]]')).toEqual(['note see Tea']);
  });

  test('is split between paragraphs if a section is long, never inside code', async () => {
    const paragraph = 'word '.repeat(240).trim();
    const code = `\`\`\`\n${'line\n\n'.repeat(600)}\`\`\``;
    expect(await contentsOf(`${paragraph}\n\nshort\n\n${paragraph}\n\n${code}`)).toEqual([
      `${paragraph}\n\nshort`,
      paragraph,
      code,
    ]);
  });

  test('may contain a list item with a great many lines', async () => {
    const long = `- x\n${' y\n'.repeat(200_000)}`;
    expect(reasonsOf(await readNote(long))).toEqual(['!folder/note.md: content must have at most 100000 characters']);
    const fitting = `- x\n${' y\n'.repeat(1_000)}`.trimEnd();
    expect(await contentsOf(fitting)).toEqual([fitting]);
  });

  test('changes only the ids of the parts that changed', async () => {
    const idsOf = async (content: string) => recordsOf(await readNote(content), 'memory').map(({ id }) => id);
    const [kept, changed] = await idsOf('# A\none\n# B\ntwo');
    expect(await idsOf('# A\none\n# B\ntwo')).toEqual([kept, changed]);
    const [first, second] = await idsOf('# A\none\n# B\nthree');
    expect(first).toBe(kept);
    expect(second).not.toBe(changed);
  });

  test('needs a path and content', async () => {
    expect(
      reasonsOf(await read('basic-memory', '{"content": "x"}\n{"path": "a.md"}\n[]\n{"path": "b.md", "content": "b"}')),
    ).toEqual([
      '!line 1: The note has no “path”.',
      '!a.md: The note has no “content”.',
      '!line 3: The line is not a JSON object.',
    ]);
  });
});
