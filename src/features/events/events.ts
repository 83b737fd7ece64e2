import type { EventData } from '../../contract/events.ts';
import type { Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import { type Clock, toTimestamp } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Erasable } from '../erasure/erasure.ts';
import type { Principal } from '../keys/keys.ts';
import { createEventStreams, type EventStream } from './event-streams.ts';
import {
  type ChangeRow,
  deleteSomeChanges,
  deleteSomeChangesOf,
  findChangeAt,
  findLastChanges,
  findLatestChange,
  listChanges,
  listTenantsToTrim,
} from './events-store.ts';

/** A stream of the text of server-sent events. */
interface EventText {
  chunks: AsyncGenerator<string>;
  /** Fires when the stream has to end, which it cannot while its client reads nothing. */
  ended: AbortSignal;
  /** Ends the stream and frees its slot. Idempotent. */
  close(): void;
}

/** A place between two changes of a tenant. */
type Position = Pick<ChangeRow, 'number' | 'at'>;

/** Changes that were read, and the position after them. */
interface ChangesRead {
  changes: ChangeRow[];
  position: Position;
  isMissed: boolean;
}

/** Streams of what changes in accounts. */
export interface Events extends Erasable {
  /**
   * Opens a stream of all changes from now on, or after `lastEventId` where the log still has what followed, and beginning
   * with the event `reset` otherwise. It ends with the caller's credential. Throws `rate_limited` and `unavailable`.
   */
  open(principal: Principal, lastEventId: string | undefined): EventText;
  /** Returns the position after a tenant's latest change. */
  latest(reader: Reader, tenantId: string): Promise<Position>;
  /** Lists the changes after a position; if some are no longer in the log, none, with `isMissed` and the latest position. */
  readAfter(reader: Reader, tenantId: string, position: Position, limit: number): Promise<ChangesRead>;
  /** Deletes changes of more than an hour ago, and what exceeds 10,000 per account. */
  trim(): Promise<void>;
  /** Ends all streams. */
  stop(): void;
  openStreams(): number;
}

const STORED_MS = 3_600_000;
/** Per tenant. */
const MAX_STORED = 10_000;
const HEARTBEAT_MS = 15_000;
/** A client that reads nothing for so long is cut off; it can resume. */
const STALLED_MS = 60_000;
/** Changes read, or deleted, at a time. */
const PORTION = 500;
/** How long browsers wait before they connect again. */
const RETRY_MS = 2000;

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  refresh(principal: Principal): Promise<unknown>;
}

const BEGINNING: Position = { number: 0, at: 0 };

