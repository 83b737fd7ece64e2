import { createHash } from 'node:crypto';
import { AppError } from '../../contract/errors.ts';
import { lastSaid } from '../../contract/memories.ts';
import type { Suggester } from '../../contract/suggestion-names.ts';
import type { AddedSuggestion, Evidence, NewSuggestion, Suggestion } from '../../contract/suggestions.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, parseTimestamp } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import { nameOfClient } from '../activity/client-name.ts';
import type { MessageReading } from '../conversations/conversations.ts';
import type { Claim, Created, Idempotency } from '../idempotency/idempotency.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import { foldedContent, type Memories, type MemoryRow } from '../memories/memories.ts';
import type { Scopes, UserKey } from '../text/scopes.ts';
import { linesOf, MAX_SPLIT_LINES } from './acceptance.ts';
import { toSuggestion } from './suggestion-answers.ts';
import type { SuggestionSettings } from './suggestion-settings.ts';
import { countOpen, findSuggested, insertItems, insertSuggestions, type SuggestionRow } from './suggestions-store.ts';
import { requireSupported } from './support-check.ts';

/** Who suggests, and with what: a model, an assistant. */
interface By {
  suggester: Suggester;
  name: string | null;
}

/** How many of some suggestions were stored, were known before, or could not be stored. */
interface Suggested {
  suggested: number;
  known: number;
  refused: number;
}

/** Makes suggestions, which change nothing by themselves. */
export interface Suggesting {
  /**
   * Stores suggestions, all or none. One that was made before is answered as it stands. Throws `not_found` for what does not
   * exist, `conflict` for a memory that is not valid, `invalid_request` also for a text that what it cites does not support, and
   * `unprocessable` if too many are open or the kind is switched off.
   */
  suggestOnce(
    principal: Principal,
    suggestions: readonly NewSuggestion[],
    claim: Claim | undefined,
  ): Promise<Created<{ data: AddedSuggestion[] }>>;
  /** Stores what svc itself suggests, in its own transaction; what can no longer be suggested is left out. */
  suggest(tenantId: string, by: By, suggestions: readonly NewSuggestion[]): Promise<number>;
  /** Like `suggest`, in the caller's transaction. */
  suggestWithin(
    connection: Connection,
    tenantId: string,
    by: By,
    suggestions: readonly NewSuggestion[],
  ): Promise<Suggested>;
  /** Leaves out additions that were suggested before, whatever became of them. */
  withoutKnown(tenantId: string, suggestions: readonly NewSuggestion[]): Promise<NewSuggestion[]>;
}

/** Open suggestions of an account. */
export const MAX_OPEN = 2000;
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
  messages: ReadonlyMap<string, { endUser: string; content: string; conversationId: string }>;
  /** Contents in the form that is compared with evidence, made once. */
  folded: Map<string, string>;
}

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  scopes: Pick<Scopes, 'ensure' | 'confirm'>;
  usage: Usage;
  idempotency: Idempotency;
  memories: Pick<Memories, 'findRowsWithin'>;
  reading: Pick<MessageReading, 'findMessages'>;
  settings: Pick<SuggestionSettings, 'switchedOff'>;
}

