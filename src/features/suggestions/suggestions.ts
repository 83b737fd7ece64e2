import { createHash } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { projectFilterOf } from '../../contract/project.ts';
import type { Suggester } from '../../contract/suggestion-names.ts';
import type {
  Acceptance,
  AddedSuggestion,
  DecidedSuggestions,
  Evidence,
  NewSuggestion,
  Suggestion,
  SuggestionDecision,
  SuggestionsQuery,
} from '../../contract/suggestions.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import { type Clock, parseTimestamp, toTimestamp, toTimestampOrNull } from '../../lib/clock.ts';
import { contentTagOf } from '../../lib/entity-tag.ts';
import type { Ids } from '../../lib/ids.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import { nameOfClient } from '../activity/client-name.ts';
import type { MessageReading } from '../conversations/conversations.ts';
import type { Erasable } from '../erasure/erasure.ts';
import type { Claim, Created, Idempotency } from '../idempotency/idempotency.ts';
import { requireMatch } from '../idempotency/precondition.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import { foldedContent, type Memories, type MemoryRow } from '../memories/memories.ts';
import type { Cursors } from '../text/page-cursor.ts';
import { writeWithTerms } from '../text/prepared-terms.ts';
import { type Applied, applySuggestion, linesOf, undoApplied } from './acceptance.ts';
import {
  countOpen,
  deleteItemsOf,
  deleteSomeOf,
  findSuggested,
  findSuggestion,
  insertItems,
  insertSuggestions,
  listPossibleSuccessors,
  listSuggestions,
  outdateOld,
  type SuggestionRow,
  updateDecision,
} from './suggestions-store.ts';

/** Who suggests, and with what: a model, an assistant. */
export interface By {
  suggester: Suggester;
  name: string | null;
}

/** Suggested changes of memories. They change nothing until somebody accepts them; another tenant's are `not_found`. */
export interface Suggestions extends Erasable {
  /**
   * Stores suggestions, all or none. One that was made before is answered as it stands. Throws `not_found` for what does not
   * exist, `conflict` for a memory that is not valid, `invalid_request`, and `unprocessable` if too many are open.
   */
  suggestOnce(
    principal: Principal,
    suggestions: readonly NewSuggestion[],
    claim: Claim | undefined,
  ): Promise<Created<{ data: AddedSuggestion[] }>>;
  /** Stores what svc itself suggests, in a transaction of its own; what can no longer be suggested is left out. */
  suggest(tenantId: string, by: By, suggestions: readonly NewSuggestion[]): Promise<number>;
  /** Leaves out additions that were suggested before, whatever became of them. */
  withoutKnown(tenantId: string, suggestions: readonly NewSuggestion[]): Promise<NewSuggestion[]>;
  list(principal: Principal, query: SuggestionsQuery): Promise<{ data: Suggestion[]; nextCursor: string | null }>;
  get(principal: Principal, id: string): Promise<Suggestion>;
  /** Counts the suggestions of a tenant that wait for a decision. */
  countOpen(tenantId: string): Promise<number>;
  /** Applies a suggestion. Throws `conflict` if it is not open, or if what it is about has changed. */
  accept(principal: Principal, id: string, acceptance: Acceptance, ifMatch?: string): Promise<Suggestion>;
  reject(principal: Principal, id: string, ifMatch?: string): Promise<Suggestion>;
  /** Opens a decided suggestion again; what accepting changed is as before. Throws `conflict` if that cannot be. */
  undo(principal: Principal, id: string, ifMatch?: string): Promise<Suggestion>;
  /** Decides each by itself: one that cannot be decided is answered with its error. */
  decide(principal: Principal, decisions: readonly SuggestionDecision[]): Promise<DecidedSuggestions>;
  /**
   * Finds the newer memories that open suggestions put in the place of some, by the ids of those. Those of assistants do not
   * count: until somebody accepts them, they could hide what holds.
   */
  possibleSuccessors(
    reader: Reader,
    tenantId: string,
    memoryIds: readonly string[],
  ): Promise<ReadonlyMap<string, string>>;
  /** Makes suggestions outdated that nobody decided for 90 days. */
  endOld(): Promise<void>;
}