/** Creates the streams over the log of changes, which triggers write. */
export function createEvents({ db, clock, log, refresh }: Parts): Events {
  const findLast = (tenantIds: readonly string[]) => findLastChanges(db.readers, tenantIds);
  const streams = createEventStreams({ clock, log, findLast, refresh });
  db.writes.onCommit(streams.written);

  /** Returns the position that an id names, or `undefined` if changes after it may be missing. */
  async function positionOf(tenantId: string, lastEventId: string): Promise<Position | undefined> {
    const [, number, at] = /^(\d{1,15})-(\d{1,15})$/.exec(lastEventId) ?? [];
    if (number === undefined) return undefined;
    const position = { number: Number(number), at: Number(at) };
    return (await isComplete(db.readers.of(tenantId), tenantId, position)) ? position : undefined;
  }

  /** Whether the log has all changes after a position. */
  async function isComplete(reader: Reader, tenantId: string, { number, at }: Position): Promise<boolean> {
    if (number > 0) return (await findChangeAt(reader, tenantId, number)) === at;
    const [first] = await listChanges(reader, tenantId, { after: 0, limit: 1 });
    return first === undefined || first.number === 1;
  }

  const latest = async (reader: Reader, tenantId: string) => (await findLatestChange(reader, tenantId)) ?? BEGINNING;

  async function* read(stream: EventStream, lastEventId: string | undefined): AsyncGenerator<string> {
    const { tenantId } = stream.principal;
    const reader = db.readers.of(tenantId);
    const resumed = lastEventId === undefined ? undefined : await positionOf(tenantId, lastEventId);
    let position = resumed ?? (await latest(reader, tenantId));
    yield `retry: ${RETRY_MS}\nid: ${idOf(position)}\n\n`;
    if (lastEventId !== undefined && resumed === undefined) yield resetText(position, clock.nowMs());
    let sentMs = clock.monotonicMs();
    for (;;) {
      const limit = Math.min(stream.last() - position.number, PORTION);
      const rows = limit > 0 ? await listChanges(reader, tenantId, { after: position.number, limit }) : [];
      if (rows.length > 0) {
        const isTrimmed = rows[0]!.number !== position.number + 1;
        position = isTrimmed ? await latest(reader, tenantId) : rows.at(-1)!;
        yield isTrimmed ? resetText(position, clock.nowMs()) : rows.map(textOf).join('');
        sentMs = clock.monotonicMs();
        continue;
      }
      if (clock.monotonicMs() - sentMs >= HEARTBEAT_MS) {
        yield ':\n\n';
        sentMs = clock.monotonicMs();
      }
      await stream.nextLook();
    }
  }

  /** Ends quietly with the stream, or if the client takes a chunk no more. */
  async function* readUntilEnd(stream: EventStream, lastEventId: string | undefined): AsyncGenerator<string> {
    try {
      for await (const chunk of read(stream, lastEventId)) {
        const timer = setTimeout(stream.close, STALLED_MS);
        try {
          yield chunk;
        } finally {
          clearTimeout(timer);
        }
        if (stream.ended.aborted) return;
      }
    } catch (error) {
      if (!stream.ended.aborted) throw error;
    } finally {
      stream.close();
    }
  }

  return {
    open(principal, lastEventId) {
      const stream = streams.open(principal);
      return { chunks: readUntilEnd(stream, lastEventId), ended: stream.ended, close: stream.close };
    },
    latest,
    async readAfter(reader, tenantId, position, limit) {
      if (!(await isComplete(reader, tenantId, position))) {
        return { changes: [], position: await latest(reader, tenantId), isMissed: true };
      }
      const changes = await listChanges(reader, tenantId, { after: position.number, limit });
      return { changes, position: changes.at(-1) ?? position, isMissed: false };
    },
    async trim() {
      const beforeMs = clock.nowMs() - STORED_MS;
      for (const { tenantId, last } of await listTenantsToTrim(db.readers, { beforeMs, maxStored: MAX_STORED })) {
        const some = { tenantId, last, beforeMs, through: last - MAX_STORED, limit: PORTION };
        while ((await db.writes.write(tenantId, (connection) => deleteSomeChanges(connection, some))) === PORTION);
      }
    },
    stop: streams.stop,
    openStreams: streams.count,
    async erase({ tenantId, endUser }) {
      if (endUser !== undefined) return;
      streams.end(tenantId);
      const deleteSome = () =>
        db.writes.write(tenantId, (connection) => deleteSomeChangesOf(connection, tenantId, PORTION));
      while ((await deleteSome()) === PORTION);
    },
  };
}

function idOf({ number, at }: Position): string {
  return `${number}-${at}`;
}

function textOf({ number, at, kind, itemId, endUser, author }: ChangeRow): string {
  const data: EventData = { id: itemId, user: endUser, author, at: toTimestamp(at) };
  return `id: ${idOf({ number, at })}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Says that changes up to this position may have been missed. */
function resetText(position: Position, nowMs: number): string {
  const data: EventData = { id: null, user: null, author: null, at: toTimestamp(nowMs) };
  return `id: ${idOf(position)}\nevent: reset\ndata: ${JSON.stringify(data)}\n\n`;
}
