import { AppError } from '../../contract/errors.ts';
import { type ImportOutcome, leftOutBecause } from '../../contract/import-outcome.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { Episodes } from '../episodes/episodes.ts';
import type { Principal } from '../keys/keys.ts';
import type { Learning } from '../learning/learning.ts';
import type { Usage } from '../limits/usage.ts';
import type { Memories } from '../memories/memories.ts';
import type { Scopes } from '../text/scopes.ts';
import type { ImportBatch, Placed } from './import-batch.ts';
import type { ImportTally } from './import-tally.ts';

/** What brings things into an account. */
export interface ImportParts {
  db: Database;
  clock: Clock;
  usage: Usage;
  scopes: Scopes;
  memories: Memories;
  conversations: Conversations;
  episodes: Episodes;
  learning: Pick<Learning, 'transfer'>;
}

const KINDS = ['memories', 'conversations', 'messages', 'episodes', 'learned'] as const;

/** What became of a batch; `refused` where the quota came to its end within it. */
interface Restored extends Record<(typeof KINDS)[number], readonly ImportOutcome[]> {
  refused: AppError | undefined;
}

/**
 * Brings a batch in and counts what became of it. The messages of conversations in `uncut` are cut later. Throws what
 * ends the import; what was done before is counted.
 */
export async function writeBatch(
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
    parts.learning.transfer.confirm(added(batch.learned, restored.learned));
    for (const kind of KINDS) {
      for (const [index, fate] of restored[kind].entries()) tally.count(kind, fate, batch[kind][index]!.place);
    }
    if (restored.refused) throw restored.refused;
  }
  if (fresh.length > 0) await addFresh(parts.memories, principal, fresh, tally);
}

function added<T>(placed: readonly Placed<T>[], fates: readonly ImportOutcome[]): T[] {
  return draftsOf(placed.filter((_, index) => fates[index] === 'added'));
}

async function restore(
  { usage, clock, ...rooms }: ImportParts,
  principal: Principal,
  { memories, conversations, messages, episodes, learned }: ImportBatch,
  uncut: ReadonlySet<string>,
  connection: Connection,
): Promise<Restored> {
  const nowMs = clock.nowMs();
  const allowance = await usage.allowanceOf(connection, [principal], nowMs);
  const take = () => allowance.take(principal, 1);
  const { fates, refused } = await rooms.memories.transfer.restore(connection, draftsOf(memories), take, nowMs);
  await allowance.store(connection);
  if (refused) return { memories: fates, conversations: [], messages: [], episodes: [], learned: [], refused };
  return {
    memories: fates,
    conversations: await rooms.conversations.transfer.restoreConversations(connection, draftsOf(conversations)),
    messages: await rooms.conversations.transfer.restoreMessages(connection, draftsOf(messages), uncut),
    episodes: await rooms.episodes.transfer.restore(connection, draftsOf(episodes)),
    learned: await rooms.learning.transfer.restore(connection, draftsOf(learned)),
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
    if (reason instanceof AppError && ABOUT_ONE.has(reason.code)) tally.leaveOut(place, leftOutBecause(reason));
    else ended ??= reason;
  });
  if (ended !== undefined) throw ended;
}
