import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { FOREIGN_READERS } from '../../../src/features/portability/formats/readers.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { type ForeignFormat, inPieces, READER_OPTIONS } from './read-fixture.ts';

/** It is read once per step. */
const clock = vi.spyOn(systemClock, 'monotonicMs');

beforeEach(() => clock.mockClear());
afterAll(() => clock.mockRestore());

const many = <T>(count: number, item: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => item(at));
const chatgpt = (messages: readonly object[]) => {
  const nodes = messages.map((message, at) => [`${at}`, { parent: `${at - 1}`, message: { id: `${at}`, ...message } }]);
  return [{ id: 'a', current_node: `${messages.length - 1}`, mapping: Object.fromEntries(nodes) }];
};
const user = { author: { role: 'user' } };
const claude = (message: object) => [{ uuid: 'a', chat_messages: [{ sender: 'human', ...message }] }];

async function itemsOf(format: ForeignFormat, file: object | string) {
  const items = [];
  const bytes = inPieces(Buffer.from(typeof file === 'string' ? file : JSON.stringify(file)), [64 * 1024]);
  for await (const item of FOREIGN_READERS[format](bytes, READER_OPTIONS)) items.push(item);
  return items;
}

test.each<[what: string, format: ForeignFormat, file: object]>([
  ['lines of a note', 'basic-memory', { path: 'a.md', content: `b${'\n'.repeat(500)}` }],
  ['list items of a note', 'basic-memory', { path: 'a.md', content: '- [a] b #c\n'.repeat(500) }],
  ['lines of front matter', 'basic-memory', { path: 'a.md', content: `---\n${'a\n'.repeat(500)}` }],
  [
    'parts of a message',
    'chatgpt',
    chatgpt([{ ...user, content: { content_type: 'text', parts: many(500, () => 1) } }]),
  ],
  ['empty messages', 'chatgpt', chatgpt(many(500, () => ({ author: { role: 'system' }, content: {} })))],
  [
    'attachments',
    'chatgpt',
    chatgpt([{ ...user, content: { content_type: 'text' }, metadata: { attachments: many(500, () => ({})) } }]),
  ],
  ['blocks of a message', 'claude', claude({ content: many(500, () => ({ type: 'image' })) })],
  ['files of a message', 'claude', claude({ files: many(500, () => ({})) })],
  ['lines of memories', 'claude', [{ conversations_memory: `a${'\n'.repeat(500)}` }]],
  ['observations', 'mcp-memory', { type: 'entity', name: 'a', observations: many(500, () => 'b') }],
])('reads 500 %s in as many steps', async (_, format, file) => {
  expect((await itemsOf(format, file)).length).toBeLessThanOrEqual(501);
  expect(clock.mock.calls.length).toBeGreaterThanOrEqual(500);
});

test.each<[format: ForeignFormat, file: object | string, reason: RegExp]>([
  ['basic-memory', { path: 'a.md', content: `- ${' '.repeat(300_000)}a\u2028b` }, /content must have at most/],
  ['basic-memory', { path: 'a.md', content: `# ${' '.repeat(300_000)}a\u2028b` }, /The note is empty/],
  ['mem0', `[{"memory": "b", "x": ${'1'.repeat(2_000_000)}}]`, /has a number of more than 1 MiB/],
  ['mem0', [{ memory: 'b'.repeat(200_000) }], /content must have at most 100000 characters/],
  ['mem0', [{ memory: 'b', metadata: { x: 'b'.repeat(200_000) } }], /metadata must be at most 16384 bytes as JSON/],
  ['mem0', [{ memory: 'b', metadata: { x: many(200_000, () => 1) } }], /metadata must be at most 16384 bytes as JSON/],
  ['mem0', [{ memory: 'b', categories: many(200_000, (at) => `c${at % 99}`) }], /tags must have at most 64 items/],
  ['claude', claude({ text: 'b'.repeat(200_000) }), /content must have at most 100000 characters/],
  [
    'chatgpt',
    chatgpt([{ ...user, content: { content_type: 'text', parts: ['\n'.repeat(200_000)] } }]),
    /1 empty message left out/,
  ],
])('says of a hostile item of %s why it is left out', async (format, file, reason) => {
  const reasons = (await itemsOf(format, file)).flatMap((item) => ('reason' in item ? [item.reason] : []));
  expect(reasons).toContainEqual(expect.stringMatching(reason));
});
