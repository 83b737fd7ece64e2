import { readFile } from 'node:fs/promises';

const levelOf = (line: string) => /^#+(?= )/.exec(line)?.[0].length;

/** Returns the anchor that GitHub gives a heading. */
function anchorOf(heading: string): string {
  const words = heading.replace(/^#+ /, '').toLowerCase();
  return `#${words.replaceAll(/[^\p{L}\p{N}_ -]/gu, '').replaceAll(' ', '-')}`;
}

/** Returns the targets of the links in a Markdown text, outside code. */
export function linksIn(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/**
 * Returns what a link to a local file leads to: the file, or of a Markdown page from the heading that the anchor names to
 * the next one that is not deeper. Throws if there is no such file or heading.
 */
export async function linkedText(link: URL): Promise<string> {
  const lines = (await readFile(new URL(link.pathname, link), 'utf8')).trimEnd().split('\n');
  if (link.hash === '') return lines.join('\n');
  // A `#` in a block of code is no heading.
  const fences = lines.map((line) => line.startsWith('```'));
  const isCode = lines.map((_, index) => fences.slice(0, index).filter(Boolean).length % 2 === 1);
  const levels = lines.map((line, index) => (isCode[index] ? undefined : levelOf(line)));
  const first = lines.findIndex((line, index) => levels[index] !== undefined && anchorOf(line) === link.hash);
  if (first === -1) throw new Error(`${link.pathname} has no heading ${link.hash}`);
  const next = levels.findIndex((level, index) => index > first && level !== undefined && level <= levels[first]!);
  return lines
    .slice(first, next === -1 ? undefined : next)
    .join('\n')
    .trimEnd();
}