const MAX_OPEN = 2000;
const DAY_MS = 24 * 3_600_000;
const OPEN_MS = 90 * DAY_MS;
const UNDO_DAYS = 30;
const PORTION = 200;
/** Memories and messages that the suggestions of a request are about. */
const MAX_ABOUT = 200;
/** The fewest and the most memories by kind. */
const MEMORIES: Readonly<Record<Suggestion['kind'], readonly [number, number]>> = {
  ...{ add: [0, 0], merge: [2, 20], supersede: [2, 20], contradiction: [2, 20], expire: [1, 1], split: [1, 1] },
};

/** A suggestion to store, and the ids of the memories and messages that it is about. */
interface Prepared {
  row: SuggestionRow;
  items: readonly string[];
}

/** What suggestions are about, by id, as one transaction sees it. */
interface About {
  memories: ReadonlyMap<string, MemoryRow>;
  messages: ReadonlyMap<string, { endUser: string; content: string }>;
  /** Contents as they are compared with evidence, made once. */
  folded: Map<string, string>;
}

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  cursors: Cursors;
  usage: Usage;
  idempotency: Idempotency;
  memories: Memories;
  reading: Pick<MessageReading, 'findMessages'>;
}

/** Stores suggestions and decides them; what accepting does to memories is in `acceptance.ts`. */
export function createSuggestions(parts: Parts): Suggestions {
  const { db, clock, ids, cursors, usage, idempotency, memories, reading } = parts;

  /** Reads what some suggestions are about, in a statement for each kind. Throws `invalid_request` for too much at once. */
  async function readAbout(connection: Connection, tenantId: string, given: readonly NewSuggestion[]): Promise<About> {
    const cited = given.flatMap(({ evidence = [] }) => evidence.map(({ id }) => id));
    const memoryIds = [...new Set(given.flatMap((one) => one.memoryIds ?? []))];
    const messageIds = [...new Set(cited.filter((id) => id.startsWith('msg_')))];
    const count = memoryIds.length + messageIds.length;
    if (count > MAX_ABOUT) {
      throw refused('/suggestions', `are about ${count} memories and messages; at most ${MAX_ABOUT} are allowed`);
    }
    const rows = await memories.findRowsWithin(connection, tenantId, memoryIds);
    return {
      memories: new Map(rows.map((row) => [row.id, row])),
      messages: new Map((await reading.findMessages(connection, tenantId, messageIds)).map((row) => [row.id, row])),
      folded: new Map(),
    };
  }

  /** Converts a new suggestion to a row and the ids of what it is about, in steps. Throws like `suggestOnce`. */
  function* rowOf(
    tenantId: string,
    by: By,
    given: NewSuggestion,
    about: About,
    path: string,
  ): Generator<void, { row: SuggestionRow; items: string[] }> {
    const { kind, content, evidence = [], reason, confidence = 0.5 } = given;
    const found = (given.memoryIds ?? []).map((id) => {
      const memory = about.memories.get(id);
      if (!memory) throw new AppError('not_found', `${path}: there is no memory ${id}.`);
      if (memory.validTo !== null) throw new AppError('conflict', `${path}: the memory ${id} is no longer valid.`);
      return memory;
    });
    const user = given.user ?? found[0]?.endUser ?? 'default';
    if (found.some((memory) => memory.endUser !== user)) throw refused(`${path}/memoryIds`, 'are of several users');
    requireShape(given, found, path);
    for (const [index, cited] of evidence.entries()) {
      requireCited(cited, user, given, about, `${path}/evidence/${index}`);
      yield;
    }
    const ordered = kind === 'supersede' ? found : found.toSorted(byTime);
    const memoryIds = ordered.map(({ id }) => id);
    const row: SuggestionRow = {
      ...{ tenantId, id: ids.next('sug'), endUser: user, kind, state: 'open' },
      textsHash: textsHashOf(user, given, ordered),
      project: given.project ?? found[0]?.project ?? null,
      memoryIds: JSON.stringify(memoryIds),
      content: content ?? null,
      validFrom: given.validFrom === undefined ? null : instantOf(given.validFrom, `${path}/validFrom`),
      evidence: JSON.stringify(evidence),
      ...{ reason, confidence, suggester: by.suggester, suggesterName: by.name, createdAt: clock.nowMs() },
      ...{ decidedAt: null, decidedBy: null, undoneAt: null, applied: null },
    };
    yield;
    return { row, items: [...new Set([...memoryIds, ...evidence.map(({ id }) => id)])] };
  }

  /** Stores rows that are new, and returns all as they stand. */
  async function store(
    connection: Connection,
    tenantId: string,
    prepared: readonly Prepared[],
  ): Promise<AddedSuggestion[]> {
    if ((await countOpen(connection, tenantId, MAX_OPEN)) + prepared.length > MAX_OPEN) {
      const message = `${MAX_OPEN} suggestions of this account are open: decide some of them first.`;
      throw new AppError('unprocessable', message);
    }
    await insertSuggestions(connection, [...new Map(prepared.map(({ row }) => [row.textsHash, row])).values()]);
    const hashes = prepared.map(({ row }) => row.textsHash);
    const stored = new Map((await findSuggested(connection, tenantId, hashes)).map((row) => [row.textsHash, row]));
    await insertItems(
      connection,
      prepared.flatMap(({ row, items }) =>
        items.map((itemId) => ({ tenantId, itemId, suggestionId: stored.get(row.textsHash)!.id })),
      ),
    );
    return prepared.map(({ row }) => {
      const now = stored.get(row.textsHash)!;
      return { ...toSuggestion(now), ...(now.id !== row.id && { duplicate: true as const }) };
    });
  }

  async function decideWithin(
    connection: Connection,
    principal: Principal,
    id: string,
    ifMatch: string | undefined,
    decision: (row: SuggestionRow, suggestion: Suggestion) => Promise<Partial<SuggestionRow>>,
  ): Promise<Suggestion> {
    const row = await findSuggestion(connection, principal.tenantId, id);
    if (!row) throw noSuggestion();
    const suggestion = toSuggestion(row);
    requireMatch(ifMatch, etagOfSuggestion(suggestion), 'suggestion');
    const changed = { ...row, ...(await decision(row, suggestion)) };
    await updateDecision(connection, changed);
    return toSuggestion(changed);
  }

  function decided(principal: Principal, state: 'accepted' | 'rejected', applied: Applied | null) {
    const decidedBy = nameOfClient(principal.client) ?? principal.credential.kind;
    return { state, decidedAt: clock.nowMs(), decidedBy, applied: applied && JSON.stringify(applied) };
  }

  const accept: Suggestions['accept'] = (principal, id, acceptance, ifMatch) => {
    const { tenantId } = principal;
    const texts = acceptance.content === undefined ? [] : [[acceptance.content]];
    return writeWithTerms(tenantId, texts, (terms) =>
      db.writes.write(tenantId, (connection) =>
        decideWithin(connection, principal, id, ifMatch, async (row, suggestion) => {
          requireOpen(suggestion);
          // Before the memories: their change makes suggestions outdated that are still open.
          await updateDecision(connection, { ...row, ...decided(principal, 'accepted', null) });
          const applying = { memories, reading, nowMs: clock.nowMs(), terms };
          return decided(
            principal,
            'accepted',
            await applySuggestion(connection, applying, principal, suggestion, acceptance),
          );
        }),
      ),
    );
  };

  const reject: Suggestions['reject'] = (principal, id, ifMatch) =>
    db.writes.write(principal.tenantId, (connection) =>
      decideWithin(connection, principal, id, ifMatch, async (_row, suggestion) => {
        requireOpen(suggestion);
        return decided(principal, 'rejected', null);
      }),
    );

  const undo: Suggestions['undo'] = (principal, id, ifMatch) => {
    const { tenantId } = principal;
    return writeWithTerms(tenantId, [], (terms) =>
      db.writes.write(tenantId, (connection) =>
        decideWithin(connection, principal, id, ifMatch, async ({ state, decidedAt, applied }) => {
          if (state !== 'accepted' && state !== 'rejected') {
            throw new AppError('conflict', 'Nothing is to be undone: the suggestion is not decided.');
          }
          const nowMs = clock.nowMs();
          if (nowMs - decidedAt! > UNDO_DAYS * DAY_MS) {
            throw new AppError('conflict', `A decision can be undone for ${UNDO_DAYS} days.`);
          }
          if (applied !== null) {
            await undoApplied(
              connection,
              { memories, reading, nowMs, terms },
              tenantId,
              JSON.parse(applied) as Applied,
            );
          }
          return { state: 'open', decidedAt: null, decidedBy: null, applied: null, undoneAt: nowMs };
        }),
      ),
    );
  };

  return {
    suggestOnce(principal, given, claim) {
      const { tenantId } = principal;
      const by = { suggester: 'assistant', name: nameOfClient(principal.client) } as const;
      return db.writes.write(tenantId, (connection) =>
        idempotency.replayOrRun(connection, claim, async () => {
          await usage.requireTenant(connection, tenantId);
          const about = await readAbout(connection, tenantId, given);
          const prepared: Prepared[] = [];
          for (const [index, one] of given.entries()) {
            prepared.push(await runInSlices(rowOf(tenantId, by, one, about, `/suggestions/${index}`), 'urgent'));
          }
          const data = await store(connection, tenantId, prepared);
          return { status: 201, body: { data }, resourceIds: prepared.flatMap(({ items }) => items) };
        }),
      );
    },
    suggest: (tenantId, by, given) =>
      db.writes.write(tenantId, async (connection) => {
        await usage.requireTenant(connection, tenantId);
        const about = await readAbout(connection, tenantId, given);
        const prepared: Prepared[] = [];
        for (const one of given) {
          // It may have changed since it was compared; then it is compared again.
          const row = await runInSlices(rowOf(tenantId, by, one, about, ''), 'urgent').catch((error: unknown) => {
            if (error instanceof AppError) return undefined;
            throw error;
          });
          if (row) prepared.push(row);
        }
        const room = MAX_OPEN - (await countOpen(connection, tenantId, MAX_OPEN));
        const stored = await store(connection, tenantId, prepared.slice(0, room));
        return stored.filter(({ duplicate }) => !duplicate).length;
      }),
    async withoutKnown(tenantId, given) {
      if (given.length === 0) return [];
      const byHash = new Map(given.map((one) => [textsHashOf(one.user ?? 'default', one, []), one]));
      for (const { textsHash, state } of await findSuggested(db.readers.of(tenantId), tenantId, [...byHash.keys()])) {
        if (state !== 'outdated') byHash.delete(textsHash);
      }
      return [...byHash.values()];
    },
    async list({ tenantId }, { limit = 50, cursor, ...query }) {
      const { project, projectOnly, ...filter } = query;
      const boundTo = ['suggestions', tenantId, query];
      const beforeId = cursor === undefined ? undefined : cursors.read(cursor, boundTo);
      const rows = await listSuggestions(
        db.readers.of(tenantId),
        { tenantId, ...filter, project: projectFilterOf({ project, projectOnly }, '') },
        { beforeId, limit: limit + 1 },
      );
      return cursors.page(rows.map(toSuggestion), limit, boundTo, ({ id }) => id);
    },
    async get({ tenantId }, id) {
      const row = await findSuggestion(db.lookups, tenantId, id);
      if (!row) throw noSuggestion();
      return toSuggestion(row);
    },
    countOpen: (tenantId) => countOpen(db.lookups, tenantId, MAX_OPEN),
    accept,
    reject,
    undo,
    async decide(principal, decisions) {
      const data: DecidedSuggestions['data'] = [];
      for (const { id, decision, ...acceptance } of decisions) {
        const work = {
          accept: () => accept(principal, id, acceptance),
          reject: () => reject(principal, id),
          undo: () => undo(principal, id),
        };
        try {
          data.push({ id, suggestion: await work[decision](), error: null });
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
          data.push({ id, suggestion: null, error: { code: error.code, message: error.message } });
        }
      }
      return { data };
    },
    async possibleSuccessors(reader, tenantId, memoryIds) {
      if (memoryIds.length === 0) return new Map();
      const rows = await listPossibleSuccessors(reader, tenantId, memoryIds);
      return new Map(
        rows.flatMap(({ memoryIds: ids }) => {
          const about = JSON.parse(ids) as string[];
          return about.slice(0, -1).map((older) => [older, about.at(-1)!] as const);
        }),
      );
    },
    async endOld() {
      const beforeMs = clock.nowMs() - OPEN_MS;
      while ((await db.writes.write('daemon', (connection) => outdateOld(connection, beforeMs, PORTION))) === PORTION);
    },
    async erase(owner: Owner) {
      const { tenantId, endUser } = owner;
      while ((await db.writes.write(tenantId, (connection) => deleteSomeOf(connection, owner, PORTION))) === PORTION);
      if (endUser === undefined) await db.writes.write(tenantId, (connection) => deleteItemsOf(connection, tenantId));
    },
  };
}

