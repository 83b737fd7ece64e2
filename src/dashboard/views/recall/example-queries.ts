const MOST = 6;
const LONGEST_WORDS = 6;

/** Short queries made of stored texts: the first words of each, without what repeats. */
export function exampleQueries(contents: readonly string[]): string[] {
  const queries = new Map<string, string>();
  const firstWords = new Set<string>();
  for (const content of contents) {
    const clause = content
      .trim()
      .split(/[.;,:!?(\n]/u)[0]!
      .trim();
    const query = clause.split(/\s+/u).slice(0, LONGEST_WORDS).join(' ').slice(0, 80);
    const [first = ''] = query.split(' ');
    // Texts of one pattern begin alike: one of them is enough, until there is nothing else.
    if (query.length < 3 || firstWords.has(first)) continue;
    firstWords.add(first);
    queries.set(query.toLowerCase(), query);
    if (queries.size === MOST) break;
  }
  return [...queries.values()];
}
