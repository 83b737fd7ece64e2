/** A run of text that both versions have, or only the older or the newer one. */
export interface DiffPart {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Above this product of word counts, whole texts are compared instead of words. */
const MAX_CELLS = 4_000_000;

/**
 * Compares two texts word by word: a longest common subsequence of words and the spaces between them. Joined, the parts
 * that are not `added` equal `before`, and those that are not `removed` equal `after`.
 */
export function diffWords(before: string, after: string): DiffPart[] {
  const older = wordsOf(before);
  const newer = wordsOf(after);
  let start = 0;
  while (start < older.length && start < newer.length && older[start] === newer[start]) start++;
  let end = 0;
  while (end < older.length - start && end < newer.length - start && older.at(-1 - end) === newer.at(-1 - end)) end++;
  const middle = diffMiddle(older.slice(start, older.length - end), newer.slice(start, newer.length - end));
  return joined([
    { kind: 'same', text: older.slice(0, start).join('') },
    ...middle,
    { kind: 'same', text: older.slice(older.length - end).join('') },
  ]);
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_'’-]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}

function diffMiddle(older: string[], newer: string[]): DiffPart[] {
  if (older.length * newer.length > MAX_CELLS) {
    return [
      { kind: 'removed', text: older.join('') },
      { kind: 'added', text: newer.join('') },
    ];
  }
  const width = newer.length + 1;
  // Length of the longest common subsequence of what follows each pair of positions.
  const lengths = new Uint32Array((older.length + 1) * width);
  for (let i = older.length - 1; i >= 0; i--) {
    for (let j = newer.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        older[i] === newer[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const parts: DiffPart[] = [];
  let i = 0;
  let j = 0;
  while (i < older.length || j < newer.length) {
    if (i < older.length && j < newer.length && older[i] === newer[j]) {
      parts.push({ kind: 'same', text: older[i++]! });
      j++;
    } else if (
      i < older.length &&
      (j === newer.length || lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)
    ) {
      parts.push({ kind: 'removed', text: older[i++]! });
    } else parts.push({ kind: 'added', text: newer[j++]! });
  }
  return parts;
}

function joined(parts: DiffPart[]): DiffPart[] {
  const result: DiffPart[] = [];
  for (const part of parts) {
    if (part.text === '') continue;
    const last = result.at(-1);
    if (last?.kind === part.kind) last.text += part.text;
    else result.push({ ...part });
  }
  return result;
}