/** The entity tag of a suggestion. */
export function etagOfSuggestion(suggestion: Suggestion): string {
  return contentTagOf(suggestion);
}

function toSuggestion(row: SuggestionRow): Suggestion {
  return {
    id: row.id,
    kind: row.kind,
    user: row.endUser,
    project: row.project,
    memoryIds: JSON.parse(row.memoryIds) as string[],
    content: row.content,
    validFrom: toTimestampOrNull(row.validFrom),
    evidence: JSON.parse(row.evidence) as Evidence[],
    reason: row.reason,
    confidence: row.confidence,
    by: row.suggester,
    byName: row.suggesterName,
    state: row.state,
    createdAt: toTimestamp(row.createdAt),
    decidedAt: toTimestampOrNull(row.decidedAt),
    decidedBy: row.decidedBy,
    undoneAt: toTimestampOrNull(row.undoneAt),
  };
}

function requireOpen({ state }: Suggestion): void {
  if (state === 'open') return;
  const why = state === 'outdated' ? 'is outdated: what it is about has changed' : `was ${state} already`;
  throw new AppError('conflict', `The suggestion ${why}.`);
}

/** Throws `invalid_request` if a suggestion has not what its kind needs. */
function requireShape({ kind, content }: NewSuggestion, found: readonly MemoryRow[], path: string): void {
  const [least, most] = MEMORIES[kind];
  if (found.length < least || found.length > most) {
    const wanted = least === most ? `${least}` : `${least} to ${most}`;
    throw refused(`${path}/memoryIds`, `must name ${wanted} memories for ${kind}`);
  }
  if (kind === 'add' && content === undefined) throw refused(`${path}/content`, 'is missing');
  if (kind === 'split' && linesOf(content ?? '').length < 2)
    throw refused(`${path}/content`, 'must have several lines');
}

