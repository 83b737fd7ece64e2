const MAX_CHARACTERS = 60;
/** Two thirds of what file systems allow, for the id and the mark of a conflict. */
const MAX_BYTES = 160;

/**
 * Names the file of a memory after its first words and its short id. The name is valid on every system: letters, digits
 * and few marks, no dot but that of `.md`, and never that of a device, because of the id.
 */
export function fileNameOf(
  { id, content }: { id: string; content: string },
  isTaken: (name: string) => boolean,
): string {
  const words = firstWords(content);
  for (let length = 8; ; length += 4) {
    const name = `${words} ${id.slice(-length)}.md`;
    if (length >= 32 || !isTaken(name)) return name;
  }
}

/** The most that file systems allow for a name. */
const MAX_NAME_BYTES = 255;

/** The end of the name of a file that keeps the other side of a conflict. */
export const CONFLICT_MARK = / \(conflict \d{4}-\d\d-\d\d(?: \d+)?\)\.md$/i;

/** Names the file that keeps the other side of a conflict; of a name that would be too long, its beginning. */
export function conflictNameOf(path: string, day: string, isTaken: (path: string) => boolean): string {
  const stem = path.replace(CONFLICT_MARK, '').replace(/\.md$/i, '');
  const slash = stem.lastIndexOf('/') + 1;
  for (let count = 1; ; count += 1) {
    const mark = ` (conflict ${day}${count > 1 ? ` ${count}` : ''}).md`;
    const characters = Array.from(stem.slice(slash));
    while (Buffer.byteLength(characters.join('') + mark) > MAX_NAME_BYTES) characters.pop();
    const name = stem.slice(0, slash) + characters.join('').trimEnd() + mark;
    if (!isTaken(name)) return name;
  }
}

/** Two paths with the same key are the same file on some systems. */
export function pathKey(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

function firstWords(content: string): string {
  const line = content.split('\n').find((text) => /[\p{L}\p{N}]/u.test(text)) ?? '';
  const words = line
    .slice(0, 1000)
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N} ',&()_-]+/gu, ' ')
    .replace(/ +/g, ' ')
    .replace(/^[^\p{L}\p{N}]+/u, '');
  const cut = shorten(words).replace(/[^\p{L}\p{M}\p{N})]+$/u, '');
  return cut === '' ? 'Memory' : cut;
}

/** Cuts at a space, if there is one, else between characters. */
function shorten(words: string): string {
  const fits = (text: string) => text.length <= MAX_CHARACTERS && Buffer.byteLength(text) <= MAX_BYTES;
  if (fits(words)) return words;
  let end = '';
  for (const character of words) {
    if (!fits(end + character)) break;
    end += character;
  }
  const space = end.lastIndexOf(' ');
  return space > MAX_CHARACTERS / 3 ? end.slice(0, space) : end;
}
