import type { Episode, EpisodeChange, EpisodesQuery, NewEpisode, WrittenEpisode } from '../../contract/episodes.ts';
import { AppError } from '../../contract/errors.ts';
import { projectFilterOf } from '../../contract/project.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import { parseInstant } from '../../db/row-codec.ts';
import type { Clock } from '../../lib/clock.ts';
import { versionTagOf } from '../../lib/entity-tag.ts';
import type { Ids } from '../../lib/ids.ts';
import type { MessageObserver, MessageReading } from '../conversations/conversations.ts';
import type { Claim, Created, Idempotency } from '../idempotency/idempotency.ts';
import { requireMatch } from '../idempotency/precondition.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import type { Cursors } from '../text/page-cursor.ts';
import { type PreparedTerms, partlyIndexed, writeWithTerms } from '../text/prepared-terms.ts';
import type { Scopes } from '../text/scopes.ts';
import type { TextEntry, TextIndex } from '../text/text-indices.ts';
import { createTextPurge } from '../text/text-purge.ts';
import { createEpisodeCutting, quotedCutsOf } from './episode-cutting.ts';
import { createEpisodeTransfer, type EpisodeTransfer } from './episode-import-export.ts';
import {
  EDITED,
  type EpisodeRow,
  episodeCodec,
  type NewEpisodeRow,
  textEntryOf,
  textsOf,
  toEpisode,
} from './episode-row.ts';
import { createEpisodeWriting } from './episode-writing.ts';
import {
  countEpisodes,
  deleteSomeEpisodesOf,
  findEpisode,
  findEpisodeRows,
  listCuts,
  listEpisodes,
} from './episodes-store.ts';

export { type EpisodeRow, toEpisode } from './episode-row.ts';

/** Spans of time that an assistant recalls as a unit: written by callers, or cut from a conversation. */
export interface Episodes extends MessageObserver {
  createOnce(principal: Principal, body: NewEpisode, claim: Claim | undefined): Promise<Created<WrittenEpisode>>;
  get(principal: Principal, id: string): Promise<Episode>;
  list(
    principal: Principal,
    query: EpisodesQuery,
  ): Promise<{ data: Episode[]; nextCursor: string | null; total?: number }>;
  change(principal: Principal, id: string, change: EpisodeChange, ifMatch?: string): Promise<WrittenEpisode>;
  remove(principal: Principal, id: string, ifMatch?: string): Promise<void>;
  /**
   * Cuts a conversation at pauses and changes of topic and returns its first 500 cuts, in order. Only the last cut may
   * change; erased cuts stay erased unless all were. Messages appended later are cut too. Throws `not_found`.
   */
  cutOnce(
    principal: Principal,
    conversationId: string,
    claim: Claim | undefined,
  ): Promise<Created<{ data: Episode[] }>>;
  transfer: EpisodeTransfer;
  /** Cuts the messages appended since the last cut, of tenants in turn. */
  follow(): Promise<void>;
  /** Purges the words of erased episodes from the disk. */
  sweep(): Promise<void>;
  /** Erases all episodes of an owner in small transactions, so that other writes can interleave. */
  erase(owner: Owner): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  usage: Usage;
  idempotency: Idempotency;
  scopes: Scopes;
  cursors: Cursors;
  text: TextIndex;
  reading: MessageReading;
}

const ERASE_ROWS = 200;
const ANSWERED_CUTS = 500;
const FOLLOWED_AT_ONCE = 20;

/** Finds what the full-text index stores of episodes, by their row numbers. */
export async function findEpisodeEntries(
  reader: Reader,
  tenantId: string,
  numbers: readonly number[],
): Promise<TextEntry[]> {
  return (await findEpisodeRows(reader, tenantId, numbers)).map((row) => textEntryOf(row, row.number));
}