/** Throws `invalid_request` if evidence is not about a memory of the suggestion or a message of the user, or not its words. */
function requireCited({ id, text }: Evidence, user: string, given: NewSuggestion, about: About, path: string): void {
  const memory = given.memoryIds?.includes(id) ? about.memories.get(id) : undefined;
  const message = about.messages.get(id);
  const content = memory?.content ?? (message?.endUser === user ? message.content : undefined);
  if (content === undefined) throw refused(`${path}/id`, 'names neither a memory of the suggestion nor a message');
  const folded = about.folded.get(id) ?? foldedContent(content);
  about.folded.set(id, folded);
  if (!folded.includes(foldedContent(text))) throw refused(`${path}/text`, 'does not stand in it');
}

/** Identifies a suggestion by the texts that it is about, so that it is made once, whoever makes it. */
function textsHashOf(user: string, { kind, content }: NewSuggestion, about: readonly MemoryRow[]): string {
  const texts = about.map(({ contentHash }) => contentHash).sort();
  const said = [user, kind, ...texts, ...(kind === 'add' || kind === 'split' ? [foldedContent(content!)] : [])];
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url');
}

function byTime(one: MemoryRow, other: MemoryRow): number {
  return (one.occurredAt ?? one.createdAt) - (other.occurredAt ?? other.createdAt) || (one.id < other.id ? -1 : 1);
}

function instantOf(text: string, path: string): number {
  const epochMs = parseTimestamp(text);
  if (epochMs === undefined) throw refused(path, 'is not an RFC 3339 timestamp');
  return epochMs;
}

function refused(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path}: ${message}.`, { errors: [{ path, message }] });
}

/** The error for a suggestion that does not exist. */
function noSuggestion(): AppError {
  return new AppError('not_found', 'There is no suggestion with this id.');
}
