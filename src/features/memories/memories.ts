import { AppError } from '../../contract/errors.ts';
import type { AddedMemory, MemoriesQuery, Memory, MemoryChange, NewMemory } from '../../contract/memories.ts';
import type { Connection } from '../../db/connection.ts';
import type { Outcome } from '../../db/group-commit.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Claim, Created, CreatedBy, Idempotency } from '../idempotency/idempotency.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import type { MemoryText } from '../search/memory-text-sqlite.ts';
import type { Cursors } from './cursor.ts';
import {
  deleteAllTagsOf,
  deleteMemory,
  deleteSomeOf,
  findMemories,
  findMemory,
  findSameContent,
  insertMemories,
  insertTags,
  listExpired,
  listMemories,
  listVersions,
  updateSuperseded,
} from './memories-store.ts';
import {
  type Additions,
  applyAdditions,
  byId,
  type Draft,
  draftOf,
  instantOf,
  placeOf,
  planAdditions,
} from './memory-additions.ts';
import { changeMemory } from './memory-changes.ts';
import { etagOf, type MemoryRow, toMemory } from './memory-row.ts';
import type { Scopes } from './scopes.ts';

export { etagOf, type MemoryRow, toMemory };

/** The memories of a tenant. Ids of other tenants are as unknown as ids that never were: `not_found`. */
export interface Memories {
  /** Adds one; the same content again gives the existing one with `duplicate`. Throws `quota_exceeded`. */
  add(principal: Principal, memory: NewMemory, claim?: Claim): Promise<AddedMemory>;
  addOnce(principal: Principal, memory: NewMemory, claim: Claim | undefined): Promise<Created<AddedMemory>>;
  /** Adds all or none. */
  addBatchOnce(
    principal: Principal,
    memories: readonly NewMemory[],
    claim: Claim | undefined,
  ): Promise<Created<{ data: AddedMemory[] }>>;
  get(principal: Principal, id: string): Promise<Memory>;
  list(principal: Principal, query: MemoriesQuery): Promise<{ data: Memory[]; nextCursor: string | null }>;
  /** Makes a new version. Throws `precondition_failed` where `ifMatch` names another state than the present one. */
  change(principal: Principal, id: string, change: MemoryChange, ifMatch?: string): Promise<Memory>;
  remove(principal: Principal, id: string, ifMatch?: string): Promise<void>;
  /** All versions, newest first. */
  history(principal: Principal, id: string): Promise<Memory[]>;
  /** Erases what has expired; results stopped showing it at the instant itself. */
  sweep(): Promise<void>;
  /** Erases all of a tenant, some rows a transaction, so that others' writes go on between. */
  erase(tenantId: string): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  usage: Usage;
  idempotency: Idempotency;
  text: MemoryText;
  scopes: Scopes;
  cursors: Cursors;
}

interface Addition {
  principal: Principal;
  drafts: Draft[];
  claim: Claim | undefined;
  nowMs: number;
  /** The answer's shape: one memory or a list. */
  answer(memories: AddedMemory[]): Created<unknown>;
}

const ERASE_ROWS = 200;

