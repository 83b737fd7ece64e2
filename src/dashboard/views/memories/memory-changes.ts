import type { Memory, MemoryChange } from '../../../client/client.ts';

/** Fields that a change sets as a whole. */
const SET_FIELDS = [
  'content',
  'origin',
  'project',
  'occurredAt',
  'expiresAt',
  'pinned',
  'tags',
  'metadata',
  'externalId',
] as const;

/** Returns the change that takes another one back; undefined if that one changes nothing. */
export function undoOf(memory: Memory, change: MemoryChange): MemoryChange | undefined {
  if (change.validTo !== undefined) return { validTo: memory.validTo };
  const undo: MemoryChange = pickedFrom(
    memory,
    SET_FIELDS.filter((field) => change[field] !== undefined && !isSame(change[field], memory[field])),
  );
  const added = (change.addTags ?? []).filter((tag) => !memory.tags.includes(tag));
  const removed = (change.removeTags ?? []).filter((tag) => memory.tags.includes(tag));
  if (added.length > 0) undo.removeTags = added;
  if (removed.length > 0) undo.addTags = removed;
  return Object.keys(undo).length === 0 ? undefined : undo;
}

/** Groups memories by the change that takes a bulk change back, so that each group is one call. */
export function undoGroups(
  memories: readonly Memory[],
  change: MemoryChange,
): { ids: string[]; change: MemoryChange }[] {
  const groups = new Map<string, { ids: string[]; change: MemoryChange }>();
  for (const memory of memories) {
    const undo = undoOf(memory, change);
    if (!undo) continue;
    const key = JSON.stringify(undo);
    const group = groups.get(key) ?? { ids: [], change: undo };
    group.ids.push(memory.id);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** Returns a memory as it looks after a change, before the daemon has answered. */
export function changed<T extends Memory>(memory: T, change: MemoryChange): T {
  const { addTags = [], removeTags = [], metadataPatch, ...set } = change;
  const tags = [...new Set([...(set.tags ?? memory.tags), ...addTags])].filter((tag) => !removeTags.includes(tag));
  return { ...memory, ...set, tags };
}

/** Returns the change that gives a memory the fields of an earlier version; undefined if they are the same. */
export function restoring(current: Memory, version: Memory): MemoryChange | undefined {
  const fields = SET_FIELDS.filter((field) => !isSame(current[field], version[field]));
  return fields.length === 0 ? undefined : pickedFrom(version, fields);
}

/** Says what else than the text differs between two versions: `tags +evening −taste`, `pinned`. */
export function describeChanges(before: Memory, after: Memory): string[] {
  const added = after.tags.filter((tag) => !before.tags.includes(tag)).map((tag) => `+${tag}`);
  const removed = before.tags.filter((tag) => !after.tags.includes(tag)).map((tag) => `−${tag}`);
  const tags = [...added, ...removed];
  return [
    ...(tags.length > 0 ? [`tags ${tags.join(' ')}`] : []),
    ...(before.project === after.project ? [] : [`project ${before.project ?? 'none'} → ${after.project ?? 'none'}`]),
    ...(before.pinned === after.pinned ? [] : [after.pinned ? 'pinned' : 'unpinned']),
    ...(before.occurredAt === after.occurredAt ? [] : ['time of what it is about']),
    ...(before.expiresAt === after.expiresAt ? [] : [after.expiresAt === null ? 'no expiry' : 'expiry']),
    ...(before.externalId === after.externalId ? [] : ['external id']),
    ...(isSame(before.metadata, after.metadata) ? [] : ['metadata']),
  ];
}

/** Returns the version that was valid at a time; undefined if the memory did not exist yet. */
export function versionAt(
  versions: readonly Memory[],
  atMs: number,
  timeOf: (at: string) => number,
): Memory | undefined {
  return versions.find(
    ({ validFrom, validTo }) => timeOf(validFrom) <= atMs && (validTo === null || timeOf(validTo) > atMs),
  );
}

function pickedFrom(memory: Memory, fields: readonly (typeof SET_FIELDS)[number][]): MemoryChange {
  return Object.fromEntries(fields.map((field) => [field, memory[field]]));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
