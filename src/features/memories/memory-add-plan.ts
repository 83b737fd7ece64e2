import { AppError } from '../../contract/errors.ts';
import type { AddedMemory, memoryFields, NewMemory } from '../../contract/memories.ts';
import type { GivenRowOf } from '../../db/row-codec.ts';
import type { Derived } from '../traits/traits.ts';
import { externalIdTaken } from './memory-change.ts';
import { additionsTo } from './memory-merge.ts';
import {
  contentHashOf,
  derivedOf,
  hasExpired,
  type MemoryRow,
  memoryCodec,
  type NewMemoryRow,
  nextVersionOf,
  saidAgain,
  toMemory,
} from './memory-row.ts';
import type { Closing } from './memory-validity.ts';

/** A memory to add, validated before the transaction. */
export interface Draft extends GivenRowOf<typeof memoryFields>, Derived {
  tenantId: string;
  client: string | null;
  author: string | null;
  contentHash: string;
  supersedes: string | undefined;
}

/** The stored memories that a transaction's plans depend on; each applied plan updates them. */
export interface KnownMemories {
  /** Currently valid memories by `contentKeyOf`. */
  live: Map<string, NewMemoryRow>;
  /** Currently valid memories by `externalKeyOf`. */
  external: Map<string, NewMemoryRow>;
  /** Memories that `supersedes` refers to, by id. */
  superseded: Map<string, NewMemoryRow>;
}

/**
 * What a memory does whose content is stored: its tags and metadata are merged into that one, which it says again; that one is
 * completed by them alone, for what is read a second time; or it is only said again.
 */
export type OnDuplicate = 'merge' | 'complete' | 'keep';

/** The writes of one request, applied all or none. */
export interface Additions {
  answers: AddedMemory[];
  inserted: NewMemoryRow[];
  /** Next versions of stored memories that duplicates added to, by id. */
  changed: Map<string, NewMemoryRow>;
  /** Stored memories that duplicates say again, by id. */
  saidAgain: Map<string, NewMemoryRow>;
  closed: Closing[];
  /** The memory that is valid for each changed content key afterwards; `undefined` if there is none. */
  live: Map<string, NewMemoryRow | undefined>;
  /** The same for each changed external key. */
  external: Map<string, NewMemoryRow | undefined>;
  /** Expired memories to erase because their content or external id is added again. */
  expired: NewMemoryRow[];
}

/**
 * Converts the memories of a request to drafts, in steps; `path` is the JSON pointer of the one at an index. Throws
 * `invalid_request` for a value that cannot be stored.
 */