/** Checks suggestions against what they are about, and stores those that are new. */
export function createSuggesting({
  db,
  clock,
  ids,
  scopes,
  usage,
  idempotency,
  memories,
  reading,
  settings,
}: Parts): Suggesting {
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

  /** Throws `invalid_request` for a text that its sources do not support. Before the transaction, which others wait for. */
  async function requireAllSupported(tenantId: string, given: readonly NewSuggestion[]): Promise<void> {
    const memoryIds = [...new Set(given.flatMap((one) => one.memoryIds ?? []))];
    const rows = await memories.findRowsWithin(db.readers.of(tenantId), tenantId, memoryIds);
    const contents = new Map(rows.map(({ id, content }) => [id, content]));
    for (const [index, one] of given.entries()) {
      const sources = (one.memoryIds ?? []).flatMap((id) => contents.get(id) ?? []);
      await requireSupported(tenantId, one, sources, `/suggestions/${index}`);
    }
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
    requireShape(given, found.length, path);
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

  const suggestWithin: Suggesting['suggestWithin'] = async (connection, tenantId, by, given) => {
    await usage.requireTenant(connection, tenantId);
    const off = await settings.switchedOff(connection, tenantId);
    const wanted = given.filter(({ kind }) => !off.has(kind));
    const about = await readAbout(connection, tenantId, wanted);
    const prepared: Prepared[] = [];
    for (const one of wanted) {
      // It may have changed since it was compared; then it is compared again.
      const row = await runInSlices(rowOf(tenantId, by, one, about, ''), 'urgent').catch((error: unknown) => {
        if (error instanceof AppError) return undefined;
        throw error;
      });
      if (row) prepared.push(row);
    }
    const room = MAX_OPEN - (await countOpen(connection, tenantId, MAX_OPEN));
    const stored = await store(connection, tenantId, prepared.slice(0, room));
    const known = stored.filter(({ duplicate }) => duplicate).length;
    return { suggested: stored.length - known, known, refused: given.length - stored.length };
  };

  return {
    async suggestOnce(principal, given, claim) {
      const { tenantId } = principal;
      const by = { suggester: 'assistant', name: nameOfClient(principal.client) } as const;
      const before = await idempotency.findReplay(db.lookups, claim);
      if (before) return before;
      await requireAllSupported(tenantId, given);
      let users: UserKey[] = [];
      const created = await db.writes.write(tenantId, (connection) =>
        idempotency.replayOrRun(connection, claim, async () => {
          await usage.requireTenant(connection, tenantId);
          const off = await settings.switchedOff(connection, tenantId);
          const refusedKind = given.find(({ kind }) => off.has(kind))?.kind;
          if (refusedKind) {
            throw new AppError('unprocessable', `The account has switched off suggestions of the kind ${refusedKind}.`);
          }
          const about = await readAbout(connection, tenantId, given);
          const prepared: Prepared[] = [];
          for (const [index, one] of given.entries()) {
            prepared.push(await runInSlices(rowOf(tenantId, by, one, about, `/suggestions/${index}`), 'urgent'));
          }
          users = prepared.map(({ row }) => row);
          await scopes.ensure(connection, users);
          const data = await store(connection, tenantId, prepared);
          const conversations = [...about.messages.values()].map(({ conversationId }) => conversationId);
          const resourceIds = [
            ...data.map(({ id }) => id),
            ...prepared.flatMap(({ items }) => items),
            ...conversations,
          ];
          return { status: 201, body: { data }, resourceIds };
        }),
      );
      scopes.confirm(users);
      return created;
    },
    suggest: async (tenantId, by, given) =>
      (await db.writes.write(tenantId, (connection) => suggestWithin(connection, tenantId, by, given))).suggested,
    suggestWithin,
    async withoutKnown(tenantId, given) {
      if (given.length === 0) return [];
      const byHash = new Map(given.map((one) => [textsHashOf(one.user ?? 'default', one, []), one]));
      for (const { textsHash, state } of await findSuggested(db.readers.of(tenantId), tenantId, [...byHash.keys()])) {
        if (state !== 'outdated') byHash.delete(textsHash);
      }
      return [...byHash.values()];
    },
  };
}

/** Throws `invalid_request` if a suggestion does not have the memories and the content that its kind needs. */
export function requireShape(
  { kind, content }: Pick<NewSuggestion, 'kind' | 'content'>,
  memories: number,
  path: string,
): void {
  const [least, most] = MEMORIES[kind];
  if (memories < least || memories > most) {
    const wanted = least === most ? `${least}` : `${least} to ${most}`;
    throw refused(`${path}/memoryIds`, `must name ${wanted} memories for ${kind}`);
  }
  if (kind === 'add' && content === undefined) throw refused(`${path}/content`, 'is missing');
  if (kind === 'split' && linesOf(content ?? '').length < 2)
    throw refused(`${path}/content`, 'must have several lines');
  if (kind === 'split' && linesOf(content!).length > MAX_SPLIT_LINES)
    throw refused(`${path}/content`, `must have at most ${MAX_SPLIT_LINES} lines`);
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
export function textsHashOf(
  user: string,
  { kind, content }: Pick<NewSuggestion, 'kind' | 'content'>,
  about: readonly Pick<MemoryRow, 'contentHash'>[],
): string {
  const texts = about.map(({ contentHash }) => contentHash).sort();
  const said = [user, kind, ...texts, ...(kind === 'add' || kind === 'split' ? [foldedContent(content ?? '')] : [])];
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url');
}

function byTime(one: MemoryRow, other: MemoryRow): number {
  return lastSaid(one) - lastSaid(other) || (one.id < other.id ? -1 : 1);
}

function instantOf(text: string, path: string): number {
  const epochMs = parseTimestamp(text);
  if (epochMs === undefined) throw refused(path, 'is not an RFC 3339 timestamp');
  return epochMs;
}

function refused(path: string, message: string): AppError {
  return new AppError('invalid_request', `${path}: ${message}.`, { errors: [{ path, message }] });
}
