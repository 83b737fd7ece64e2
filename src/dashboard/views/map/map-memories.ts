import type { Client, Memory } from '../../../client/client.ts';
import type { Grouping } from './map-graph.ts';
import { GROUPINGS } from './map-graph.ts';

/** The map shows at most this many memories: the newest that match. */
const MAX_NODES = 1500;
const PAGE_SIZE = 200;

/** State of the map, as stored in the address. */
export interface MapState {
  user: string | undefined;
  tag: string | undefined;
  project: string | undefined;
  source: string | undefined;
  /** Leaves superseded memories out. */
  isCurrentOnly: boolean;
  /** Undefined: what groups the memories best. */
  grouping: Grouping | undefined;
  /** Words to look for on the map. */
  query: string;
}

/** Reads the state from the parameters of the address. Unknown values are ignored. */
export function mapStateOf(parameters: URLSearchParams): MapState {
  const text = (name: string) => parameters.get(name) || undefined;
  return {
    user: text('user'),
    tag: text('tag'),
    project: text('project'),
    source: text('source'),
    isCurrentOnly: parameters.get('show') === 'current',
    grouping: GROUPINGS.find((grouping) => grouping === parameters.get('by')),
    query: parameters.get('q')?.trim() ?? '',
  };
}

/** The conditions that the daemon applies. */
export function mapFilterOf({ user, tag, project, source, isCurrentOnly }: MapState) {
  return {
    ...(user !== undefined && { user }),
    ...(tag !== undefined && { tags: [tag] }),
    ...(project !== undefined && { project, projectOnly: true }),
    ...(source !== undefined && { source }),
    ...(!isCurrentOnly && { includeSuperseded: true }),
  };
}

/** The memories of the map, newest first, and how many match in all. */
export interface MapMemories {
  memories: Memory[];
  total: number;
}

interface CountedPage {
  data: Memory[];
  nextCursor: string | null;
  /** Present on the first page. */
  total?: number;
}

/** Loads the newest memories that match, up to `MAX_NODES`. */
export async function loadMapMemories(
  client: Client,
  filter: ReturnType<typeof mapFilterOf>,
  signal: AbortSignal,
): Promise<MapMemories> {
  const memories: Memory[] = [];
  let total = 0;
  let cursor: string | undefined;
  do {
    const limit = Math.min(PAGE_SIZE, MAX_NODES - memories.length);
    const after = cursor === undefined ? { total: true } : { cursor };
    const page: CountedPage = await client.memories.list({ ...filter, ...after, limit }, { signal });
    memories.push(...page.data);
    total = page.total ?? total;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined && memories.length < MAX_NODES);
  return { memories, total: Math.max(total, memories.length) };
}

/** Returns the ids of the memories with all words of a query; undefined without one. */
export function matchingIds(memories: readonly Memory[], query: string): Set<string> | undefined {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return undefined;
  const matches = memories.filter(({ content, tags }) => {
    const text = `${content} ${tags.join(' ')}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return new Set(matches.map(({ id }) => id));
}
