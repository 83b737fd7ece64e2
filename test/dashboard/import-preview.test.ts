import { describe, expect, test } from 'vitest';
import { IMPORT_FORMATS, type ImportFormat } from '../../src/contract/import-formats.ts';
import { detectFormat } from '../../src/dashboard/views/settings/import-format.ts';
import { previewReader } from '../../src/dashboard/views/settings/import-preview.ts';

const CHATGPT = [{ title: 'Trip', create_time: 1, mapping: { a: { message: { text: 'hm "chat_messages": [' } } } }];
const CLAUDE = [{ uuid: '1', name: 'Trip', chat_messages: [{ text: 'Hi' }] }];
const MEM0 = { results: [{ id: '1', memory: 'Ada drinks tea' }], relations: [{ source: 'a' }], next: null };
const SVC = [
  { type: 'svc-export', format: 'svc', version: 2 },
  { type: 'memory', id: 'mem_1', content: 'Ada drinks tea' },
  { type: 'memory', id: 'mem_1', content: 'Ada drinks oolong tea' },
  { type: 'conversation', id: 'conv_1', title: 'Trip' },
  { type: 'message', id: 'msg_1', content: 'Hello' },
  { type: 'end', memories: 1 },
];
const lines = (items: object[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');

const FILES: Record<ImportFormat, [name: string, content: string]> = {
  svc: ['account.ndjson', lines(SVC)],
  lines: ['notes.txt', 'Ada drinks tea\n\nKai collects maps'],
  chatgpt: ['conversations.json', JSON.stringify(CHATGPT)],
  claude: ['conversations.json', JSON.stringify(CLAUDE, null, 2)],
  mem0: ['mem0.json', JSON.stringify(MEM0, null, 2)],
  'basic-memory': ['notes.ndjson', lines([{ path: 'a.md', content: '# A' }])],
  'mcp-memory': [
    'memory.jsonl',
    lines([
      { type: 'entity', name: 'Ada' },
      { type: 'relation', from: 'Ada', to: 'Kai', relationType: 'knows' },
    ]),
  ],
};

/** Previews a file that arrives in pieces of `size` characters. */
function preview(format: ImportFormat, content: string, size = content.length) {
  const { preview: result, splitter } = previewReader(format);
  for (let at = 0; at < content.length; at += size) splitter.write(content.slice(at, at + size));
  splitter.end();
  return { counts: Object.fromEntries(result.counts), items: result.items };
}

describe('the format of a file', () => {
  test.each(IMPORT_FORMATS.map((format) => [format, ...FILES[format]] as const))(
    'is detected for %s',
    (format, name, content) => expect(detectFormat(name, content)).toEqual({ format }),
  );

  test('is detected from the first part of a long document', () => {
    const head = JSON.stringify(CHATGPT).slice(0, 60);
    expect(detectFormat('conversations.json', head)).toEqual({ format: 'chatgpt' });
  });

  test('is unknown for other JSON', () => {
    expect(detectFormat('package.json', '{\n  "name": "svc"\n}')).toEqual({ format: undefined });
  });

  test('is not guessed for archives and empty files', () => {
    expect(detectFormat('export.zip', '')).toHaveProperty('problem');
    expect(detectFormat('export', 'PK\u0003\u0004')).toHaveProperty('problem');
    expect(detectFormat('account.ndjson.gz', '')).toHaveProperty('problem');
    expect(detectFormat('empty.txt', ' \n')).toHaveProperty('problem');
  });
});

describe('the preview of a file', () => {
  test('counts an export of svc by kind, without its frame', () => {
    const { counts, items } = preview('svc', FILES.svc[1]);
    expect(counts).toEqual({ memory: 2, conversation: 1, message: 1 });
    expect(items[2]).toEqual({ kind: 'conversation', text: 'Trip' });
  });

  test('shows the first five items and counts all', () => {
    const { counts, items } = preview('lines', 'tea\n'.repeat(1000));
    expect(counts).toEqual({ memory: 1000 });
    expect(items).toHaveLength(5);
  });

  test('counts only the list of memories of a Mem0 file', () => {
    expect(preview('mem0', FILES.mem0[1])).toEqual({
      counts: { memory: 1 },
      items: [{ kind: 'memory', text: 'Ada drinks tea' }],
    });
  });

  test('reads brackets and quotes within texts as text', () => {
    const content = JSON.stringify([{ title: 'a ] } " \\ [' }, { title: 'b' }]);
    const { counts, items } = preview('chatgpt', content);
    expect(counts).toEqual({ conversation: 2 });
    expect(items.map(({ text }) => text)).toEqual(['a ] } " \\ [', 'b']);
  });

  test('names the two ends of a relation', () => {
    expect(preview('mcp-memory', FILES['mcp-memory'][1]).items).toContainEqual({
      kind: 'relation',
      text: 'Ada knows Kai',
    });
  });

  test.each(IMPORT_FORMATS)('of %s does not depend on where the file is split', (format) => {
    const [, content] = FILES[format];
    const whole = preview(format, content);
    for (const size of [1, 2, 3, 7, 50]) expect(preview(format, content, size)).toEqual(whole);
  });

  test('counts an item that is too long to show', () => {
    const content = JSON.stringify([{ title: 'x'.repeat(600_000) }, { title: 'b' }]);
    const { counts, items } = preview('chatgpt', content, 65_536);
    expect(counts).toEqual({ conversation: 2 });
    expect(items.map(({ text }) => text)).toEqual(['b']);
    expect(preview('lines', `${'x'.repeat(600_000)}\nb`, 65_536).counts).toEqual({ memory: 2 });
  });
});
