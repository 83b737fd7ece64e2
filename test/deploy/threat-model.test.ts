import { access, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const page = await readFile(new URL('docs/threat-model.md', root), 'utf8');

interface Row {
  ids: string[];
  state: string;
  proof: string;
  files: string[];
}

const rows = [...page.matchAll(/^\| ([\d. ]+) \| ([a-z/ ]+) \| (.+) \|$/gm)].map(
  ([, ids = '', state = '', proof = '']): Row => ({
    ids: ids.split(' '),
    state,
    proof,
    files: [...proof.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path),
  }),
);

/** How many requirements of levels 1 and 2 each section of ASVS 5.0.0 has; those of level 3 follow them, at its end. */
const SECTIONS: Record<string, number[]> = {
  1: [2, 9, 11, 3, 2],
  2: [3, 3, 4, 1],
  3: [0, 2, 4, 6, 5, 0, 2],
  4: [3, 1, 2, 4],
  5: [1, 3, 2, 3],
  6: [3, 12, 4, 4, 5, 3, 0, 4],
  7: [3, 4, 2, 5, 2, 2],
  8: [2, 3, 1, 1],
  9: [3, 4],
  10: [2, 2, 4, 11, 5, 2, 3],
  11: [2, 3, 3, 4, 1, 1],
  12: [3, 2, 4],
  13: [1, 5, 2, 5],
  14: [2, 4, 3],
  15: [3, 3, 7],
  16: [1, 5, 4, 3, 3],
  17: [1, 4, 2],
};

const REQUIREMENTS = Object.entries(SECTIONS).flatMap(([chapter, sections]) =>
  sections.flatMap((count, index) =>
    Array.from({ length: count }, (_, number) => `${chapter}.${index + 1}.${number + 1}`),
  ),
);

test('the threat model has each requirement of ASVS 5.0 level 2 once', () => {
  expect(REQUIREMENTS).toHaveLength(253);
  expect(rows.flatMap(({ ids }) => ids).sort()).toEqual([...REQUIREMENTS].sort());
});

test('each requirement that is met names a test or a section of the docs, and each other one a reason', () => {
  for (const { ids, state, proof, files } of rows) {
    expect(['met', 'partly', 'not met', 'n/a'], ids.join(' ')).toContain(state);
    if (state === 'met') expect(files.length > 0 || /\]\([\w-]+\.md/.test(proof), ids.join(' ')).toBe(true);
    else expect(proof.replaceAll(/`[^`]+`/g, '').trim().length, ids.join(' ')).toBeGreaterThan(5);
  }
});

test('each test file that the threat model names exists', async () => {
  const files = [...new Set(rows.flatMap((row) => row.files))];
  expect(files.length).toBeGreaterThan(50);
  const missing: string[] = [];
  for (const file of files) await access(new URL(file, root)).catch(() => missing.push(file));
  expect(missing).toEqual([]);
});
