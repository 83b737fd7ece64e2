import { AppError } from '../../contract/errors.ts';
import type { JobAccepted, NewTidy, TidyResult } from '../../contract/jobs.ts';
import type { TidySchedule } from '../../contract/tidy-schedules.ts';
import type { Connection } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { nameOfClient } from '../activity/client-name.ts';
import { chooseModel } from '../extraction/model-choice.ts';
import type { Claim, Created, Idempotency } from '../idempotency/idempotency.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Principal } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import type { ProviderKeys } from '../providers/provider-keys.ts';
import type { ProviderSettingsService } from '../providers/provider-settings.ts';
import { deleteTidied, isChangedSince, listUsersToTidy, updateLooked } from './tidy-store.ts';

/** Queues jobs in which a model of the account's own key suggests how to tidy memories. */
export interface TidyJobs {
  /**
   * Queues a job for the memories of a user, optionally of a project, or answers the one that is open. Throws
   * `unprocessable` if there is no model to call.
   */
  requestOnce(principal: Principal, body: NewTidy, claim: Claim | undefined): Promise<Created<JobAccepted>>;
  /** Queues jobs for the users of tenants with a schedule, whose memories have changed since the last job. */
  follow(): Promise<void>;
  erase(owner: Owner): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  usage: Usage;
  idempotency: Idempotency;
  jobs: Jobs;
  providerKeys: ProviderKeys;
  providerSettings: ProviderSettingsService;
  /** Called when a job was queued. */
  wake(): void;
}

const DAY_MS = 24 * 3_600_000;
const PERIODS: Readonly<Record<Exclude<TidySchedule, 'off'>, number>> = { daily: DAY_MS, weekly: 7 * DAY_MS };
const TENANTS = 100;
/** Users of a tenant that are looked at in one run. */
const USERS = 20;
const EMPTY: TidyResult = { suggested: 0, known: 0, refused: 0 };

/** Composes requesting and scheduling jobs. */
export function createTidyJobs(parts: Parts): TidyJobs {
  const { db, clock, log, usage, idempotency, jobs, providerKeys, providerSettings, wake } = parts;

  async function enqueue(
    connection: Connection,
    { tenantId, client, author = null }: Pick<Principal, 'tenantId' | 'client' | 'author'>,
    { user = 'default', project = null, provider, model }: Omit<NewTidy, 'project'> & { project?: string | null },
    changedAfter: number | null = null,
  ): Promise<string> {
    const open = await jobs.findOpenTidy(connection, { tenantId, endUser: user, project });
    if (open) return open.id;
    const chosen = await providerSettings.extractionModel(connection, tenantId);
    const keys = await providerKeys.available(connection, tenantId);
    const choice = chooseModel({ requested: { provider, model }, chosen, keys });
    await providerKeys.requireModelAllowed(connection, tenantId, choice);
    const job = await jobs.enqueue(connection, {
      ...{ tenantId, kind: 'tidy', conversationId: null, endUser: user, project, changedAfter, ...choice },
      ...{ dryRun: 0, fromOrdinal: 0, toOrdinal: 0, total: 0 },
      ...{ result: JSON.stringify(EMPTY), client: nameOfClient(client), author },
    });
    return job.id;
  }

  /** Queues a job for a user, if a memory changed since the last one. Returns whether it did. */
  async function look(tenantId: string, user: { endUser: string; tidiedAt: number }): Promise<boolean> {
    const { endUser, tidiedAt } = user;
    const isChanged = await isChangedSince(db.readers.of(tenantId), { tenantId, endUser, sinceMs: tidiedAt });
    const looked = { tenantId, endUser, lookedAt: clock.nowMs() };
    return db.writes.write(tenantId, async (connection) => {
      await updateLooked(connection, looked);
      if (!isChanged) return false;
      try {
        await enqueue(connection, { tenantId }, { user: endUser }, tidiedAt);
        return true;
      } catch (error) {
        if (!(error instanceof AppError) || !['unprocessable', 'not_found'].includes(error.code)) throw error;
        log.warn({ tenantId, reason: error.message }, 'cannot tidy memories by schedule');
        return false;
      }
    });
  }

  return {
    async requestOnce(principal, body, claim) {
      const { tenantId } = principal;
      const created = await db.writes.write(tenantId, (connection) =>
        idempotency.replayOrRun(connection, claim, async () => {
          await usage.requireTenant(connection, tenantId);
          const jobId = await enqueue(connection, principal, body);
          return { status: 202, body: { jobId }, resourceIds: [jobId] };
        }),
      );
      wake();
      return created;
    },
    async follow() {
      let afterTenant = '';
      const failed: object[] = [];
      for (;;) {
        const tenants = await providerSettings.tidySchedules(db.readers, afterTenant, TENANTS);
        for (const { tenantId, tidySchedule } of tenants) {
          if (tidySchedule === 'off') continue;
          const beforeMs = clock.nowMs() - PERIODS[tidySchedule];
          const users = await listUsersToTidy(db.readers.of(tenantId), { tenantId, beforeMs, limit: USERS });
          let isQueued = false;
          for (const user of users) {
            // It is looked at again in the next run, and does not hold up other accounts.
            const isOfUser = await look(tenantId, user).catch((error: unknown) => {
              failed.push({ error, tenantId });
              return false;
            });
            isQueued ||= isOfUser;
          }
          if (isQueued) wake();
        }
        if (tenants.length < TENANTS) break;
        afterTenant = tenants.at(-1)!.tenantId;
      }
      if (failed.length > 0) log.error({ ...failed[0], failed: failed.length }, 'cannot queue jobs to tidy memories');
    },
    erase: (owner) =>
      db.writes.write(owner.tenantId, async (connection) => {
        if (owner.endUser !== undefined) await jobs.forgetUser(connection, owner.tenantId, owner.endUser);
        await deleteTidied(connection, owner);
      }),
  };
}
