import type { Memory } from '../../../contract/memories.ts';

/** The property by which the map groups memories. */
export const GROUPINGS = ['tag', 'project', 'conversation'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Memories drawn near each other in one color. */
export interface MapGroup {
  /** `none` for memories without a tag, project or conversation; `rest` for those of the smallest groups. */
  kind: 'value' | 'rest' | 'none';
  /** The tag, the project or the id of the conversation; otherwise empty. */
  key: string;
  /** Newest first. */
  memories: Memory[];
}

/** A link between two memories of the map: `supersedes` points from the newer one to the older one. */
export type LinkKind = 'supersedes' | 'source' | 'episode';
export interface MapLink {
  from: string;
  to: string;
  kind: LinkKind;
}

/** Groups items by a key, in the order given. */
export function groupBy<Item, Key>(items: readonly Item[], keyOfItem: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOfItem(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Groups beyond this number are joined into one. */
const MAX_GROUPS = 24;

/** Groups memories, the largest group first. Of several tags, the most frequent one counts. */
export function groupMemories(memories: readonly Memory[], grouping: Grouping): MapGroup[] {
  const counts = new Map<string, number>();
  for (const { tags } of memories) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  const byKey = groupBy(memories, (memory) => keyOf(memory, grouping, counts));
  const none = byKey.get('') ?? [];
  byKey.delete('');
  const groups = [...byKey]
    .map(([key, members]): MapGroup => ({ kind: 'value', key, memories: members }))
    .sort((one, other) => other.memories.length - one.memories.length || (one.key < other.key ? -1 : 1));
  const rest = groups.splice(MAX_GROUPS).flatMap((group) => group.memories);
  if (rest.length > 0) groups.push({ kind: 'rest', key: '', memories: rest });
  if (none.length > 0) groups.push({ kind: 'none', key: '', memories: none });
  return groups;
}

/** Chooses what groups at least half of the memories, tags before projects before conversations, or else most of them. */
export function bestGrouping(memories: readonly Memory[]): Grouping {
  const grouped = GROUPINGS.map((grouping) => ({
    grouping,
    count: memories.filter((memory) => keyOf(memory, grouping, NO_COUNTS) !== '').length,
  }));
  const half = grouped.find(({ count }) => count > 0 && count >= memories.length / 2);
  return (half ?? grouped.reduce((best, one) => (one.count > best.count ? one : best))).grouping;
}

const NO_COUNTS: ReadonlyMap<string, number> = new Map();

function keyOf({ tags, project, source }: Memory, grouping: Grouping, counts: ReadonlyMap<string, number>): string {
  if (grouping === 'project') return project ?? '';
  if (grouping === 'conversation') return source?.conversationId ?? '';
  return tags.reduce((best, tag) => (best === '' || (counts.get(tag) ?? 0) > (counts.get(best) ?? 0) ? tag : best), '');
}

/**
 * Links memories that supersede one another or that come from the same episode, message or conversation. Memories of one
 * source are linked in a chain, so that the number of links grows with the number of memories. Each pair is linked once.
 */
export function linkMemories(memories: readonly Memory[]): MapLink[] {
  const links: MapLink[] = [];
  const linked = new Set<string>();
  const add = (from: string, to: string, kind: LinkKind) => {
    const pair = from < to ? `${from} ${to}` : `${to} ${from}`;
    if (from === to || linked.has(pair)) return;
    linked.add(pair);
    links.push({ from, to, kind });
  };
  const ids = new Set(memories.map(({ id }) => id));
  for (const { id, supersededBy } of memories) {
    if (supersededBy !== null && ids.has(supersededBy)) add(supersededBy, id, 'supersedes');
  }
  const last = new Map<string, string>();
  for (const { id, source } of memories) {
    const sources = [
      [source?.episodeId, 'episode'],
      [source?.messageId ?? source?.conversationId, 'source'],
      [source?.conversationId, 'source'],
    ] as const;
    for (const [sourceId, kind] of sources) {
      if (sourceId === undefined) continue;
      const before = last.get(`${kind} ${sourceId}`);
      if (before !== undefined) add(before, id, kind);
      last.set(`${kind} ${sourceId}`, id);
    }
  }
  return links;
}

/** Groups with a color of their own. */
export const COLORED_GROUPS = 6;

/** How many groups, from the first, have a color of their own. */
export function coloredCount(groups: readonly MapGroup[]): number {
  return Math.min(COLORED_GROUPS, groups.filter(({ kind }) => kind === 'value').length);
}
