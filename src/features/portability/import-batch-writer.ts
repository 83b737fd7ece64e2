import { AppError } from '../../contract/errors.ts';
import { type ImportOutcome, skipReasonOf } from '../../contract/import-outcome.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { MessageOptions } from '../conversations/message-import-export.ts';
import { textsOf as textsOfEpisode } from '../episodes/episode-row.ts';
import type { Episodes } from '../episodes/episodes.ts';
import type { ExtractionTransfer } from '../extraction/extraction-import-export.ts';
import type { Principal } from '../keys/keys.ts';
import type { Learning } from '../learning/learning.ts';
import type { Usage } from '../limits/usage.ts';
import type { Memories } from '../memories/memories.ts';
import { indexedTextsOf, type StoredIds } from '../memories/memory-import-export.ts';
import type { Suggestions } from '../suggestions/suggestions.ts';
import { type ItemTexts, type PreparedTerms, writeWithTerms } from '../text/prepared-terms.ts';
import type { Scopes } from '../text/scopes.ts';
import type { ImportBatch, LocatedDraft } from './import-batch.ts';
import type { ReportBuilder } from './import-report.ts';

export interface ImportParts {
  db: Database;
  clock: Clock;
  usage: Usage;
  scopes: Scopes;
  memories: Memories;
  conversations: Conversations;
  episodes: Episodes;
  extraction: Pick<ExtractionTransfer, 'restore'>;
  learning: Pick<Learning, 'transfer'>;
  suggestions: Pick<Suggestions, 'transfer'>;
}

const KINDS = ['memories', 'conversations', 'messages', 'episodes', 'learned', 'suggestions'] as const;

/** Whoever suggests cannot decide: an imported suggestion may be decided, or count as one of the rules. */
const NOT_THE_OWNER = { reason: 'importing suggestions needs the API key or the web app', fault: true } as const;

/** The state that the batches of a file share. */
export interface ImportRun extends Omit<MessageOptions, 'nowMs'> {
  storedIds: StoredIds;
  createdIds: Set<string>;
}

/** Remembers only the latest conversations: an export lists the messages of a conversation directly after it. */
const MAX_CONVERSATIONS = 1000;

/** Adds the id of a conversation and drops the oldest one if the set is full. */
export function addBounded(ids: Set<string>, id: string): void {
  const [oldest] = ids;
  if (ids.size >= MAX_CONVERSATIONS) ids.delete(oldest!);
  ids.add(id);
}

/** The outcomes of a batch, and the quota error that cut it short. */
interface RestoredBatch extends Record<(typeof KINDS)[number], readonly ImportOutcome[]> {
  quotaError: AppError | undefined;
}

/**
 * Writes a batch and counts the outcomes. Throws the error that ends the import, after counting what was written before it.
 */
export async function writeBatch(
  parts: ImportParts,
  principal: Principal,
  batch: ImportBatch,
  report: ReportBuilder,
  run: ImportRun,
): Promise<void> {
  const { newMemories } = batch;
  if (KINDS.some((kind) => batch[kind].length > 0)) {
    const restored = await writeWithTerms(principal.tenantId, textsOf(batch), (terms) =>
      parts.db.writes.write(principal.tenantId, (connection) =>
        parts.usage.storage.within(connection, principal.tenantId, () =>
          restore(parts, principal, batch, { run, terms }, connection),
        ),
      ),
    );
    for (const { id } of addedDrafts(batch.conversations, restored.conversations)) addBounded(run.createdIds, id);
    parts.scopes.confirm([
      ...addedDrafts(batch.memories, restored.memories).map((draft) => draft.at(-1)!),
      ...addedDrafts(batch.conversations, restored.conversations),
      ...addedDrafts(batch.episodes, restored.episodes),
      ...addedDrafts(batch.learned, restored.learned),
    ]);
    parts.learning.transfer.confirm(addedDrafts(batch.learned, restored.learned));
    for (const kind of KINDS) {
      for (const [index, outcome] of restored[kind].entries()) report.count(kind, outcome, batch[kind][index]!.place);
    }
    if (restored.quotaError) throw restored.quotaError;
  }
  if (newMemories.length > 0) await addNewMemories(parts.memories, principal, newMemories, report);
}

