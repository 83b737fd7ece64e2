import {
  deleteExtraction,
  findUnread,
  listThrough,
  updateThrough,
} from '../../../src/features/extraction/extraction-store.ts';
import { listDueJobs, updateClaimed, updateRenewed } from '../../../src/features/jobs/job-claims-store.ts';
import * as jobs from '../../../src/features/jobs/jobs-store.ts';
import { listHolding } from '../../../src/features/memories/memory-lookups-store.ts';
import { FAR_MS } from './twin-fill.ts';
import { ownersOf, readerOf, STRAY, write } from './twin-statements.ts';
import type { Scenario } from './twin-world.ts';

/** Jobs, which have the same ids in both accounts. */
export const JOBS: Record<string, Scenario> = {
  async 'change and list open jobs'(twin) {
    const { tenantId, filled } = twin;
    const reader = readerOf(twin);
    const scope = { tenantId, conversationId: filled.conversation, dryRun: 1 };
    const list = async (name: string, found: Promise<unknown>) => twin.record(name, ownersOf(await found));
    await list(
      'open job',
      jobs.findOpenJob(reader, scope).then((job) => [job]),
    );
    await list('open jobs', jobs.listOpenJobs(reader, tenantId, {}));
    await list('due jobs', listDueJobs(reader, { tenantId, nowMs: 2 * FAR_MS, limit: 9 }));
    const { old, successor } = filled.memories;
    twin.record('kept', await jobs.listKept(reader, tenantId, [old, successor, 'mem_unknown']));
    await write(twin, (connection) => jobs.updateCapped(connection, tenantId, FAR_MS - 1));
    await write(twin, async (connection) => {
      const open = (await jobs.findJob(connection, tenantId, 'job_open'))!;
      await jobs.updateJob(connection, open, { state: 'done', finishedAt: 9 });
    });
  },

  async 'claim and renew only its own job'(twin) {
    const { tenantId, filled } = twin;
    const id = 'job_claimed';
    const [claims, leases] = await write(twin, async (connection) => {
      const done = (await jobs.findJob(connection, tenantId, filled.job))!;
      const due = { ...done, id, state: 'queued', dueAt: FAR_MS, finishedAt: null } as const;
      const stray = { ...due, tenantId: STRAY };
      const both = async () => [
        await jobs.findJob(connection, tenantId, id),
        await jobs.findJob(connection, STRAY, id),
      ];
      for (const job of [due, stray]) await jobs.insertJob(connection, job);
      const claimed = await updateClaimed(connection, due, { nowMs: FAR_MS, untilMs: FAR_MS + 1 });
      const claimedJobs = await both();
      await updateClaimed(connection, stray, { nowMs: FAR_MS, untilMs: FAR_MS + 1 });
      await updateRenewed(connection, claimed!, FAR_MS + 2);
      const renewedJobs = await both();
      await connection.run('DELETE FROM jobs WHERE id = ?', [id]);
      return [claimedJobs.map((job) => job!.state), renewedJobs.map((job) => job!.dueAt)];
    });
    twin.record('claims', claims);
    twin.record('leases', leases);
  },

  async 'find what memories were not extracted from'(twin) {
    const { tenantId, filled } = twin;
    const { conversation, otherConversation } = filled;
    const id = 'job_about_to_read';
    const found = await write(twin, async (connection) => {
      const done = (await jobs.findJob(connection, tenantId, filled.job))!;
      const open = { ...done, id, state: 'queued', dueAt: FAR_MS, dryRun: 0, finishedAt: null } as const;
      await jobs.insertJob(connection, { ...open, tenantId: STRAY });
      await deleteExtraction(connection, tenantId, conversation);
      await updateThrough(
        connection,
        { tenantId, conversationId: otherConversation },
        { throughOrdinal: 77, partlyRead: null },
      );
      const all = { tenantId, project: undefined, afterMs: 0, fromId: '' };
      const unread = await findUnread(connection, { ...all, endUser: 'default' });
      const ofAnn = await findUnread(connection, { ...all, endUser: 'ann' });
      await connection.run('DELETE FROM jobs WHERE id = ?', [id]);
      return [unread, ofAnn ?? null];
    });
    twin.record('unread', found);
    const cited = ['msg_of_both', 'msg_of_old', 'msg_of_wheel'];
    twin.record('holding', await listHolding(readerOf(twin), tenantId, cited));
    twin.record('through', await listThrough(readerOf(twin), tenantId, [conversation, otherConversation]));
  },
};
