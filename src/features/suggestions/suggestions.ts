import type { Tier } from '../../contract/limits.ts';
import { projectFilterOf } from '../../contract/project.ts';
import type { Suggestion, SuggestionsQuery } from '../../contract/suggestions.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { MessageReading } from '../conversations/conversations.ts';
import type { Erasable } from '../erasure/erasure.ts';
import type { Idempotency } from '../idempotency/idempotency.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import type { Memories } from '../memories/memories.ts';
import type { Successors } from '../search/result-page.ts';
import type { Cursors } from '../text/page-cursor.ts';
import type { Scopes } from '../text/scopes.ts';
import { createDeciding, type Deciding } from './deciding.ts';
import { createSuggesting, MAX_OPEN, type Suggesting } from './suggesting.ts';
import { etagOfSuggestion, noSuggestion, toSuggestion } from './suggestion-answers.ts';
import type { SuggestionSettings } from './suggestion-settings.ts';
import { createSuggestionTransfer, type SuggestionTransfer } from './suggestion-transfer.ts';
import {
  countOpen,
  deleteItemsOf,
  deleteSomeOf,
  findSuggestion,
  listOpenAbout,
  listPossibleSuccessors,
  listSuggestions,
  outdateOld,
  updateBlanked,
} from './suggestions-store.ts';

export type { SuggestionRow } from './suggestions-store.ts';
export { etagOfSuggestion };

const NO_SUCCESSORS: Successors = { newerOf: new Map(), isRejected: () => false };

/** Suggested changes of memories. They change nothing until somebody accepts them; another tenant's are `not_found`. */
export interface Suggestions extends Suggesting, Deciding, Erasable {
  list(principal: Principal, query: SuggestionsQuery): Promise<{ data: Suggestion[]; nextCursor: string | null }>;
  get(principal: Principal, id: string): Promise<Suggestion>;
  /** Counts the suggestions of a tenant that wait for a decision. */
  countOpen(tenantId: string): Promise<number>;
  /**
   * Finds what suggestions put in the place of some memories. Open ones of assistants do not count: until somebody accepts
   * them, they could hide what holds.
   */
  possibleSuccessors(reader: Reader, tenantId: string, memoryIds: readonly string[]): Promise<Successors>;
  /** Lists open suggestions about any of some memories, newest first. */
  openAbout(reader: Reader, tenantId: string, memoryIds: readonly string[], limit: number): Promise<Suggestion[]>;
  /**
   * Erases the texts of suggestions about an earlier version of a memory, in the caller's transaction. Open ones are about what
   * it says now.
   */
  redactEarlier(connection: Connection, tenantId: string, memoryId: string): Promise<void>;
  transfer: SuggestionTransfer;
  /** Makes suggestions outdated that nobody decided for 90 days. */
  endOld(): Promise<void>;
}

const OPEN_MS = 90 * 24 * 3_600_000;
const PORTION = 200;

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  cursors: Cursors;
  scopes: Scopes;
  usage: Usage;
  idempotency: Idempotency;
  memories: Memories;
  reading: Pick<MessageReading, 'findMessages'>;
  tierOf(reader: Reader, tenantId: string): Promise<Tier | undefined>;
  settings: Pick<SuggestionSettings, 'switchedOff'>;
}

/** Composes making, listing, deciding and erasing suggestions. */
export function createSuggestions(parts: Parts): Suggestions {
  const { db, clock, cursors, idempotency } = parts;
  return {
    ...createSuggesting(parts),
    ...createDeciding(parts),
    transfer: createSuggestionTransfer(parts),
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
    async possibleSuccessors(reader, tenantId, memoryIds) {
      if (memoryIds.length === 0) return NO_SUCCESSORS;
      const rows = await listPossibleSuccessors(reader, tenantId, memoryIds);
      const pairs = rows.flatMap(({ memoryIds: ids, state }) => {
        const about = JSON.parse(ids) as string[];
        return about.slice(0, -1).map((older) => ({ older, newer: about.at(-1)!, state }));
      });
      const rejected = new Set(
        pairs.flatMap(({ older, newer, state }) => (state === 'rejected' ? [`${older} ${newer}`] : [])),
      );
      return {
        newerOf: new Map(pairs.flatMap(({ older, newer, state }) => (state === 'open' ? [[older, newer]] : []))),
        isRejected: (olderId, newerId) => rejected.has(`${olderId} ${newerId}`),
      };
    },
    async openAbout(reader, tenantId, memoryIds, limit) {
      if (memoryIds.length === 0) return [];
      return (await listOpenAbout(reader, tenantId, memoryIds, limit)).map(toSuggestion);
    },
    async redactEarlier(connection, tenantId, memoryId) {
      await idempotency.redact(connection, tenantId, await updateBlanked(connection, tenantId, memoryId));
    },
    async endOld() {
      const beforeMs = clock.nowMs() - OPEN_MS;
      while ((await db.writes.write('daemon', (connection) => outdateOld(connection, beforeMs, PORTION))) === PORTION);
    },
    async erase(owner: Owner) {
      const { tenantId, endUser } = owner;
      const eraseSome = async (connection: Connection) => {
        const ids = await deleteSomeOf(connection, owner, PORTION);
        await idempotency.redact(connection, tenantId, ids);
        return ids.length;
      };
      while ((await db.writes.write(tenantId, eraseSome)) === PORTION);
      if (endUser === undefined) await db.writes.write(tenantId, (connection) => deleteItemsOf(connection, tenantId));
    },
  };
}
