/** Reads tags separated by commas or line ends. White space around a tag is not part of it. */
export function parseTags(text: string): string[] {
  const tags = text.split(/[,\n]/).map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ''))];
}
