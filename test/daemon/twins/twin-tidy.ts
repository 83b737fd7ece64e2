import * as jobs from '../../../src/features/jobs/jobs-store.ts';
import { listTidySchedules } from '../../../src/features/providers/provider-settings-store.ts';
import * as tidy from '../../../src/features/tidy/tidy-store.ts';
import { FAR_MS, type Filled } from './twin-fill.ts';
import { ownersOf, readerOf, write } from './twin-statements.ts';
import type { Scenario, Twin } from './twin-world.ts';

const USER = 'default';
const OPEN = { id: 'job_tidy', kind: 'tidy', state: 'queued', conversationId: null, endUser: USER } as const;
/** Later for one twin than for the other, so that its row cannot pass for the other's. */
const timeOf = ({ name }: Pick<Twin, 'name'>) => (name === 'ada' ? 100 : 200);

/** An open job that tidies the memories of the same user in both accounts, and when they were tidied. */
export async function fillTidy(twin: Twin, { job }: Filled): Promise<void> {
  const { tenantId } = twin;
  await write(twin, async (connection) => {
    const done = (await jobs.findJob(connection, tenantId, job))!;
    await jobs.insertJob(connection, { ...done, ...OPEN, dueAt: FAR_MS, finishedAt: null });
    await tidy.updateLooked(connection, { tenantId, endUser: USER, lookedAt: timeOf(twin) });
    await tidy.updateTidied(connection, { tenantId, endUser: USER, tidiedAt: timeOf(twin) });
  });
}

/** What is done to tidy memories. */
export const TIDY: Record<string, Scenario> = {
  async 'read what is to be tidied'(twin) {
    const { tenantId } = twin;
    const reader = readerOf(twin);
    const filter = tidy.tidyFilterOf({ tenantId, user: USER, project: undefined }, 1);
    twin.record('ids', await tidy.listIdsToTidy(reader, filter, { afterId: '', limit: 99 }));
    const changed = { ...filter, changedAfterMs: 1 };
    twin.record('changed ids', await tidy.listIdsToTidy(reader, changed, { afterId: '', limit: 99 }));
    twin.record('count', await tidy.countToTidy(reader, filter));
    twin.record('open job', ownersOf([await jobs.findOpenTidyJob(reader, { tenantId, endUser: USER, project: null })]));
    twin.record('jobs of the user', ownersOf(await jobs.listJobsOfUser(reader, tenantId, USER)));
    const schedules = await listTidySchedules(reader, '', 99);
    twin.record(
      'schedule',
      schedules.filter((one) => one.tenantId === tenantId),
    );
    const since = { tenantId, endUser: USER, sinceMs: 0 };
    twin.record('changed', await tidy.isChangedSince(reader, since));
    await write(twin, (connection) =>
      connection.run(`UPDATE memories SET updatedAt = 1 WHERE tenantId = ? AND endUser = ?`, [tenantId, USER]),
    );
    twin.record('changed of late', await tidy.isChangedSince(reader, { ...since, sinceMs: 1 }));
  },

  async 'record when memories were tidied'(twin) {
    const { tenantId } = twin;
    const users = async (beforeMs: number) => tidy.listUsersToTidy(readerOf(twin), { tenantId, beforeMs, limit: 99 });
    twin.record('users', await users(FAR_MS));
    await write(twin, (connection) => tidy.updateLooked(connection, { tenantId, endUser: USER, lookedAt: FAR_MS + 1 }));
    twin.record('users that were not looked at', await users(FAR_MS));
    await write(twin, (connection) => tidy.updateTidied(connection, { tenantId, endUser: USER, tidiedAt: 7 }));
    twin.record('tidied', await users(FAR_MS + 1));
    await write(twin, (connection) => tidy.deleteTidied(connection, { tenantId }));
    twin.record('users afterwards', await users(FAR_MS));
  },
};
