import type { Message } from '../../contract/conversations.ts';
import { AppError } from '../../contract/errors.ts';
import type { Connection } from '../../db/connection.ts';
import type { Outcome } from '../../db/group-commit.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { AnswerToStore, Claim, Created, Idempotency } from '../idempotency/idempotency.ts';
import type { PreparedTerms, TextIndex } from '../text/text-index-sqlite.ts';
import type { MessageObserver } from './conversation-erasure.ts';
import { findConversations, updateConversation } from './conversations-store.ts';
import { type Append, type Appended, isFull, planAppend } from './message-append-plan.ts';
import { type ConversationRow, textEntryOf } from './message-row.ts';
import { insertMessages } from './messages-store.ts';

type Answer = Created<{ data: Message[] }>;

interface AppendJob {
  append: Append;
  /** Of the contents of its messages. */
  terms: PreparedTerms;
  claim: Claim | undefined;
}

interface Parts {
  db: Database;
  clock: Clock;
  ids: Ids;
  idempotency: Idempotency;
  text: TextIndex;
  observers: readonly MessageObserver[];
}

/** What is decided for the appends of one transaction before anything is written. */
interface Decisions {
  appended: Appended[];
  kept: AnswerToStore[];
}

/**
 * Appends messages; all appends that arrived during the last flush share one transaction and few statements. Each is
 * done whole or not at all, and those to one conversation follow each other.
 */
export function createAppending({
  db,
  clock,
  ids,
  idempotency,
  text,
  observers,
}: Parts): (job: AppendJob) => Promise<Answer> {
  async function appendAll(connection: Connection, jobs: AppendJob[]): Promise<Outcome<Answer>[]> {
    const claims = jobs.flatMap(({ claim }) => claim ?? []);
    const before = await idempotency.findReplays(connection, claims);
    const places = jobs.map(({ append }) => ({ tenantId: append.tenantId, id: append.conversationId }));
    const rows = await findConversations(connection, places);
    const known = new Map(rows.map((row) => [placeOf(row.tenantId, row.id), row]));
    const decisions: Decisions = { appended: [], kept: [] };
    const outcomes = jobs.map((job): Outcome<Answer> => {
      const replayed = job.claim && before.get(job.claim);
      return replayed ?? decide(job, known, decisions);
    });
    await store(connection, decisions.appended, new Map(jobs.flatMap(({ terms }) => [...terms])));
    await idempotency.store(connection, decisions.kept);
    return outcomes;
  }

  function decide(
    { append, claim }: AppendJob,
    known: Map<string, ConversationRow>,
    { appended, kept }: Decisions,
  ): Outcome<Answer> {
    const place = placeOf(append.tenantId, append.conversationId);
    const conversation = known.get(place);
    if (!conversation) return { refused: noConversation() };
    if (isFull(append, conversation)) return { refused: full() };
    const plan = planAppend(append, conversation, () => ids.next('msg'), clock.nowMs());
    known.set(place, plan.conversation);
    appended.push(plan);
    const body = { data: plan.answers };
    // The conversation is named too: erasing it blanks the kept answer.
    const resourceIds = [append.conversationId, ...plan.answers.map(({ id }) => id)];
    if (claim) kept.push({ claim, status: 201, body, resourceIds });
    return { ok: { status: 201, body, replayed: false } };
  }

  async function store(connection: Connection, appended: readonly Appended[], terms: PreparedTerms): Promise<void> {
    const rows = appended.flatMap((plan) => plan.rows);
    await insertMessages(connection, rows);
    await text.insert(connection, rows.map(textEntryOf), terms);
    const newest = new Map(appended.map(({ conversation }) => [conversation.id, conversation]));
    for (const conversation of newest.values()) await updateConversation(connection, conversation);
    for (const observer of observers) await observer.appended?.(connection, [...newest.values()]);
  }

  return db.writes.grouped(appendAll, ({ append: { tenantId, messages } }) => ({
    tenantId,
    rows: messages.length,
    characters: messages.reduce((sum, { content }) => sum + content.length, 0),
  }));
}

/** The refusal of an id that is no conversation of this tenant. */
export function noConversation(): AppError {
  return new AppError('not_found', 'There is no conversation with this id.');
}

function full(): AppError {
  return new AppError('unprocessable', 'This conversation is full. Go on in a new one.');
}

function placeOf(tenantId: string, id: string): string {
  return `${tenantId} ${id}`;
}
