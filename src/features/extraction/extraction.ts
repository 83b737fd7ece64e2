import { AppError } from '../../contract/errors.ts';
import type { JobAccepted, NewExtraction } from '../../contract/jobs.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { nameOfClient } from '../activity/client-name.ts';
import type { MessageReading } from '../conversations/conversations.ts';
import type { Claim, Created, Idempotency } from '../idempotency/idempotency.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import type { ProviderKeys } from '../providers/provider-keys.ts';
import type { ProviderSettingsService } from '../providers/provider-settings.ts';
import { EMPTY_RESULT } from './apply-proposals.ts';
import { QUIET_MS } from './extraction-observer.ts';
import { deleteExtractionsOf, findThrough, listDue, UNREAD, updateNotDue } from './extraction-store.ts';
import { chooseModel } from './model-choice.ts';

/** The caller that requests an extraction; without a client if it runs in the background. */
type Asker = Pick<Principal, 'tenantId' | 'client' | 'author'>;

/** Extracts memories from conversations with a model that the tenant has a key for. */
export interface Extraction {
  /**
   * Queues a job that reads what is new in a conversation, or extends the job already queued for it. Throws `not_found`
   * for the conversation and `unprocessable` if there is no model to call.
   */
  requestOnce(
    principal: Principal,
    conversationId: string,
    body: NewExtraction,
    claim: Claim | undefined,
  ): Promise<Created<JobAccepted>>;
  /**
   * Queues a job for a conversation in the caller's transaction and returns its id, if the tenant enabled extraction on
   * append and there is a model to call; `null` otherwise. Call `wake` after the commit.
   */
  requestOnAppend(connection: Connection, asker: Asker, conversationId: string): Promise<string | null>;
  /** Starts queued jobs. */
  wake(): void;
  /** Queues jobs for conversations with new messages, for tenants that enabled this. */
  follow(): Promise<void>;
  erase(tenant: Owner): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  usage: Usage;
  idempotency: Idempotency;
  jobs: Jobs;
  reading: MessageReading;
  providerKeys: ProviderKeys;
  providerSettings: ProviderSettingsService;
  /** Called when a job was queued. */
  wake(): void;
}

const MAX_DUE = 50;

/** Only queues jobs; `createExtractionHandler` runs them. */
export function createExtraction(parts: Parts): Extraction {
  const { db, clock, log, usage, idempotency, jobs, reading, providerKeys, providerSettings, wake } = parts;

  async function enqueue(
    connection: Connection,
    { tenantId, client, author = null }: Asker,
    conversationId: string,
    { provider, model, dryRun = false, again = false }: NewExtraction,
  ): Promise<string> {
    const conversation = await reading.requireConversation(connection, tenantId, conversationId);
    const { lastOrdinal: toOrdinal } = conversation;
    const scope = { tenantId, conversationId, dryRun: dryRun ? 1 : 0 };
    const totalFrom = (fromOrdinal: number) =>
      reading.countMessages(connection, conversation, { fromOrdinal, toOrdinal });
    const chosen = await providerSettings.extractionModel(connection, tenantId);
    const keys = await providerKeys.available(connection, tenantId);
    const choice = chooseModel({ requested: { provider, model }, chosen, keys });
    await providerKeys.requireModelAllowed(connection, tenantId, choice);
    if (!dryRun) await updateNotDue(connection, tenantId, conversationId);
    const open = await jobs.findOpen(connection, scope);
    if (open) {
      await jobs.extend(connection, open, { toOrdinal, total: open.done + (await totalFrom(open.fromOrdinal)) });
      return open.id;
    }
    const { throughOrdinal: fromOrdinal, partlyRead } = again
      ? UNREAD
      : await findThrough(connection, tenantId, conversationId);
    const total = await totalFrom(fromOrdinal);
    const result = JSON.stringify(EMPTY_RESULT);
    const read = { fromOrdinal, partlyRead, toOrdinal, total, result };
    const job = await jobs.enqueue(connection, { ...scope, ...choice, ...read, client: nameOfClient(client), author });
    return job.id;
  }

  async function enqueueDue({ tenantId, conversationId }: { tenantId: string; conversationId: string }): Promise<void> {
    try {
      await db.writes.write(tenantId, (connection) => enqueue(connection, { tenantId }, conversationId, {}));
    } catch (error) {
      if (!(error instanceof AppError) || !['unprocessable', 'not_found'].includes(error.code)) throw error;
      log.warn({ tenantId, conversationId, reason: error.message }, 'cannot extract memories');
      await db.writes.write(tenantId, (connection) => updateNotDue(connection, tenantId, conversationId));
    }
  }

  return {
    async requestOnce(principal, conversationId, body, claim) {
      const { tenantId } = principal;
      const created = await db.writes.write(tenantId, (connection) =>
        idempotency.replayOrRun(connection, claim, async () => {
          await usage.requireTenant(connection, tenantId);
          const jobId = await enqueue(connection, principal, conversationId, body);
          return { status: 202, body: { jobId }, resourceIds: [conversationId, jobId] };
        }),
      );
      wake();
      return created;
    },
    async requestOnAppend(connection, asker, conversationId) {
      if ((await providerSettings.onAppend(connection, [asker.tenantId])).length === 0) return null;
      try {
        return await enqueue(connection, asker, conversationId, {});
      } catch (error) {
        // There is no model to call. `follow` reports it.
        if (error instanceof AppError && error.code === 'unprocessable') return null;
        throw error;
      }
    },
    wake,
    async follow() {
      const nowMs = clock.nowMs();
      // Twice, because the clock of the daemon that scheduled them may differ.
      const due = await listDue(db.readers, { nowMs, latestMs: nowMs + 2 * QUIET_MS, limit: MAX_DUE });
      const failed: object[] = [];
      // What fails stays due, and does not hold up what is due of other accounts.
      for (const one of due) await enqueueDue(one).catch((error: unknown) => failed.push({ error, ...one }));
      if (failed.length > 0) log.error({ ...failed[0], failed: failed.length }, 'cannot queue extraction jobs');
      if (due.length > 0) wake();
    },
    erase: ({ tenantId }) => db.writes.write(tenantId, (connection) => deleteExtractionsOf(connection, tenantId)),
  };
}
