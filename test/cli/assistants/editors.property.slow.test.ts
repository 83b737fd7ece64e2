import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DesiredEntry } from '../../../src/cli/assistants/assistant.ts';
import { findAssistant } from '../../../src/cli/assistants/assistant-table.ts';
import { deepEqual, omit } from '../../../src/cli/assistants/editing/document.ts';
import { editorFor, variantFor } from '../../../src/cli/assistants/editors.ts';
import { readEntry, removeEntry, writeEntry } from '../../../src/cli/assistants/write-entry.ts';
import {
  type ArbitraryDocument,
  jsonDocument,
  nestedDocument,
  tomlDocument,
  yamlDocument,
} from './arbitrary-documents.ts';

const HTTP: DesiredEntry = {
  transport: 'http',
  url: 'http://127.0.0.1:8787/v1/mcp',
  key: { literal: `svc_live_${'0123456789abcdef'.repeat(2)}` },
};
const STDIO: DesiredEntry = { transport: 'stdio', command: 'svc', args: ['mcp'], env: {} };

const CASES: [string, fc.Arbitrary<ArbitraryDocument>][] = [
  ['gemini', jsonDocument('mcpServers')],
  ['zed', jsonDocument('context_servers')],
  ['codex', tomlDocument],
  ['goose', yamlDocument('extensions', 'map')],
  ['continue', yamlDocument('mcpServers', 'list')],
  ['opencode', jsonDocument('mcp')],
  ['opencode', nestedDocument('mcp', 'servers')],
  ['openclaw', nestedDocument('mcp', 'servers')],
  ['kilo', jsonDocument('mcp')],
  ['amp', jsonDocument('amp.mcpServers')],
  ...['antigravity', 'devin', 'qwen', 'kimi', 'auggie', 'cline-vscode'].map(
    (id): [string, fc.Arbitrary<ArbitraryDocument>] => [id, jsonDocument('mcpServers')],
  ),
  ['grok', tomlDocument],
];

/** The first assistant of each format; the others share its editor. */
const FIRST = new Set(['gemini', 'codex', 'goose', 'continue', 'openclaw']);

/** Whether `part` is a subsequence of `whole`, so that nothing in it was lost or moved. */
function containsInOrder(whole: string, part: string): boolean {
  let at = 0;
  for (const character of part) {
    at = whole.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

describe.each(CASES)('in any %s document', (id, documents) => {
  const assistant = findAssistant(id)!;
  const read = (text: string) => editorFor(assistant).read(text) ?? {};
  const rest = (text: string) => omit(read(text), variantFor(assistant, text).entry);
  const property = (check: (document: ArbitraryDocument) => void) =>
    fc.assert(fc.property(documents, check), { numRuns: FIRST.has(id) ? 20 : 5 });

  test('adding, changing and removing the entry preserves everything else byte for byte, and is idempotent', () => {
    property(({ text, serverList }) => {
      const added = writeEntry(assistant, 'user', text, HTTP);
      const changed = writeEntry(assistant, 'user', added, STDIO);
      const removed = removeEntry(assistant, changed);
      if (serverList !== 'empty' && text.trim() !== '') expect(containsInOrder(added, text)).toBe(true);
      const before = rest(text);
      for (const edited of [added, changed, removed]) expect(deepEqual(rest(edited), before)).toBe(true);
      expect(removeEntry(assistant, added)).toBe(removed);
      if (serverList === 'shared' && text.trim() !== '') expect(removed).toBe(text);
      expect(writeEntry(assistant, 'user', changed, STDIO)).toBe(changed);
      expect(removeEntry(assistant, removed)).toBe(removed);
    });
  });

  test('changing an entry gives the same result as adding it', () => {
    property(({ text }) => {
      const added = writeEntry(assistant, 'user', text, STDIO);
      const changed = writeEntry(assistant, 'user', writeEntry(assistant, 'user', text, HTTP), STDIO);
      expect(deepEqual(readEntry(assistant, changed).server, readEntry(assistant, added).server)).toBe(true);
    });
  });
});
