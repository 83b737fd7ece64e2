import type { Memory } from '../../contract/memories.ts';
import { contentOf, LONGEST_NAME, textOf } from '../../contract/named-items.ts';
import type { FileFormat } from './file-format.ts';
import { CONFLICT_MARK, pathKey } from './file-name.ts';
import { NATIVE_ASSISTANTS, type NativeName } from './native-assistants.ts';
import { normalizeContent } from './note.ts';
import type { NoteFile } from './plan.ts';

/** Names that every system allows, none of which leads out of the folder or is hidden. */
const SAFE_PATH = /^(?:(?!\.)[^/\\:*?"<>|\u0000-\u001f\u007f]+\/)*(?!\.)[^/\\:*?"<>|\u0000-\u001f\u007f]+\.md$/i;

/**
 * Files that an assistant keeps itself, unchanged: a file's path is the external id of its memory, so that it has the same
 * name on every machine.
 */
export function nativeFormat(assistant: NativeName, project: string): FileFormat {
  const prefix = `${assistant}:${project}/`;
  const nameOf = (path: string) => prefix + path;
  const isForeign = (folder: string) => NATIVE_ASSISTANTS[assistant].otherFolders.includes(pathKey(folder));
  const pathIn = ({ externalId }: Memory): string | undefined => {
    const path = externalId?.startsWith(prefix) ? externalId.slice(prefix.length) : '';
    const [top = ''] = path.split('/');
    return SAFE_PATH.test(path) && !CONFLICT_MARK.test(path) && !isForeign(top) ? path : undefined;
  };
  return {
    isForeign,
    parse(path, text) {
      if (!SAFE_PATH.test(path)) return unreadable('not every system allows its name');
      if (nameOf(path).length > LONGEST_NAME) return unreadable('its name is too long');
      if (text.includes('\0')) return unreadable('it contains a NUL character');
      const conflictOf = CONFLICT_MARK.test(path) ? path.replace(CONFLICT_MARK, '.md') : undefined;
      const common = { id: undefined, conflictOf, hasFrontMatter: false, tags: [assistant], project };
      const body = normalizeContent(text);
      if (body === '') return { ...common, content: '' };
      try {
        return { ...common, content: contentOf(nameOf(path), body) };
      } catch {
        return unreadable('its text is longer than 100,000 characters; divide it');
      }
    },
    claimedId: () => undefined,
    render(memory, previous) {
      const text = `${normalizeContent(textOf(memory.externalId ?? '', memory.content))}\n`;
      return previous?.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text;
    },
    withId: (text) => text,
    asConflict: (text) => text,
    pathOf: (memory) => pathIn(memory)!,
    ofMemory: (note) => note,
    identify(notes, entries, { current }) {
      const ids = new Map<string, string>();
      for (const memory of current.values()) {
        const path = pathIn(memory);
        if (path !== undefined) ids.set(pathKey(path), memory.id);
      }
      for (const { id, path } of entries.values()) ids.set(pathKey(path), id);
      return notes.map((file): NoteFile => {
        const { note, path } = file;
        if (note.conflictOf !== undefined) {
          return { ...file, note: { ...note, conflictOf: ids.get(pathKey(note.conflictOf)) ?? note.conflictOf } };
        }
        return { ...file, note: { ...note, id: ids.get(pathKey(path)) } };
      });
    },
    created: (path) => ({ externalId: nameOf(path), origin: 'assistant' }),
    tag: assistant,
    includes: (memory) => pathIn(memory) !== undefined,
    seen: (memory) => ({ ...memory, tags: [assistant] }),
  };
}

function unreadable(problem: string) {
  return { problem, id: undefined };
}
