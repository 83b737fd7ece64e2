/** The ids of the wire. A store is a user, and a memory's version is named after the memory. */

const MADE = /^memstore_[0-9a-f]{32}$/;
const NAMED = 'memstore_user_';

/** Whether a user was created as a memory store, and is named after its id. */
export function isMadeStore(user: string): boolean {
  return MADE.test(user);
}

/** Returns the id of the store that a user is. */
export function storeIdOf(user: string): string {
  return isMadeStore(user) ? user : NAMED + Buffer.from(user).toString('base64url');
}

/** Returns the user that a store is; `undefined` if no store can have the id. */
export function userOfStore(storeId: string): string | undefined {
  if (isMadeStore(storeId)) return storeId;
  if (!storeId.startsWith(NAMED)) return undefined;
  const user = Buffer.from(storeId.slice(NAMED.length), 'base64url').toString('utf8');
  return user !== '' && storeIdOf(user) === storeId && !user.includes('\0') ? user : undefined;
}

/** Returns the id of a version of a memory. */
export function versionIdOf(memoryId: string, version: number): string {
  return `memver_${memoryId.slice('mem_'.length)}_${version}`;
}

/** Returns what a version id names; `undefined` if no version can have the id. */
export function versionOfId(versionId: string): { memoryId: string; version: number } | undefined {
  const [, memory, version] = /^memver_([0-9a-f]{32})_([1-9]\d{0,9})$/.exec(versionId) ?? [];
  return memory && version ? { memoryId: `mem_${memory}`, version: Number(version) } : undefined;
}
