/**
 * Items with a name of their own, such as files, each stored as one memory of a user. The name is its external id, by
 * which the daemon finds it in one lookup, and the title of its content, so that a search finds it by name and two items
 * with the same text are two memories.
 */

/** The longest name. An external id has at most 255 characters. */
export const LONGEST_NAME = 240;
/** A memory has at most 64 tags, and an item one for each group. */
export const MOST_GROUPS = 60;
const LONGEST_CONTENT = 100_000;
/** What the daemon compares exactly; it ignores case and white space of the others. */
const PLAIN_NAME = /^[a-z0-9_./:-]+$/;

/** Whether a name has characters that no external id may have. */
export function isUnstorable(name: string): boolean {
  return /[\u0000-\u001f\u007f]/.test(name) || !name.isWellFormed();
}

/** Returns the content of the memory that stores an item. Throws if the item is too large. */
export function contentOf(name: string, text: string): string {
  const content = titleOf(name) + text;
  if (content.length <= LONGEST_CONTENT) return content;
  const most = LONGEST_CONTENT - titleOf(name).length;
  throw new Error(`${name} would have ${text.length} characters; at most ${most} fit. Split it.`);
}

/** Returns the text of an item. A person may have removed its title. */
export function textOf(name: string, content: string): string {
  const title = titleOf(name);
  return content.startsWith(title) ? content.slice(title.length) : content;
}

/**
 * Returns the tag of the items of one group, such as a directory, by which the daemon lists them. That of a user other
 * than `default` has a mark, so that the daemon does not read the items of all users.
 */
export function groupTag(group: string, user: string): string {
  return user === 'default' ? group : `${group} ${shortHash(user)}`;
}

/** Whether the daemon rejected a call with this code. Entry points of the package have copies of `ApiError` each. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'status' in error && 'code' in error && error.code === code;
}

function titleOf(name: string): string {
  return `${PLAIN_NAME.test(name) ? name : `${name} (${shortHash(name)})`}\n\n`;
}

/** FNV-1a. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return hash.toString(36);
}
