import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DesiredEntry } from '../../../src/cli/assistants/assistant.ts';
import { editorFor } from '../../../src/cli/assistants/assistant.ts';
import { findAssistant } from '../../../src/cli/assistants/assistant-table.ts';
import { sameData, without } from '../../../src/cli/assistants/editing/document.ts';
import { readEntry, removeEntry, writeEntry } from '../../../src/cli/assistants/write-entry.ts';
import { type ArbitraryDocument, jsonDocument, tomlDocument, yamlDocument } from './arbitrary-documents.ts';

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
];

/** True where `whole` is `part` with text put in between: nothing of `part` was lost or moved. */
function keeps(whole: string, part: string): boolean {
  let at = 0;
  for (const character of part) {
    at = whole.indexOf(character, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

describe.each(CASES)('in any document of %s', (id, documents) => {
  const client = findAssistant(id)!;
  const read = (text: string) => editorFor(client).read(text) ?? {};
  const rest = (text: string) => without(read(text), client.entry);
  const property = (check: (document: ArbitraryDocument) => void) =>
    fc.assert(fc.property(documents, check), { numRuns: 100 });

  test('adding, changing and removing the entry leaves all else as it was, to the byte', () => {
    property(({ text, place }) => {
      const added = writeEntry(client, 'user', text, HTTP);
      const changed = writeEntry(client, 'user', added, STDIO);
      const removed = removeEntry(client, changed);
      if (place !== 'empty' && text.trim() !== '') expect(keeps(added, text)).toBe(true);
      expect(sameData(rest(added), rest(text))).toBe(true);
      expect(sameData(rest(changed), rest(text))).toBe(true);
      expect(removeEntry(client, added)).toBe(removed);
      if (place === 'shared' && text.trim() !== '') expect(removed).toBe(text);
      expect(sameData(rest(removed), rest(text))).toBe(true);
    });
  });

  test('doing it twice changes nothing more, and a change is the same as adding it so', () => {
    property(({ text }) => {
      const added = writeEntry(client, 'user', text, STDIO);
      expect(writeEntry(client, 'user', added, STDIO)).toBe(added);
      expect(removeEntry(client, removeEntry(client, added))).toBe(removeEntry(client, added));
      const changed = writeEntry(client, 'user', writeEntry(client, 'user', text, HTTP), STDIO);
      expect(sameData(readEntry(client, changed).server, readEntry(client, added).server)).toBe(true);
    });
  });
});
