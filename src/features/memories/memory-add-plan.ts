import { AppError } from '../../contract/errors.ts';
import type { AddedMemory, memoryFields, NewMemory } from '../../contract/memories.ts';
import type { GivenRowOf } from '../../db/row-codec.ts';
import type { Derived } from '../text/traits.ts';
import {
  contentHashOf,
  derivedOf,
  hasExpired,
  type MemoryRow,
  memoryCodec,
  type NewMemoryRow,
  toMemory,
} from './memory-row.ts';

/** A memory to add, validated before the transaction. */
export interface Draft extends GivenRowOf<typeof memoryFields>, Derived {
  tenantId: string;
  contentHash: string;
  /** The tags that `tags` contains as JSON. */
  tagList: readonly string[];
  supersedes: string | undefined;
}

/** The stored memories that a transaction's plans depend on; each applied plan updates them. */
export interface KnownMemories {
  /** Currently valid memories by `contentKeyOf`. */
  live: Map<string, NewMemoryRow>;
  /** Memories that `supersedes` refers to, by id. */
  superseded: Map<string, NewMemoryRow>;
}

export interface Closing {
  tenantId: string;
  id: string;
  validTo: number;
  supersededBy: string;
}

/** The writes of one request, applied all or none. */
export interface Additions {
  answers: AddedMemory[];
  inserted: { row: NewMemoryRow; tags: readonly string[] }[];
  closed: Closing[];
  /** The memory that is valid for each changed content key afterwards; `undefined` if there is none. */
  live: Map<string, NewMemoryRow | undefined>;
  /** Expired memories to erase because their content is added again. */
  expired: NewMemoryRow[];
}

/**
 * Converts the memories of a request to drafts, in steps; `path` is the JSON pointer of the one at an index. Throws
 * `invalid_request` for a value that cannot be stored.
 */
export function* draftsInSteps(
  tenantId: string,
  memories: readonly NewMemory[],
  path: (index: number) => string,
  nowMs: number,
): Generator<void, Draft[]> {
  const drafts: Draft[] = [];
  for (const [index, memory] of memories.entries()) {
    const fields = memoryCodec.fromNew(memory, path(index));
    drafts.push({
      ...fields,
      ...derivedOf(fields.content, fields.occurredAt, nowMs),
      tenantId,
      contentHash: contentHashOf(memory.content),
      tagList: memory.tags ?? [],
      supersedes: memory.supersedes,
    });
    yield;
  }
  return drafts;
}

/** Returns the uniqueness key: at most one valid memory exists per tenant, user and content. */
export function contentKeyOf({
  tenantId,
  endUser,
  contentHash,
}: Pick<Draft, 'tenantId' | 'endUser' | 'contentHash'>): string {
  return `${tenantId} ${contentHash} ${endUser}`;
}

/**
 * Plans the writes of one request, without side effects. Existing content is answered as a duplicate; a superseded
 * memory ends when its successor begins. Throws `not_found` or `conflict` if a memory cannot be superseded.
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
      plan.live.set(contentKeyOf(draft), row);
      plan.inserted.push({ row, tags: draft.tagList });
    }
    if (replaced && replaced.id !== row.id) {
      plan.live.set(contentKeyOf(replaced), undefined);
      plan.closed.push(closingOf(replaced, row, validFromOf(draft, nowMs)));
    }
    plan.answers.push(same ? { ...toMemory(row), duplicate: true } : toMemory(row));
  }
  return plan;
}

/** Updates `known` with a plan's effect, for the next plan of the same transaction. */
export function applyAdditions(plan: Additions, known: KnownMemories): void {
  for (const [key, row] of plan.live) {
    if (row) known.live.set(key, row);
    else known.live.delete(key);
  }
  for (const { id, validTo, supersededBy } of plan.closed) {
    known.superseded.set(id, { ...known.superseded.get(id)!, validTo, supersededBy });
  }
}

/** Finds the valid memory with the same content. An expired one does not count and is marked for erasure. */
function sameRow(draft: Draft, known: KnownMemories, plan: Additions, nowMs: number): NewMemoryRow | undefined {
  const key = contentKeyOf(draft);
  if (plan.live.has(key)) return plan.live.get(key);
  const row = known.live.get(key);
  if (!row || !hasExpired(row, nowMs)) return row;
  plan.expired.push(row);
  return undefined;
}

function supersededRow(draft: Draft, known: KnownMemories, closed: readonly Closing[], nowMs: number): NewMemoryRow {
  const row = known.superseded.get(draft.supersedes!);
  if (!row || row.tenantId !== draft.tenantId || row.endUser !== draft.endUser || hasExpired(row, nowMs)) {
    throw new AppError('not_found', 'This user has no memory with the id in supersedes.');
  }
  if (row.validTo !== null || closed.some(({ id }) => id === row.id)) {
    throw new AppError(
      'conflict',
      'The memory in supersedes is already superseded. Use the id of the newest memory in its chain.',
    );
  }
  return row;
}

function closingOf(replaced: NewMemoryRow, by: NewMemoryRow, endMs: number): Closing {
  const validTo = Math.max(replaced.validFrom, endMs);
  return { tenantId: replaced.tenantId, id: replaced.id, validTo, supersededBy: by.id };
}

/** A past event is valid from when it happened; a future one, from now. */
function validFromOf({ occurredAt }: Draft, nowMs: number): number {
  return Math.min(occurredAt ?? nowMs, nowMs);
}

function newRow(draft: Draft, scope: number, id: string, nowMs: number): NewMemoryRow {
  const { supersedes: _supersedes, tagList: _tagList, ...fields } = draft;
  return {
    ...fields,
    id,
    version: 1,
    current: 1,
    scope,
    validFrom: validFromOf(draft, nowMs),
    validTo: null,
    supersededBy: null,
    createdAt: nowMs,
    updatedAt: nowMs,
  };
}

/** Indexes rows by id, for `KnownMemories.superseded`. */
export function byId(rows: readonly MemoryRow[]): Map<string, NewMemoryRow> {
  return new Map(rows.map((row) => [row.id, row]));
}
