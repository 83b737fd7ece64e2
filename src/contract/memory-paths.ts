/** The directory of all files of Claude's memory tool. Each file is a memory with its path as external id. */
export const ROOT = '/memories';

/** Returns the directories that a path leads through, from `/memories` on. A file has a tag for each. */
export function directoriesAbove(at: string): string[] {
  const names = at.split('/');
  return names.slice(2).map((_, index) => names.slice(0, index + 2).join('/'));
}
