import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { conflictNameOf, fileNameOf } from '../../../src/cli/sync/file-name.ts';
import { asConflict, hashPart, type Note, parseNote, renderNote, withId } from '../../../src/cli/sync/note.ts';
import { codePoint } from '../../helpers/code-point.ts';

const ID = 'mem_0123456789abcdef0123456789abcdef';
const at = '2026-11-26T10:00:00.000Z';
const memory = (content: string, more: { tags?: string[]; project?: string | null } = {}) => {
  return { id: ID, content, tags: [], project: null, createdAt: at, updatedAt: at, ...more };
};
const read = (text: string) => parseNote(text) as Note;

describe('the file of a memory', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.string({
      unit: fc.constantFrom(
        '-',
        '\n',
        ':',
        '#',
        ' ',
        '"',
        "'",
        '[',
        '{',
        '\t',
        '\r',
        '\u2028',
        'a',
        '|',
        '>',
        '&',
        '*',
        '!',
      ),
    }),
    fc.constantFrom(
      '---',
      '---\nid: x\n---',
      '\ufeffx',
      'yes',
      '~',
      '2024',
      '1e3',
      '0x1f',
      'null',
      '- a',
      '# b',
      'a: b',
      '`',
    ),
  );
  const name = nasty.map((text) => text.replace(/[\u0000-\u001f\u007f]/g, '')).filter((text) => text !== '');

  test('says the same as the memory, whatever its content, tags and project are', () => {
    fc.assert(
      fc.property(
        nasty.filter((text) => /\S/.test(text) && !text.includes('\0')),
        fc.uniqueArray(name, { maxLength: 4 }),
        fc.option(name),
        (content, tags, project) => {
          const one = memory(content, { tags, project });
          const text = renderNote(one);
          expect(read(text).id).toBe(ID);
          expect(hashPart(read(text))).toBe(hashPart(one));
          const again = renderNote(memory('else', { tags: ['b'] }), text);
          expect(hashPart(read(again))).toBe(hashPart(memory('else', { tags: ['b'] })));
          expect(read(asConflict(text, ID))).toMatchObject({ id: undefined, conflictOf: ID });
        },
      ),
      { numRuns: 60 },
    );
  });

  test('quotes what other YAML parsers would not read as text', () => {
    const text = renderNote(memory('x', { tags: ['yes', 'No', '2024', '1e3', 'a\u2028b', 'tea time'] }));
    expect(text).toContain('tags:\n  - "yes"\n  - "No"\n  - "2024"\n  - "1e3"\n  - "a\\u2028b"\n  - tea time\n');
    expect(parse(text.split('---')[1]!, { version: '1.1' }).tags).toEqual([
      'yes',
      'No',
      '2024',
      '1e3',
      'a\u2028b',
      'tea time',
    ]);
  });

  test('keeps the properties, comments and order of a person', () => {
    const before = [
      '---',
      'aliases: [kaffee, "java"] # mine',
      'tags:',
      '- brewing   # a',
      '- coffee',
      '# about it',
      'rating: 5',
      'nested:',
      '    deep:  yes',
      '---',
      '',
      '# Coffee',
      '',
    ].join('\n');
    expect(withId(before, ID)).toBe(before.replace('deep:  yes\n', `deep:  yes\nid: ${ID}\n`));
    expect(renderNote(memory('# Coffee', { tags: ['coffee', 'new'] }), withId(before, ID))).toBe(
      withId(before, ID).replace('- brewing   # a\n- coffee\n', '  - coffee\n  - new\n'),
    );
  });

  test('leaves an id of somebody else alone', () => {
    const text = withId('---\nid: 202411261200\n---\nText\n', ID);
    expect(text).toBe(`---\nid: 202411261200\nsvc-id: ${ID}\n---\nText\n`);
    expect(read(text).id).toBe(ID);
  });

  test('keeps the line ends of Windows', () => {
    const text = withId('---\r\nmood: good\r\n---\r\nOne\r\nTwo\r\n', ID);
    expect(text).toBe(`---\r\nmood: good\r\nid: ${ID}\r\n---\r\nOne\r\nTwo\r\n`);
    expect(read(text).content).toBe('One\nTwo');
  });

  test('takes rules with text between them for text', () => {
    expect(read('---\nNot properties\n---\nMore\n')).toMatchObject({
      content: '---\nNot properties\n---\nMore',
      hasFrontMatter: false,
    });
    expect(read(withId('---\nNot properties\n---\n', ID))).toMatchObject({
      id: ID,
      content: '---\nNot properties\n---',
    });
  });

  test('reads tags as older notes have them', () => {
    expect(read('---\ntags: "tea, #garden"\n---\nx').tags).toEqual(['tea', 'garden']);
    expect(read('---\ntags:\n- 2024\n-\n- tea\n- tea\n---\nx').tags).toEqual(['2024', 'tea']);
  });

  test('reads a note of Basic Memory as one memory', () => {
    const body = '# Coffee\n\n## Observations\n- [method] Pour over #v60\n\n## Relations\n- requires [[Water]]';
    const text = `---\ntitle: Coffee\ntype: note\npermalink: coffee\ntags:\n- brewing\n---\n\n${body}\n`;
    expect(read(text)).toMatchObject({ content: body, tags: ['brewing'], id: undefined });
    expect(withId(text, ID)).toBe(text.replace('- brewing\n', `- brewing\nid: ${ID}\n`));
  });

  test.each([
    ['---\ntags: [a\n---\nx', /not valid YAML/],
    ['---\na: 1\na: 2\n---\nx', /not valid YAML/],
    ['---\ntags:\n  a: b\n---\nx', /“tags” is not a list/],
    ['---\nproject: [a]\n---\nx', /“project” is not a text/],
    ['x\0', /NUL/],
    ['x'.repeat(100_001), /longer than 100,000 characters/],
  ])('says why it cannot be a memory: %j', (text, problem) => {
    expect(parseNote(text)).toMatchObject({ problem: expect.stringMatching(problem) });
  });
});

