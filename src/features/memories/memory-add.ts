import { AppError } from '../../contract/errors.ts';
import type { AddedMemory, NewMemory } from '../../contract/memories.ts';
import type { Connection } from '../../db/connection.ts';
import type { Outcome } from '../../db/group-commit.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { finish, runInSlices } from '../../lib/time-slices.ts';
import { nameOfClient } from '../activity/client-name.ts';
import type { AnswerToStore, Claim, Created, Idempotency } from '../idempotency/idempotency.ts';
import type { Principal } from '../keys/keys.ts';
import type { MemoryAllowance, MeteredTenant, Usage } from '../limits/usage.ts';
import {
  mergeTerms,
  NO_TERMS,
  type PreparedTerms,
  partlyIndexed,
  requireTerms,
  writeWithTerms,
} from '../text/prepared-terms.ts';
import type { Scopes } from '../text/scopes.ts';
import type { TextEntry, TextIndex } from '../text/text-indices.ts';
import type { TextPortions } from '../text/text-portions.ts';
import {
  findByExternalId,
  findMemories,
  findMemory,
  findSameContent,
  insertMemories,
  updateSaid,
} from './memories-store.ts';
import {
  type Additions,
  applyAdditions,
  byId,
  contentKeyOf,
  type Draft,
  draftsInSteps,
  externalKeyOf,
  type KnownMemories,
  type OnDuplicate,
  planAdditions,
} from './memory-add-plan.ts';
import { storeVersion } from './memory-change.ts';
import type { MemoryErasing } from './memory-erasure.ts';
import { insertLookups } from './memory-lookups-store.ts';
import { bytesOf, type NewMemoryRow, textEntryOf, textsOf } from './memory-row.ts';
import { closeMemory } from './memory-validity.ts';

/** The tenant whose quota counts what is added, and the client that adds it. */
export type Adder = MeteredTenant & Pick<Principal, 'client' | 'author'>;

/** Adds memories; concurrent requests share a transaction and its statements. */
export interface MemoryAdding {
  addOnce(
    principal: Principal,
    memory: NewMemory,
    claim: Claim | undefined,
    onDuplicate?: OnDuplicate,
  ): Promise<Created<AddedMemory>>;
  /** Adds all or none. */
  addBatchOnce(
    principal: Principal,
    memories: readonly NewMemory[],
    claim: Claim | undefined,
  ): Promise<Created<{ data: AddedMemory[] }>>;
  /** Adds all or none, in the caller's transaction. Throws `TermsMissing`; see `writeWithTerms`. */
  addWithin(
    connection: Connection,
    adder: Adder,
    memories: readonly NewMemory[],
    terms?: PreparedTerms,
  ): Promise<AddedMemory[]>;
}

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  usage: Usage;
  idempotency: Idempotency;
  text: TextIndex;
  portions: TextPortions;
  scopes: Scopes;
  erasing: MemoryErasing;
}

/** One request to add memories. */
interface Addition {
  principal: MeteredTenant;
  drafts: Draft[];
  claim: Claim | undefined;
  onDuplicate: OnDuplicate;
  /** Shapes the answer: one memory or a list. */
  answer(memories: AddedMemory[]): Created<unknown>;
}

/** A request with the terms of its drafts and of the memories they supersede. */
interface PreparedAddition extends Addition {
  terms: PreparedTerms;
}

/** The pending writes of one transaction. */
interface PendingWrites {
  plans: Additions[];
  answers: AnswerToStore[];
}

