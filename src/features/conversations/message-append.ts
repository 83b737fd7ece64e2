import type { AppendedMessage } from '../../contract/conversations.ts';
import { AppError } from '../../contract/errors.ts';
import type { Connection } from '../../db/connection.ts';
import type { Outcome } from '../../db/group-commit.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { runInSlices } from '../../lib/time-slices.ts';
import type { AnswerToStore, Claim, Created, Idempotency } from '../idempotency/idempotency.ts';
import type { StorageAllowance } from '../limits/storage.ts';
import type { Usage } from '../limits/usage.ts';
import { mergeTerms, type PreparedTerms, partlyIndexed } from '../text/prepared-terms.ts';
import type { TextPortions } from '../text/text-portions.ts';
import type { MessageObserver } from './conversation-erasure.ts';
import { findConversations, updateConversation } from './conversations-store.ts';
import { type Append, type Appended, bytesOfMessages, isFull, planAppend } from './message-append-plan.ts';
import { type ConversationRow, textEntryOf } from './message-row.ts';
import { insertMessages } from './messages-store.ts';

type Answer = Created<{ data: AppendedMessage[] }>;

interface AppendJob {
  append: Append;
  /** Terms of the contents of its messages. */
  terms: PreparedTerms;
  claim: Claim | undefined;
}

/**
 * Adds messages to conversations; the caller then finishes the `portions`. Throws `not_found`, `unprocessable` for a full
 * conversation, and `quota_exceeded`.
 */
interface Appending {
  append(job: AppendJob): Promise<Answer>;
  /** Like `append`, in the caller's transaction. */
  appendWithin(connection: Connection, job: AppendJob): Promise<Answer>;
}

export interface AppendingParts {
  db: Database;
  clock: Clock;
  ids: Ids;
  usage: Usage;
  idempotency: Idempotency;
  portions: TextPortions;
  observers: readonly MessageObserver[];
}

/** The pending writes of one transaction. */
interface PendingWrites {
  appended: Appended[];
  answers: AnswerToStore[];
}

/**
 * Appends messages; concurrent appends share a transaction and its statements. Each append is atomic, and appends to the
 * same conversation are applied one after another.
 */
export function createAppending({
  db,
  clock,
  ids,
  usage,
  idempotency,
  portions,
  observers,
}: AppendingParts): Appending {
  async function appendAll(connection: Connection, jobs: AppendJob[]): Promise<Outcome<Answer>[]> {
    const claims = jobs.flatMap(({ claim }) => claim ?? []);
    const replays = await idempotency.findReplays(connection, claims);
    const keys = jobs.map(({ append }) => ({ tenantId: append.tenantId, id: append.conversationId }));
    const rows = await findConversations(connection, keys);
    const known = new Map(rows.map((row) => [keyOf(row.tenantId, row.id), row]));
    const room = await usage.storage.allowanceOf(
      connection,
      jobs.map(({ append }) => append.tenantId),
    );
    const pending: PendingWrites = { appended: [], answers: [] };
    const outcomes: Outcome<Answer>[] = [];
    for (const job of jobs) {
      const replayed = job.claim && replays.get(job.claim);
      outcomes.push(replayed ?? (await runInSlices(plan(job, known, room, pending), 'urgent')));
    }
    await store(connection, pending.appended, mergeTerms(jobs.map(({ terms }) => terms)));
    await idempotency.store(connection, pending.answers);
    return outcomes;
  }

  /** Plans one append, in steps. */
  function* plan(
    { append, terms, claim }: AppendJob,
    known: Map<string, ConversationRow>,
    room: StorageAllowance,
    { appended, answers }: PendingWrites,
  ): Generator<void, Outcome<Answer>> {
    const key = keyOf(append.tenantId, append.conversationId);
    const conversation = known.get(key);
    if (!conversation) return { refused: noConversation() };
    if (isFull(append, conversation)) return { refused: conversationFull() };
    const refused = room.take(append.tenantId, bytesOfMessages(append.messages));
    if (refused) return { refused };
    const planned = yield* planAppend(append, conversation, () => ids.next('msg'), clock.nowMs());
    known.set(key, planned.conversation);
    appended.push(planned);
    const data = planned.answers.map((message, index) => {
      return { ...message, ...partlyIndexed(terms, [append.messages[index]!.content]) };
    });
    const body = { data };
    // The conversation is listed too, because erasing it redacts the stored answer.
    const resourceIds = [append.conversationId, ...planned.answers.map(({ id }) => id)];
    if (claim) answers.push({ claim, status: 201, body, resourceIds });
    return { ok: { status: 201, body, replayed: false } };
  }

  async function store(connection: Connection, appended: readonly Appended[], terms: PreparedTerms): Promise<void> {
    const rows = appended.flatMap((plan) => plan.rows);
    await insertMessages(connection, rows);
    const entries = appended.map((plan) => plan.rows.map(textEntryOf));
    await portions.insert(connection, entries, terms);
    const newest = new Map(appended.map(({ conversation }) => [conversation.id, conversation]));
    for (const conversation of newest.values()) await updateConversation(connection, conversation);
    for (const observer of observers) await observer.appended?.(connection, [...newest.values()]);
  }

  const append = db.writes.grouped(appendAll, ({ append: { tenantId, messages } }: AppendJob) => ({
    tenantId,
    rows: messages.length,
    characters: messages.reduce((sum, { content }) => sum + content.length, 0),
  }));

  return {
    append,
    async appendWithin(connection, job) {
      const [outcome] = await appendAll(connection, [job]);
      if ('refused' in outcome!) throw outcome.refused;
      return outcome!.ok;
    },
  };
}

/** The error for an id that the tenant has no conversation with. */
export function noConversation(): AppError {
  return new AppError('not_found', 'There is no conversation with this id.');
}

function conversationFull(): AppError {
  return new AppError('unprocessable', 'This conversation is full. Continue in a new one.');
}

function keyOf(tenantId: string, id: string): string {
  return `${tenantId} ${id}`;
}