export function createMemories({ db, clock, ids, usage, idempotency, text, scopes, cursors }: Parts): Memories {
  const addGrouped = db.writes.grouped<Addition, Created<unknown>>(addAll, ({ drafts }) => drafts.length);

  async function addAll(connection: Connection, additions: Addition[]): Promise<Outcome<Created<unknown>>[]> {
    const claims = additions.flatMap(({ claim }) => claim ?? []);
    const before = await idempotency.answeredBefore(connection, claims);
    const fresh = additions.filter(({ claim }) => !claim || !before.has(claim));
    const drafts = fresh.flatMap((addition) => addition.drafts);
    const known = {
      live: new Map(
        (await findSameContent(connection, drafts)).map((row) => [placeOf(row), row as Omit<MemoryRow, 'number'>]),
      ),
      named: byId(
        await findMemories(
          connection,
          drafts.flatMap(({ tenantId, supersedes }) =>
            supersedes === undefined ? [] : [{ tenantId, id: supersedes }],
          ),
        ),
      ),
    };
    const scopeOf = await scopes.ensure(connection, drafts);
    const allowance = await usage.allowanceOf(
      connection,
      fresh.map(({ principal }) => principal),
      clock.nowMs(),
    );
    const plans: Additions[] = [];
    const kept: CreatedBy[] = [];
    const outcomes = additions.map((addition): Outcome<Created<unknown>> => {
      const replayed = addition.claim && before.get(addition.claim);
      if (replayed) return replayed;
      try {
        const plan = planAdditions(addition.drafts, known, scopeOf, () => ids.next('mem'), addition.nowMs);
        const refused = allowance.take(addition.principal, plan.inserted.length);
        if (refused) return { refused };
        applyAdditions(plan, known);
        plans.push(plan);
        const created = addition.answer(plan.answers);
        const resourceIds = plan.answers.map(({ id }) => id);
        if (addition.claim)
          kept.push({ claim: addition.claim, status: created.status, body: created.body, resourceIds });
        return { ok: created };
      } catch (error) {
        if (error instanceof AppError) return { refused: error };
        throw error;
      }
    });
    await store(connection, plans, clock.nowMs());
    await allowance.store(connection);
    await idempotency.keep(connection, kept);
    return outcomes;
  }

  async function store(connection: Connection, plans: readonly Additions[], nowMs: number): Promise<void> {
    for (const { tenantId, id } of plans.flatMap((plan) => plan.expired)) await eraseMemory(connection, tenantId, id);
    // Closed before the new ones come, which may hold the same content.
    for (const closing of plans.flatMap((plan) => plan.closed)) {
      await updateSuperseded(connection, { ...closing, nowMs });
      await moveToPast(connection, closing.tenantId, closing.id);
    }
    const inserted = plans.flatMap((plan) => plan.inserted);
    if (inserted.length === 0) return;
    const numbers = await insertMemories(
      connection,
      inserted.map(({ row }) => row),
    );
    await text.insert(
      connection,
      inserted.map(({ row, tags }) => ({
        number: numbers.get(row.id)!,
        scope: row.scope,
        content: row.content,
        tags,
        part: 'live',
      })),
    );
    await insertTags(
      connection,
      inserted.flatMap(({ row, tags }) => tags.map((tag) => ({ tenantId: row.tenantId, tag, memoryId: row.id }))),
    );
  }

  async function moveToPast(connection: Connection, tenantId: string, id: string): Promise<void> {
    const row = (await findMemory(connection, tenantId, id))!;
    await text.remove(connection, [row.number]);
    await text.insert(connection, [{ ...row, tags: JSON.parse(row.tags) as string[], part: 'past' }]);
  }

  async function eraseMemory(connection: Connection, tenantId: string, id: string): Promise<void> {
    await text.remove(connection, await deleteMemory(connection, tenantId, id));
    await idempotency.forget(connection, tenantId, id);
  }

  function addition(
    principal: Principal,
    memories: readonly NewMemory[],
    claim: Claim | undefined,
  ): Omit<Addition, 'answer'> {
    const drafts = memories.map((memory, index) =>
      draftOf(principal.tenantId, memory, memories.length > 1 ? `/memories/${index}` : ''),
    );
    return { principal, drafts, claim, nowMs: clock.nowMs() };
  }

  async function addOnce(
    principal: Principal,
    memory: NewMemory,
    claim: Claim | undefined,
  ): Promise<Created<AddedMemory>> {
    const answer = ([added]: AddedMemory[]) => ({ status: added!.duplicate ? 200 : 201, body: added, replayed: false });
    return (await addGrouped({ ...addition(principal, [memory], claim), answer })) as Created<AddedMemory>;
  }

  return {
    addOnce,
    add: async (principal, memory, claim) => (await addOnce(principal, memory, claim)).body,
    async addBatchOnce(principal, memories, claim) {
      const answer = (data: AddedMemory[]) => ({ status: 201, body: { data }, replayed: false });
      return (await addGrouped({ ...addition(principal, memories, claim), answer })) as Created<{
        data: AddedMemory[];
      }>;
    },
    async get({ tenantId }, id) {
      return toMemory(shown(await findMemory(db.readers, tenantId, id), clock.nowMs()));
    },
    async list({ tenantId }, { limit = 50, cursor, ...query }) {
      const boundTo = ['memories', tenantId, query.user, query.tag, query.after, query.before, query.includeSuperseded];
      const rows = await listMemories(db.readers, {
        tenantId,
        user: query.user,
        tag: query.tag,
        afterMs: instantOf(query.after, 'after') ?? undefined,
        beforeMs: instantOf(query.before, 'before') ?? undefined,
        includeSuperseded: query.includeSuperseded ?? false,
        olderThanId: cursor === undefined ? undefined : cursors.read(cursor, boundTo),
        nowMs: clock.nowMs(),
        limit: limit + 1,
      });
      const data = rows.slice(0, limit).map(toMemory);
      return { data, nextCursor: rows.length > limit ? cursors.write(data[limit - 1]!.id, boundTo) : null };
    },
    change(principal, id, change, ifMatch) {
      return db.writes.write(async (connection) => {
        const nowMs = clock.nowMs();
        const row = shown(await findMemory(connection, principal.tenantId, id), nowMs);
        requireMatch(row, ifMatch);
        return toMemory(await changeMemory(connection, text, row, change, nowMs));
      });
    },
    async remove({ tenantId }, id, ifMatch) {
      await db.writes.write(async (connection) => {
        requireMatch(shown(await findMemory(connection, tenantId, id), clock.nowMs()), ifMatch);
        await eraseMemory(connection, tenantId, id);
      });
    },
    async history({ tenantId }, id) {
      const rows = await listVersions(db.readers, tenantId, id);
      shown(rows[0], clock.nowMs());
      return rows.map(toMemory);
    },
    async sweep() {
      const expired = await listExpired(db.readers, clock.nowMs(), ERASE_ROWS);
      if (expired.length === 0) return;
      await db.writes.write(async (connection) => {
        for (const { tenantId, id } of expired) await eraseMemory(connection, tenantId, id);
      });
    },
    async erase(tenantId) {
      let erased: number;
      do {
        erased = await db.writes.write(async (connection) => {
          const numbers = await deleteSomeOf(connection, tenantId, ERASE_ROWS);
          await text.remove(connection, numbers);
          return numbers.length;
        });
      } while (erased === ERASE_ROWS);
      await db.writes.write(async (connection) => {
        await deleteAllTagsOf(connection, tenantId);
        await scopes.erase(connection, tenantId);
      });
    },
  };
}

function shown(row: MemoryRow | undefined, nowMs: number): MemoryRow {
  if (!row || (row.expiresAt !== null && row.expiresAt <= nowMs)) {
    throw new AppError('not_found', 'There is no memory with this id.');
  }
  return row;
}

function requireMatch(row: MemoryRow, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const present = etagOf(toMemory(row));
  if (!ifMatch.split(',').some((tag) => tag.trim() === present)) {
    throw new AppError(
      'precondition_failed',
      'The memory was changed since it was read. Read it again, then change it.',
    );
  }
}
