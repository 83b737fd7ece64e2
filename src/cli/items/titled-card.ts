import { innerWidth, type RenderOptions } from '../memory/memory-card.ts';
import { displayWidth, padToWidth, printable, wrap } from '../memory/terminal-text.ts';

/** Formats an item: the short id in the margin, the title, and below it the facts. */
export function titledCard(
  { label, title, facts }: { label: string; title: string | null; facts: readonly string[] },
  { columns, style }: RenderOptions,
): string {
  const width = innerWidth(columns, label);
  const titleLines = title === null ? [style.dim('untitled')] : wrap(printable(title), width, 2);
  const factLines = wrap(facts.map(printable).join(' · '), width).map(style.dim);
  const gutter = displayWidth(label) + 2;
  const [first = '', ...rest] = [...titleLines, ...factLines];
  return [style.bold(padToWidth(label, gutter)) + first, ...rest.map((line) => ' '.repeat(gutter) + line)].join('\n');
}

/** The user, unless it is the only one, and the project, for the facts of an item. */
export function ownerFacts({ user, project }: { user: string; project: string | null }): string[] {
  return [...(user === 'default' ? [] : [`user ${user}`]), ...(project === null ? [] : [`project ${project}`])];
}