/** Adds memories in group commits, or in the transaction of a caller. */
export function createMemoryAdding(parts: Parts): MemoryAdding {
  const { db, clock, ids, usage, idempotency, text, portions, scopes, erasing } = parts;
  const addInPortions = (connection: Connection, additions: PreparedAddition[]) =>
    addAll(connection, additions, portions.insert);
  const addGrouped = db.writes.grouped<PreparedAddition, Created<unknown>>(addInPortions, ({ principal, drafts }) => ({
    tenantId: principal.tenantId,
    rows: drafts.length,
    characters: drafts.reduce((sum, { content }) => sum + content.length, 0),
  }));

  async function add(addition: Addition): Promise<Created<unknown>> {
    const { tenantId } = addition.principal;
    const texts = addition.drafts.map(textsOf);
    const created = await writeWithTerms(tenantId, texts, async (terms) => {
      const added = await addGrouped({ ...addition, terms });
      await portions.finish(tenantId, texts, terms);
      return added;
    });
    scopes.confirm(addition.drafts);
    return created;
  }

  async function addAll(
    connection: Connection,
    additions: PreparedAddition[],
    index: TextPortions['insert'],
  ): Promise<Outcome<Created<unknown>>[]> {
    const nowMs = clock.nowMs();
    const claims = additions.flatMap(({ claim }) => claim ?? []);
    const replays = await idempotency.findReplays(connection, claims);
    const fresh = additions.filter(({ claim }) => !claim || !replays.has(claim));
    const drafts = fresh.flatMap((addition) => addition.drafts);
    const principals = fresh.map(({ principal }) => principal);
    const known = await findKnown(connection, drafts);
    const scopeOf = await scopes.ensure(connection, drafts);
    const allowance = await usage.allowanceOf(connection, principals, nowMs);
    const pending: PendingWrites = { plans: [], answers: [] };
    const outcomes: Outcome<Created<unknown>>[] = [];
    for (const addition of additions) {
      const replayed = addition.claim && replays.get(addition.claim);
      const planning = plan(addition, known, scopeOf, allowance, pending, nowMs);
      outcomes.push(replayed ?? (await runInSlices(planning, 'urgent')));
    }
    const terms = mergeTerms(additions.map((addition) => addition.terms));
    // A version that a duplicate adds, or an expired memory to erase, may depend on an earlier plan, so that the plans
    // must be stored one by one.
    const isOrdered = pending.plans.some(({ changed, expired }) => changed.size > 0 || expired.length > 0);
    const groups = isOrdered ? pending.plans.map((one) => [one]) : [pending.plans];
    for (const plans of groups) await store(connection, plans, terms, index, nowMs);
    await allowance.store(connection);
    await idempotency.store(connection, pending.answers);
    return outcomes;
  }

  /** Plans one request, in steps, and applies its effect to `known` for the next one. A refused request has no effect. */
  function* plan(
    { principal, drafts, terms, claim, onDuplicate, answer }: PreparedAddition,
    known: KnownMemories,
    scopeOf: (draft: Draft) => number,
    allowance: MemoryAllowance,
    pending: PendingWrites,
    nowMs: number,
  ): Generator<void, Outcome<Created<unknown>>> {
    try {
      const planned = yield* planAdditions(drafts, known, scopeOf, () => ids.next('mem'), nowMs, onDuplicate);
      const closed = planned.closed.map(({ id }) => known.superseded.get(id)!);
      const changed = [...planned.changed.values()].flatMap((next) => [known.live.get(contentKeyOf(next))!, next]);
      requireTerms(terms, [...closed, ...changed].map(textsOf));
      const stored = [...planned.inserted, ...planned.changed.values()];
      const bytes = stored.reduce((sum, row) => sum + bytesOf(row), 0);
      const refused = allowance.take(principal, planned.inserted.length, bytes);
      if (refused) return { refused };
      applyAdditions(planned, known);
      pending.plans.push(planned);
      const answers: AddedMemory[] = [];
      for (const [index, memory] of planned.answers.entries()) {
        answers.push({ ...memory, ...partlyIndexed(terms, textsOf(drafts[index]!)) });
        yield;
      }
      const created = answer(answers);
      const resourceIds = planned.answers.map(({ id }) => id);
      if (claim) pending.answers.push({ claim, status: created.status, body: created.body, resourceIds });
      return { ok: created };
    } catch (error) {
      if (error instanceof AppError) return { refused: error };
      throw error;
    }
  }

  async function store(
    connection: Connection,
    plans: readonly Additions[],
    terms: PreparedTerms,
    index: TextPortions['insert'],
    nowMs: number,
  ): Promise<void> {
    for (const { tenantId, id } of plans.flatMap(({ expired }) => expired)) {
      await erasing.eraseOne(connection, tenantId, id);
    }
    for (const next of plans.flatMap(({ changed }) => [...changed.values()])) {
      const row = (await findMemory(connection, next.tenantId, next.id))!;
      await storeVersion(connection, { text, terms }, row, next);
    }
    // Close first: a new memory may have the content of a closed one.
    for (const closing of plans.flatMap(({ closed }) => closed)) {
      await closeMemory(connection, { text, terms }, closing, nowMs);
    }
    const rows = plans.flatMap(({ inserted }) => inserted);
    const numbers = await insertMemories(connection, rows);
    // Also a memory of an earlier plan.
    for (const row of plans.flatMap((plan) => [...plan.saidAgain.values()])) await updateSaid(connection, row);
    const entryOf = (row: NewMemoryRow) => textEntryOf({ ...row, number: numbers.get(row.id)! }, 'live');
    await index(
      connection,
      plans.map(({ inserted }) => inserted.map(entryOf)),
      terms,
    );
    await insertLookups(connection, rows);
  }

  const insertWhole = (on: Connection, writes: readonly (readonly TextEntry[])[], terms: PreparedTerms) =>
    text.insert(on, writes.flat(), terms);
  const listed = (data: AddedMemory[]) => ({ status: 201, body: { data }, replayed: false });
  const drafting = ({ tenantId, client, author = null }: Adder, memories: readonly NewMemory[], path = pathInBatch) =>
    draftsInSteps({ tenantId, client: nameOfClient(client), author }, memories, path, clock.nowMs());

  return {
    async addOnce(principal, memory, claim, onDuplicate = 'merge') {
      const drafts = await runInSlices(
        drafting(principal, [memory], () => ''),
        principal.tenantId,
      );
      const answer = ([added]: AddedMemory[]) => ({
        status: added!.duplicate ? 200 : 201,
        body: added,
        replayed: false,
      });
      return (await add({ principal, drafts, claim, onDuplicate, answer })) as Created<AddedMemory>;
    },
    async addBatchOnce(principal, memories, claim) {
      const drafts = await runInSlices(drafting(principal, memories), principal.tenantId);
      const addition = { principal, drafts, claim, onDuplicate: 'merge', answer: listed } as const;
      return (await add(addition)) as Created<{ data: AddedMemory[] }>;
    },
    async addWithin(connection, principal, memories, terms = NO_TERMS) {
      const drafts = finish(drafting(principal, memories));
      const addition = { principal, drafts, terms, claim: undefined, onDuplicate: 'keep', answer: listed } as const;
      const [outcome] = await addAll(connection, [addition], insertWhole);
      if ('refused' in outcome!) throw outcome.refused;
      return (outcome!.ok as Created<{ data: AddedMemory[] }>).body.data;
    },
  };
}

function pathInBatch(index: number): string {
  return `/memories/${index}`;
}

/** Loads the stored memories with the same content and those to be superseded. */
async function findKnown(connection: Connection, drafts: readonly Draft[]): Promise<KnownMemories> {
  const superseded = drafts.flatMap(({ tenantId, supersedes: id }) => (id === undefined ? [] : [{ tenantId, id }]));
  const same: NewMemoryRow[] = await findSameContent(connection, drafts);
  const keys = drafts.flatMap(({ tenantId, endUser, externalId }) =>
    externalId === null ? [] : [{ tenantId, endUser, externalId }],
  );
  const holders: NewMemoryRow[] = await findByExternalId(connection, keys);
  return {
    live: new Map(same.map((row) => [contentKeyOf(row), row])),
    external: new Map(holders.map((row) => [externalKeyOf(row), row])),
    superseded: byId(await findMemories(connection, superseded)),
  };
}
