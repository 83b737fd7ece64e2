import { AppError } from '../../contract/errors.ts';
import type { ImportReport } from '../../contract/portability.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { Episodes } from '../episodes/episodes.ts';
import type { Keys, Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import type { Memories } from '../memories/memories.ts';
import type { Scopes } from '../memories/scopes.ts';
import { type Fate, faultOf } from './fate.ts';
import { createGathering, type Gathering, type ImportBatch, type Placed } from './import-batch.ts';
import type { ImportItem } from './import-items.ts';
import { createTally, type ImportTally } from './import-tally.ts';
import type { CheckRecord } from './record-check.ts';

/** What brings things into an account. */
export interface ImportParts {
  db: Database;
  clock: Clock;
  keys: Pick<Keys, 'renew'>;
  usage: Usage;
  scopes: Scopes;
  memories: Memories;
  conversations: Conversations;
  episodes: Episodes;
  check: CheckRecord;
  /** Runs one batch of all imports at a time, so that no caller's own write waits for several of them. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
}

const KINDS = ['memories', 'conversations', 'messages', 'episodes'] as const;

/** What became of a batch; `refused` where the quota came to its end within it. */
interface Restored extends Record<(typeof KINDS)[number], readonly Fate[]> {
  refused: AppError | undefined;
}

/** Conversations whose last messages are not cut yet: their messages follow soon, or these are not the latest. */
const MOST_UNCUT = 1000;

/**
 * Brings in what is read, batch after batch, each committed before the next is read and while the caller's key is
 * valid. Throws what ends it early with the report so far among its members; what is committed stays, and the same file
 * goes on from there.
 */
export async function runImport(
  parts: ImportParts,
  principal: Principal,
  items: AsyncIterable<ImportItem>,
): Promise<ImportReport> {
  const tally = createTally();
  const gathering = createGathering(principal.tenantId, tally);
  const uncut = new Set<string>();
  let last: 'head' | 'end' | undefined;
  const store = () =>
    parts.inTurn(async () => flush(parts, await parts.keys.renew(principal), gathering.take(), tally, uncut));
  try {
    for await (const item of items) {
      if ('mark' in item) last = item.mark;
      else gather(item, gathering, tally, parts.check, uncut);
      if (gathering.isFull()) await store();
    }
    if (last === 'head') gathering.dropMemory('the file ends here: further versions may be missing');
    gathering.endMemory();
    await store();
    return { ...tally.report(), complete: last !== 'head' };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, options } = error;
    throw new AppError(code, message, {
      ...options,
      extra: { ...options.extra, report: tally.report() },
      cause: error,
    });
  }
}

function gather(
  item: Exclude<ImportItem, { mark: string }>,
  gathering: Gathering,
  tally: ImportTally,
  check: CheckRecord,
  uncut: Set<string>,
): void {
  const left = 'reason' in item ? item : check('record' in item ? item.record.type : 'new', thingIn(item));
  if (left) tally.leaveOut(item.place, left);
  else if ('memory' in item) gathering.addFresh(item.place, item.memory);
  else if ('record' in item) {
    if (item.record.type === 'conversation' && item.record.cutThrough !== undefined) noteUncut(uncut, item.record.id);
    gathering.addRecord(item.place, item.record);
  }
}

function thingIn(item: { record: unknown } | { memory: unknown }): unknown {
  return 'record' in item ? item.record : item.memory;
}

function noteUncut(uncut: Set<string>, id: string): void {
  const [oldest] = uncut;
  if (uncut.size >= MOST_UNCUT) uncut.delete(oldest!);
  uncut.add(id);
}

async function flush(
  parts: ImportParts,
  principal: Principal,
  batch: ImportBatch,
  tally: ImportTally,
  uncut: ReadonlySet<string>,
): Promise<void> {
  const { fresh } = batch;
  if (KINDS.some((kind) => batch[kind].length > 0)) {
    const restored = await parts.db.writes.write((connection) => restore(parts, principal, batch, uncut, connection));
    parts.scopes.confirm([
      ...added(batch.memories, restored.memories).map((draft) => draft.at(-1)!),
      ...added(batch.conversations, restored.conversations),
      ...added(batch.episodes, restored.episodes),
    ]);
    for (const kind of KINDS) {
      for (const [index, fate] of restored[kind].entries()) tally.count(kind, fate, batch[kind][index]!.place);
    }
    if (restored.refused) throw restored.refused;
  }
  if (fresh.length > 0) await addFresh(parts.memories, principal, fresh, tally);
}

function added<T>(placed: readonly Placed<T>[], fates: readonly Fate[]): T[] {
  return draftsOf(placed.filter((_, index) => fates[index] === 'added'));
}

async function restore(
  { usage, clock, ...rooms }: ImportParts,
  principal: Principal,
  { memories, conversations, messages, episodes }: ImportBatch,
  uncut: ReadonlySet<string>,
  connection: Connection,
): Promise<Restored> {
  const nowMs = clock.nowMs();
  const allowance = await usage.allowanceOf(connection, [principal], nowMs);
  const take = () => allowance.take(principal, 1);
  const { fates, refused } = await rooms.memories.transfer.restore(connection, draftsOf(memories), take, nowMs);
  await allowance.store(connection);
  if (refused) return { memories: fates, conversations: [], messages: [], episodes: [], refused };
  return {
    memories: fates,
    conversations: await rooms.conversations.transfer.restoreConversations(connection, draftsOf(conversations)),
    messages: await rooms.conversations.transfer.restoreMessages(connection, draftsOf(messages), uncut),
    episodes: await rooms.episodes.transfer.restore(connection, draftsOf(episodes)),
    refused,
  };
}

function draftsOf<T>(placed: readonly Placed<T>[]): T[] {
  return placed.map(({ draft }) => draft);
}

/** These are about one memory and say nothing of the next. */
const ABOUT_ONE = new Set(['invalid_request', 'not_found', 'conflict', 'unprocessable']);

/** Adds each for itself, so that one which is refused costs no other; they share transactions all the same. */
async function addFresh(
  adding: Memories,
  principal: Principal,
  fresh: ImportBatch['fresh'],
  tally: ImportTally,
): Promise<void> {
  const outcomes = await Promise.allSettled(fresh.map(({ draft }) => adding.addOnce(principal, draft, undefined)));
  let ended: unknown;
  outcomes.forEach((outcome, index) => {
    const { place } = fresh[index]!;
    if (outcome.status === 'fulfilled') {
      tally.count('memories', outcome.value.body.duplicate ? 'known' : 'added', place);
      return;
    }
    const { reason } = outcome;
    if (reason instanceof AppError && ABOUT_ONE.has(reason.code)) tally.leaveOut(place, faultOf(reason));
    else ended ??= reason;
  });
  if (ended !== undefined) throw ended;
}