function addedDrafts<T>(located: readonly LocatedDraft<T>[], outcomes: readonly ImportOutcome[]): T[] {
  return draftsOf(located.filter((_, index) => outcomes[index] === 'added'));
}

async function restore(
  { usage, clock, ...features }: ImportParts,
  principal: Principal,
  { memories, conversations, extracted, messages, episodes, learned, suggestions }: ImportBatch,
  { run, terms }: { run: ImportRun; terms: PreparedTerms },
  connection: Connection,
): Promise<RestoredBatch> {
  const nowMs = clock.nowMs();
  const allowance = await usage.allowanceOf(connection, [principal], nowMs);
  // The bytes of the whole batch are checked once it is written.
  const take = () => allowance.take(principal, 1, 0);
  const memoryOptions = { take, terms, nowMs, storedIds: run.storedIds };
  const { outcomes, quotaError } = await features.memories.transfer.restore(
    connection,
    draftsOf(memories),
    memoryOptions,
  );
  await allowance.store(connection);
  if (quotaError) {
    return {
      memories: outcomes,
      conversations: [],
      messages: [],
      episodes: [],
      learned: [],
      suggestions: [],
      quotaError,
    };
  }
  // A user of whom only the ranking learned is one of the tenant's users too.
  await features.scopes.ensure(connection, draftsOf(learned));
  const restored = await features.conversations.transfer.restoreConversations(connection, draftsOf(conversations));
  const added = new Set(addedDrafts(conversations, restored).map(({ id }) => id));
  const ofAdded = extracted.filter(({ conversationId }) => added.has(conversationId));
  await features.extraction.restore(connection, principal.tenantId, ofAdded);
  const messageOptions = { ...run, createdIds: new Set([...run.createdIds, ...added]), nowMs };
  return {
    memories: outcomes,
    conversations: restored,
    messages: await features.conversations.transfer.restoreMessages(
      connection,
      draftsOf(messages),
      messageOptions,
      terms,
    ),
    episodes: await features.episodes.transfer.restore(connection, draftsOf(episodes), terms),
    learned: await features.learning.transfer.restore(connection, draftsOf(learned)),
    suggestions:
      principal.scope === 'account'
        ? await features.suggestions.transfer.restore(connection, draftsOf(suggestions))
        : suggestions.map(() => NOT_THE_OWNER),
    quotaError,
  };
}

/** The texts that a batch indexes if all of its items are added. */
function textsOf({ memories, messages, episodes }: ImportBatch): ItemTexts[] {
  return [
    ...draftsOf(memories).flatMap(indexedTextsOf),
    ...draftsOf(messages).map(({ content }) => [content]),
    ...draftsOf(episodes).map(textsOfEpisode),
  ];
}

function draftsOf<T>(located: readonly LocatedDraft<T>[]): T[] {
  return located.map(({ draft }) => draft);
}

/** Errors that concern one memory only. Any other error ends the import. */
const SINGLE_ITEM_ERRORS = new Set(['invalid_request', 'not_found', 'conflict', 'unprocessable']);

/** Adds each memory on its own, so that a rejected one does not affect the others. Group commit batches the writes. */
async function addNewMemories(
  memories: Memories,
  principal: Principal,
  newMemories: ImportBatch['newMemories'],
  report: ReportBuilder,
): Promise<void> {
  const outcomes = await Promise.allSettled(
    // A file that is imported again says nothing that was not said before.
    newMemories.map(({ draft }) => memories.addOnce(principal, { origin: 'import', ...draft }, undefined, 'complete')),
  );
  let fatal: unknown;
  outcomes.forEach((outcome, index) => {
    const { place } = newMemories[index]!;
    if (outcome.status === 'fulfilled') {
      report.count('memories', outcome.value.body.duplicate ? 'known' : 'added', place);
      return;
    }
    const { reason } = outcome;
    if (reason instanceof AppError && SINGLE_ITEM_ERRORS.has(reason.code)) report.skip(place, skipReasonOf(reason));
    else fatal ??= reason;
  });
  if (fatal !== undefined) throw fatal;
}
