import { AppError } from '../../contract/errors.ts';
import type { AddedMemory, memoryFields, NewMemory } from '../../contract/memories.ts';
import type { GivenRowOf } from '../../db/row-codec.ts';
import {
  contentHashOf,
  derivedOf,
  hasExpired,
  type MemoryRow,
  memoryCodec,
  type NewMemoryRow,
  toMemory,
} from './memory-row.ts';

/** One memory to add, checked and measured before the transaction. */
export interface Draft extends GivenRowOf<typeof memoryFields> {
  tenantId: string;
  contentHash: string;
  /** What `tags` holds as JSON. */
  tagList: readonly string[];
  supersedes: string | undefined;
}

/** What one transaction knows before it plans; the plan keeps it up to date. */
export interface KnownMemories {
  /** Valid now, by `placeOf`. */
  live: Map<string, NewMemoryRow>;
  /** Those named by `supersedes`, by id. */
  named: Map<string, NewMemoryRow>;
}

export interface Closing {
  tenantId: string;
  id: string;
  validTo: number;
  supersededBy: string;
}

/** What one request adds: all of it or nothing. */
export interface Additions {
  answers: AddedMemory[];
  inserted: { row: NewMemoryRow; tags: readonly string[] }[];
  closed: Closing[];
  /** What becomes of places: the memory that stands there afterwards, `undefined` where none does. */
  live: Map<string, NewMemoryRow | undefined>;
  /** Expired ones whose content comes again: they go for good. */
  expired: NewMemoryRow[];
}

/** A request's memory as a draft. Throws `invalid_request` where a value cannot be kept as it is. */
export function draftOf(tenantId: string, memory: NewMemory, path: string): Draft {
  return {
    ...memoryCodec.fromNew(memory, path),
    tenantId,
    contentHash: contentHashOf(memory.content),
    tagList: memory.tags ?? [],
    supersedes: memory.supersedes,
  };
}

/** Where a live memory stands: there is at most one a tenant, user and content. */
export function placeOf({
  tenantId,
  endUser,
  contentHash,
}: Pick<Draft, 'tenantId' | 'endUser' | 'contentHash'>): string {
  return `${tenantId} ${contentHash} ${endUser}`;
}

/**
 * Plans what one request adds, given what is known; changes nothing. The same content again is no second memory, and
 * what a memory supersedes loses its validity when the new one begins. Throws `not_found` or `conflict` for a
 * `supersedes` that cannot be followed.
 */
export function planAdditions(
  drafts: readonly Draft[],
  known: KnownMemories,
  scopeOf: (draft: Draft) => number,
  nextId: () => string,
  nowMs: number,
): Additions {
  const plan: Additions = { answers: [], inserted: [], closed: [], live: new Map(), expired: [] };
  for (const draft of drafts) {
    const replaced = draft.supersedes === undefined ? undefined : supersededRow(draft, known, plan.closed, nowMs);
    const same = sameRow(draft, known, plan, nowMs);
    const row = same ?? newRow(draft, scopeOf(draft), nextId(), nowMs);
    if (!same) {
      plan.live.set(placeOf(draft), row);
      plan.inserted.push({ row, tags: draft.tagList });
    }
    if (replaced && replaced.id !== row.id) {
      plan.live.set(placeOf(replaced), undefined);
      plan.closed.push(closing(replaced, row, beginOf(draft, nowMs)));
    }
    plan.answers.push(same ? { ...toMemory(row), duplicate: true } : toMemory(row));
  }
  return plan;
}

/** Makes a plan's effect known to the next one of the same transaction. */
export function applyAdditions(plan: Additions, known: KnownMemories): void {
  for (const [place, row] of plan.live) {
    if (row) known.live.set(place, row);
    else known.live.delete(place);
  }
  for (const { id, validTo, supersededBy } of plan.closed) {
    known.named.set(id, { ...known.named.get(id)!, validTo, supersededBy });
  }
}

/** The memory that says the same already. One that has expired does not count, and is noted as such. */
function sameRow(draft: Draft, known: KnownMemories, plan: Additions, nowMs: number): NewMemoryRow | undefined {
  const place = placeOf(draft);
  if (plan.live.has(place)) return plan.live.get(place);
  const row = known.live.get(place);
  if (!row || !hasExpired(row, nowMs)) return row;
  plan.expired.push(row);
  return undefined;
}

function supersededRow(draft: Draft, known: KnownMemories, closed: readonly Closing[], nowMs: number): NewMemoryRow {
  const row = known.named.get(draft.supersedes!);
  if (!row || row.tenantId !== draft.tenantId || row.endUser !== draft.endUser || hasExpired(row, nowMs)) {
    throw new AppError('not_found', 'No memory of this user has the id given in supersedes.');
  }
  if (row.validTo !== null || closed.some(({ id }) => id === row.id)) {
    throw new AppError(
      'conflict',
      'The memory given in supersedes is superseded already; name the newest of its chain.',
    );
  }
  return row;
}

function closing(replaced: NewMemoryRow, by: NewMemoryRow, beginMs: number): Closing {
  const validTo = Math.max(replaced.validFrom, beginMs);
  return { tenantId: replaced.tenantId, id: replaced.id, validTo, supersededBy: by.id };
}

/** What happened is valid from when it happened; what is announced, from now. */
function beginOf({ occurredAt }: Draft, nowMs: number): number {
  return Math.min(occurredAt ?? nowMs, nowMs);
}

function newRow(draft: Draft, scope: number, id: string, nowMs: number): NewMemoryRow {
  const { supersedes: _supersedes, tagList: _tagList, ...fields } = draft;
  return {
    ...fields,
    ...derivedOf(draft.content, draft.occurredAt, nowMs),
    id,
    version: 1,
    current: 1,
    scope,
    validFrom: beginOf(draft, nowMs),
    validTo: null,
    supersededBy: null,
    createdAt: nowMs,
    updatedAt: nowMs,
  };
}

/** The stored rows by id, for `KnownMemories.named`. */
export function byId(rows: readonly MemoryRow[]): Map<string, NewMemoryRow> {
  return new Map(rows.map((row) => [row.id, row]));
}
