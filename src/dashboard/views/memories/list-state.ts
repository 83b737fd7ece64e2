import type { MemoriesQuery, Memory, MemoryFilter } from '../../../client/client.ts';
import {
  EXPIRES_SOON_MS,
  EXPIRIES,
  type Expiry,
  SOURCE_KINDS,
  type SourceKind,
} from '../../../contract/memory-filters.ts';
import { parseTimestamp, toTimestamp } from '../../../lib/clock.ts';

/** State of the list, as stored in the address: filter, order and layout. */
export interface ListState {
  /** Words to search for; empty lists all memories. */
  query: string;
  user: string | undefined;
  tags: readonly string[];
  project: string | undefined;
  /** Id of a conversation, message or episode. */
  source: string | undefined;
  sourceKind: SourceKind | undefined;
  client: string | undefined;
  expires: Expiry | undefined;
  /** Bounds of the time, both exclusive: of the change if `orderBy` is `updatedAt`, else of what the memory is about. */
  afterMs: number | undefined;
  beforeMs: number | undefined;
  orderBy: NonNullable<MemoriesQuery['orderBy']>;
  order: 'asc' | 'desc';
  show: 'current' | 'pinned' | 'all';
  /** Shows what was known at this time. */
  asOfMs: number | undefined;
  layout: 'list' | 'timeline';
}

const ORDERS = ['createdAt', 'occurredAt', 'updatedAt'] as const;
const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_MS = 86_400_000;

/** Reads the state from the parameters of the address. Unknown values are ignored. */
export function listStateOf(parameters: URLSearchParams): ListState {
  const text = (name: string) => parameters.get(name)?.trim() || undefined;
  const layout = text('layout') === 'timeline' ? 'timeline' : 'list';
  const given = ORDERS.find((order) => order === text('orderBy'));
  const show = text('show');
  return {
    query: text('q') ?? '',
    user: parameters.get('user') || undefined,
    tags: [...new Set(parameters.getAll('tag').filter((tag) => tag !== ''))],
    project: parameters.get('project') || undefined,
    source: text('source'),
    sourceKind: SOURCE_KINDS.find((kind) => kind === text('sourceKind')),
    client: text('client'),
    expires: EXPIRIES.find((expiry) => expiry === text('expires')),
    afterMs: afterOf(text('after')),
    beforeMs: instantOf(text('before')),
    orderBy: given ?? (layout === 'timeline' ? 'occurredAt' : 'createdAt'),
    order: text('order') === 'asc' ? 'asc' : 'desc',
    show: show === 'pinned' || show === 'all' ? show : 'current',
    asOfMs: asOfOf(text('asOf')),
    layout,
  };
}

/** A time, or the first instant of a UTC day. */
function instantOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return parseTimestamp(DAY.test(text) ? `${text}T00:00:00Z` : text);
}

/** A day as a lower bound includes the day itself. */
function afterOf(text: string | undefined): number | undefined {
  const at = instantOf(text);
  return at !== undefined && DAY.test(text!) ? at - 1 : at;
}

/** A day means its end. */
function asOfOf(text: string | undefined): number | undefined {
  const at = instantOf(text);
  return at !== undefined && DAY.test(text!) ? at + DAY_MS - 1 : at;
}

/** Whether the time bounds are about changes, which the list compares itself. */
export function isByChange({ orderBy }: ListState): boolean {
  return orderBy === 'updatedAt';
}

/** Whether the list leaves out rows that its filter matches, so that a bulk change must not use the filter. */
export function isWindowed(state: ListState): boolean {
  return state.asOfMs !== undefined || isByChange(state);
}

/** The conditions of the list that the daemon knows. */
export function filterOf(state: ListState): MemoryFilter {
  const { user, tags, project, source, sourceKind, client, expires, show } = state;
  return {
    ...(user !== undefined && { user }),
    ...(tags.length > 0 && { tags: [...tags] }),
    ...(project !== undefined && { project, projectOnly: true }),
    ...(source !== undefined && { source }),
    ...(sourceKind !== undefined && { sourceKind }),
    ...(client !== undefined && { client }),
    ...(expires !== undefined && { expires }),
    ...(show === 'pinned' && { pinned: true }),
    ...((show === 'all' || isWindowed(state)) && { includeSuperseded: true }),
    ...(isByChange(state) ? {} : timeBounds(state)),
  };
}

/** Whether a search result passes the filters that a search does not take. */
export function passes(state: ListState, memory: Memory, nowMs: number): boolean {
  const { show, source, sourceKind, client, expires } = state;
  const endsMs = memory.expiresAt === null ? undefined : parseTimestamp(memory.expiresAt);
  return (
    (show !== 'pinned' || memory.pinned) &&
    (source === undefined || Object.values(memory.source ?? {}).includes(source)) &&
    (sourceKind === undefined || sourceKind === kindOf(memory.source)) &&
    (client === undefined || client === memory.client) &&
    (expires === undefined || (endsMs !== undefined && (expires === 'any' || endsMs <= nowMs + EXPIRES_SOON_MS)))
  );
}

/** The most specific thing that a source names. */
function kindOf(source: Memory['source']): SourceKind {
  const { messageId, episodeId, conversationId } = source ?? {};
  if (messageId !== undefined) return 'message';
  if (episodeId !== undefined) return 'episode';
  return conversationId === undefined ? 'none' : 'conversation';
}

/** `after` and `before` as the API takes them. */
export function timeBounds({ afterMs, beforeMs }: Pick<ListState, 'afterMs' | 'beforeMs'>): {
  after?: string;
  before?: string;
} {
  return {
    ...(afterMs !== undefined && { after: toTimestamp(afterMs) }),
    ...(beforeMs !== undefined && { before: toTimestamp(beforeMs) }),
  };
}

/** The order of the list. What was known at a time is listed from the first memory on, up to that time. */
export function orderOf({ asOfMs, orderBy, order }: ListState): Pick<MemoriesQuery, 'orderBy' | 'order'> {
  return asOfMs === undefined ? { orderBy, order } : { orderBy: 'createdAt', order: 'asc' };
}

/** Parameters that hold filters, each with no value: clears them all. */
export const NO_FILTERS = {
  tag: undefined,
  project: undefined,
  source: undefined,
  sourceKind: undefined,
  client: undefined,
  expires: undefined,
  after: undefined,
  before: undefined,
  show: undefined,
  orderBy: undefined,
  order: undefined,
} as const;

/** Whether the list leaves anything out because of a filter. */
export function isFiltered(state: ListState): boolean {
  const { tags, project, source, sourceKind, client, expires, afterMs, beforeMs, show } = state;
  const given = [project, source, sourceKind, client, expires, afterMs, beforeMs];
  return tags.length > 0 || given.some((value) => value !== undefined) || show === 'pinned';
}
