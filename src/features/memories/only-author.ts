/** Returns the member of a space who wrote all of some items, if one did. */
export function onlyAuthorOf(items: readonly { author: string | null }[]): string | undefined {
  const authors = new Set(items.map(({ author }) => author));
  const [author] = authors;
  return authors.size === 1 ? (author ?? undefined) : undefined;
}