/** Composes writing, cutting, erasing and transferring episodes. */
export function createEpisodes(parts: Parts): Episodes {
  const { db, clock, ids, usage, idempotency, scopes, cursors, text, reading } = parts;
  const purge = createTextPurge(parts);
  const writing = createEpisodeWriting({ idempotency, text, purge });
  const { cut, changed, removed, moved, erased } = createEpisodeCutting({ ...parts, writing, purge });
  /** The last tenant whose messages were cut: others come next. */
  let lastTenant = '';

  async function insertNew(
    connection: Connection,
    tenantId: string,
    body: NewEpisode,
    terms: PreparedTerms,
  ): Promise<NewEpisodeRow> {
    await usage.requireTenant(connection, tenantId);
    const span = await reading.spanOf(connection, tenantId, body);
    const owner = { tenantId, endUser: body.user ?? span?.endUser ?? 'default' };
    const scopeOf = await scopes.ensure(connection, [owner]);
    const ordinals = { fromOrdinal: span?.fromOrdinal ?? null, toOrdinal: span?.toOrdinal ?? null };
    const project = body.project ?? span?.project ?? null;
    const assigned = { ...owner, ...ordinals, project, scope: scopeOf(owner), id: ids.next('ep') };
    const row = newRow(body, assigned, clock.nowMs());
    requireOrder(row);
    await writing.insert(connection, [row], terms);
    return row;
  }

  return {
    async createOnce({ tenantId }, body, claim) {
      const created = await writeWithTerms(tenantId, [textsOf(episodeCodec.fromNew(body, ''))], (terms) =>
        db.writes.write(tenantId, (connection) =>
          idempotency.replayOrRun(connection, claim, async () => {
            const insert = () => insertNew(connection, tenantId, body, terms);
            const row = await usage.storage.within(connection, tenantId, insert);
            return { status: 201, body: written(row, terms), resourceIds: [row.id] };
          }),
        ),
      );
      scopes.confirm([{ tenantId, endUser: created.body.user }]);
      return created;
    },
    get: async ({ tenantId }, id) => toEpisode(await load(db.lookups, tenantId, id)),
    async list({ tenantId }, { limit = 50, cursor, order = 'desc', total = false, ...query }) {
      const { after, before, project, projectOnly, conversationId, user } = query;
      const boundTo = ['episodes', tenantId, order, Object.entries(query).sort()];
      const filter = {
        tenantId,
        user,
        project: projectFilterOf({ project, projectOnly }, ''),
        conversationId,
        afterMs: parseInstant(after, 'after'),
        beforeMs: parseInstant(before, 'before'),
      };
      const afterId = cursor === undefined ? undefined : cursors.read(cursor, boundTo);
      const reader = db.readers.of(tenantId);
      const [rows, count] = await Promise.all([
        listEpisodes(reader, filter, { order, afterId, limit: limit + 1 }),
        total ? countEpisodes(reader, filter) : undefined,
      ]);
      const page = cursors.page(rows.map(toEpisode), limit, boundTo, ({ id }) => id);
      return { ...page, ...(count !== undefined && { total: count }) };
    },
    change: ({ tenantId }, id, change, ifMatch) =>
      writeWithTerms(tenantId, [], (terms) =>
        db.writes.write(tenantId, async (connection) => {
          const row = await load(connection, tenantId, id);
          requireMatch(ifMatch, versionTagOf(toEpisode(row)), 'episode');
          const next = changedRow(row, change, clock.nowMs());
          requireOrder(next);
          if (next !== row) {
            await usage.storage.within(connection, tenantId, () => writing.update(connection, next, terms));
          }
          return written(next, terms);
        }),
      ),
    async remove({ tenantId }, id, ifMatch) {
      await db.writes.write(tenantId, async (connection) => {
        const row = await load(connection, tenantId, id);
        requireMatch(ifMatch, versionTagOf(toEpisode(row)), 'episode');
        await writing.erase(connection, row);
      });
    },
    async cutOnce({ tenantId }, conversationId, claim) {
      const before = await idempotency.findReplay(db.lookups, claim);
      if (before) return before;
      await cut(tenantId, conversationId, 'restart');
      return db.writes.write(tenantId, (connection) =>
        idempotency.replayOrRun(connection, claim, async () => {
          const data = (await listCuts(connection, tenantId, conversationId, ANSWERED_CUTS)).map(toEpisode);
          const resourceIds = [conversationId, quotedCutsOf(conversationId), ...data.map(({ id }) => id)];
          return { status: 201, body: { data }, resourceIds };
        }),
      );
    },
    async follow() {
      const uncut = await reading.listUncut(FOLLOWED_AT_ONCE, lastTenant);
      lastTenant = uncut.at(-1)?.tenantId ?? '';
      for (const { tenantId, id } of uncut) {
        await cut(tenantId, id).catch((error) => {
          const wasErased = error instanceof AppError && error.code === 'not_found';
          if (!wasErased) throw error;
        });
      }
    },
    changed,
    removed,
    moved,
    erased,
    transfer: createEpisodeTransfer({ reading, writing, scopes }),
    sweep: purge.sweep,
    async erase(owner) {
      let count: number;
      do {
        count = await db.writes.write(owner.tenantId, async (connection) => {
          const rows = await deleteSomeEpisodesOf(connection, owner, ERASE_ROWS);
          await text.remove(connection, rows);
          await idempotency.redact(
            connection,
            owner.tenantId,
            rows.map(({ id }) => id),
          );
          return rows.length;
        });
      } while (count === ERASE_ROWS);
      purge.dueNow();
    },
  };
}

async function load(reader: Reader, tenantId: string, id: string): Promise<EpisodeRow> {
  const row = await findEpisode(reader, tenantId, id);
  if (!row) throw new AppError('not_found', 'There is no episode with this id.');
  return row;
}

function written(row: NewEpisodeRow, terms: PreparedTerms): WrittenEpisode {
  return { ...toEpisode(row), ...partlyIndexed(terms, textsOf(row)) };
}

type Assigned = 'tenantId' | 'endUser' | 'project' | 'scope' | 'id' | 'fromOrdinal' | 'toOrdinal';

/** The row of an episode that a client creates. Throws `invalid_request` for a value that cannot be stored. */
function newRow(body: NewEpisode, assigned: Pick<NewEpisodeRow, Assigned>, nowMs: number): NewEpisodeRow {
  return {
    ...episodeCodec.fromNew(body, ''),
    ...assigned,
    cut: 0,
    edited: 0,
    version: 1,
    createdAt: nowMs,
    updatedAt: nowMs,
  };
}

/** Returns the same row if the change has no effect. Throws `conflict` for the times of a cut. */
function changedRow(row: EpisodeRow, change: EpisodeChange, nowMs: number): EpisodeRow {
  if (row.cut === 1 && (change.startedAt !== undefined || change.endedAt !== undefined)) {
    throw new AppError('conflict', 'This episode was cut from a conversation, so its times follow from its messages.');
  }
  const changed = episodeCodec.changed(row, change);
  if (changed === undefined) return row;
  const { title, summary, version } = row;
  const edits = (changed.title === title ? 0 : EDITED.title) | (changed.summary === summary ? 0 : EDITED.summary);
  return { ...changed, edited: row.edited | edits, version: version + 1, updatedAt: nowMs };
}

/** Throws `invalid_request` if an episode ends before it starts. */
function requireOrder({ startedAt, endedAt }: Pick<EpisodeRow, 'startedAt' | 'endedAt'>): void {
  if (endedAt >= startedAt) return;
  const errors = [{ path: '/endedAt', message: 'must not be before startedAt' }];
  throw new AppError('invalid_request', 'The episode ends before it starts.', { errors });
}