export function* draftsInSteps(
  { tenantId, client, author }: Pick<Draft, 'tenantId' | 'client' | 'author'>,
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
      client,
      author,
      contentHash: contentHashOf(memory.content),
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

/** Returns the uniqueness key: at most one valid memory exists per tenant, user and external id. */
export function externalKeyOf({ tenantId, endUser, externalId }: Pick<Draft, 'tenantId' | 'endUser' | 'externalId'>) {
  return JSON.stringify([tenantId, endUser, externalId]);
}

/**
 * Plans the writes of one request in steps, without side effects. Existing content is answered as a duplicate; a superseded
 * memory ends when its successor begins. Throws `not_found` or `conflict` if a memory cannot be superseded, `conflict` if
 * another memory has the external id, and `invalid_request` if a duplicate does not fit into the stored memory.
 */
export function* planAdditions(
  drafts: readonly Draft[],
  known: KnownMemories,
  scopeOf: (draft: Draft) => number,
  nextId: () => string,
  nowMs: number,
  onDuplicate: OnDuplicate,
): Generator<void, Additions> {
  const plan: Additions = {
    ...{ answers: [], inserted: [], changed: new Map(), saidAgain: new Map(), closed: [], expired: [] },
    ...{ live: new Map(), external: new Map() },
  };
  const added: { row: NewMemoryRow; isDuplicate: boolean }[] = [];
  for (const draft of drafts) {
    const replaced = draft.supersedes === undefined ? undefined : supersededRow(draft, known, plan, nowMs);
    const same = sameRow(draft, known, plan, nowMs);
    if (replaced && replaced.id !== same?.id && replaced.externalId !== null) {
      plan.external.set(externalKeyOf(replaced), undefined);
    }
    requireFreeExternalId(draft, same, known, plan, nowMs);
    const merged = same && againRow(same, draft, onDuplicate, plan, nowMs);
    const row = merged ?? newRow(draft, scopeOf(draft), nextId(), nowMs);
    if (!same) {
      plan.live.set(contentKeyOf(draft), row);
      plan.inserted.push(row);
    }
    if (row.externalId !== null) plan.external.set(externalKeyOf(row), row);
    if (replaced && replaced.id !== row.id) {
      plan.live.set(contentKeyOf(replaced), undefined);
      plan.closed.push(closingOf(replaced, row, validFromOf(draft, nowMs)));
    }
    added.push({ row: plan.saidAgain.has(row.id) ? same! : row, isDuplicate: same !== undefined });
    yield;
  }
  for (const { row, isDuplicate } of added) {
    const memory = toMemory(plan.changed.get(row.id) ?? row);
    plan.answers.push(isDuplicate ? { ...memory, duplicate: true } : memory);
    yield;
  }
  return plan;
}

/** Updates `known` with a plan's effect, for the next plan of the same transaction. */
export function applyAdditions(plan: Additions, known: KnownMemories): void {
  for (const part of ['live', 'external'] as const) {
    for (const [key, row] of plan[part]) {
      if (row) known[part].set(key, row);
      else known[part].delete(key);
    }
  }
  for (const row of plan.changed.values()) if (known.superseded.has(row.id)) known.superseded.set(row.id, row);
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

/** Throws `conflict` if another valid memory has the external id, or the memory with this content another one. */
function requireFreeExternalId(
  draft: Draft,
  same: NewMemoryRow | undefined,
  known: KnownMemories,
  plan: Additions,
  nowMs: number,
): void {
  if (draft.externalId === null) return;
  if (same && same.externalId !== null && same.externalId !== draft.externalId) throw externalIdTaken(same);
  const key = externalKeyOf(draft);
  // A stored memory takes over the id before the plan closes others, so that it must be free already.
  const planned = plan.external.get(key);
  const isPlanned = !same && plan.external.has(key);
  const holder = isPlanned ? planned : (known.external.get(key) ?? planned);
  if (!holder || holder.id === same?.id) return;
  // A memory of this plan is not stored yet, so it cannot be erased even if it expires in the past.
  if (holder === planned || !hasExpired(holder, nowMs)) throw externalIdTaken(holder);
  plan.expired.push(holder);
}

/** Returns a stored memory that a draft says again, later if it does, with what the draft adds to it. */
function againRow(
  same: NewMemoryRow,
  draft: Draft,
  onDuplicate: OnDuplicate,
  plan: Additions,
  nowMs: number,
): NewMemoryRow {
  const isSaid = onDuplicate !== 'complete' || draft.occurredAt !== null;
  const saidAt = isSaid ? saidAgain(same, validFromOf(draft, nowMs)) : same.saidAt;
  const isOfPlan = plan.live.get(contentKeyOf(draft)) === same;
  const again = saidAt === same.saidAt ? same : isOfPlan ? Object.assign(same, { saidAt }) : { ...same, saidAt };
  const row = onDuplicate === 'keep' ? again : mergedRow(again, draft, plan, nowMs);
  if (row !== same && !plan.changed.has(row.id)) {
    plan.live.set(contentKeyOf(draft), row);
    plan.saidAgain.set(row.id, row);
  }
  return row;
}

/** Adds what the draft has and the stored memory lacks. A row of this plan is completed, a stored one gets a version. */
function mergedRow(same: NewMemoryRow, draft: Draft, plan: Additions, nowMs: number): NewMemoryRow {
  const additions = additionsTo(same, draft);
  if (additions === undefined) return same;
  const key = contentKeyOf(draft);
  if (plan.live.get(key) === same && !plan.saidAgain.delete(same.id)) return Object.assign(same, additions);
  const next = nextVersionOf({ ...same, ...additions }, nowMs);
  plan.live.set(key, next);
  plan.changed.set(next.id, next);
  return next;
}

function supersededRow(draft: Draft, known: KnownMemories, plan: Additions, nowMs: number): NewMemoryRow {
  const row = plan.changed.get(draft.supersedes!) ?? known.superseded.get(draft.supersedes!);
  if (!row || row.tenantId !== draft.tenantId || row.endUser !== draft.endUser || hasExpired(row, nowMs)) {
    throw new AppError('not_found', 'This user has no memory with the id in supersedes.');
  }
  if (row.validTo !== null || plan.closed.some(({ id }) => id === row.id)) {
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
  const { supersedes: _, ...fields } = draft;
  return {
    ...fields,
    id,
    version: 1,
    current: 1,
    scope,
    saidAt: null,
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