describe('the name of a file', () => {
  const nameOf = (content: string, taken: string[] = []) =>
    fileNameOf({ id: ID, content }, (name) => taken.includes(name));

  test.each([
    ['Ada prefers oolong tea, never coffee', 'Ada prefers oolong tea, never coffee 89abcdef.md'],
    ['# Meeting: [[Petra]] / budget?', 'Meeting Petra budget 89abcdef.md'],
    ['../../etc/passwd', 'etc passwd 89abcdef.md'],
    ['CON', 'CON 89abcdef.md'],
    ['nul.txt', 'nul txt 89abcdef.md'],
    ['...', 'Memory 89abcdef.md'],
    ['🎉🎉', 'Memory 89abcdef.md'],
    ['---\n> second line', 'second line 89abcdef.md'],
    ['Cafe\u0301', 'Caf\u00e9 89abcdef.md'],
    ['a\u202etxt\u0007', 'a txt 89abcdef.md'],
    ['word '.repeat(40), `${'word '.repeat(11)}word 89abcdef.md`],
  ])('is safe and readable: %j', (content, name) => expect(nameOf(content)).toBe(name));

  test('fits every file system, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 120 }), (content) => {
        const name = nameOf(content);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200);
        expect(name).toMatch(/^[\p{L}\p{N}][^/\\:*?"<>|\u0000-\u001f]* 89abcdef\.md$/u);
        expect(name.normalize('NFC')).toBe(name);
      }),
      { numRuns: 40 },
    );
  });

  test('grows until it is free', () => {
    expect(nameOf('tea', ['tea 89abcdef.md'])).toBe('tea 456789abcdef.md');
  });

  test('of a conflict carries the day, and counts', () => {
    const taken = ['a/tea (conflict 2026-11-26).md'];
    const isTaken = (path: string) => taken.includes(path);
    expect(conflictNameOf('tea.md', '2026-11-26', isTaken)).toBe('tea (conflict 2026-11-26).md');
    expect(conflictNameOf('a/tea.md', '2026-11-26', isTaken)).toBe('a/tea (conflict 2026-11-26 2).md');
  });
});
