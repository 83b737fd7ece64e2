import type { DeviceSignIn } from '../features/auth/device-sign-in.ts';
import type { SignIn } from '../features/auth/sign-in.ts';
import type { Spaces } from '../features/spaces/spaces.ts';
import { tidyTextIndices } from '../features/text/text-indices.ts';
import type { Rooms } from './rooms.ts';
import type { ScheduledBackups } from './scheduled-backup.ts';
import type { BackgroundTask } from './scheduler.ts';
import type { UpdateCheck } from './update-check.ts';

interface Parts {
  signIn: Pick<SignIn, 'sweep'>;
  deviceSignIn: Pick<DeviceSignIn, 'sweep'>;
  spaces: Pick<Spaces, 'deleteOld'>;
  /** Indexes texts that another daemon or an earlier process left unindexed. */
  resumeIndexing(): Promise<void>;
  /** Undefined on PostgreSQL, whose own tools make backups. */
  backups: Pick<ScheduledBackups, 'follow'> | undefined;
  /** Undefined if it is off. */
  updates: Pick<UpdateCheck, 'follow'> | undefined;
}

/** Lists the background tasks of a daemon. */
export function backgroundTasksOf(
  rooms: Rooms,
  { signIn, deviceSignIn, spaces, resumeIndexing, backups, updates }: Parts,
): BackgroundTask[] {
  const { db, leases, limiting, keys, connections, oauth, usage, idempotency, accounts, users } = rooms;
  const { memories, conversations, episodes, learning, activity, events, webhooks } = rooms;
  const { embeddings, tenantEmbeddings, jobs, jobRunner, extraction, suggestions, automaticDecisions, comparing } =
    rooms;
  // Counts and searches are buffered in each daemon; jobs and models are claimed one at a time.
  const ofEach = [
    { name: 'renew leases', everyMs: 5000, run: leases.renew },
    { name: 'store request counts', everyMs: 5000, run: usage.flushRequests },
    { name: 'checkpoint the write-ahead log', everyMs: 2000, run: db.checkpoint },
    { name: 'store activity', everyMs: 1000, run: activity.flush },
    { name: 'store searches for feedback', everyMs: 1000, run: learning.flush },
    { name: 'erase expired memories', everyMs: 15_000, run: memories.sweep },
    { name: 'finish erasing conversations', everyMs: 60_000, run: conversations.sweep },
    { name: 'purge erased episodes', everyMs: 60_000, run: episodes.sweep },
    { name: 'send webhooks', everyMs: 1000, run: webhooks.follow },
    { name: 'run due jobs', everyMs: 1000, run: jobRunner.follow },
    { name: "embed with tenants' models", everyMs: 1000, run: tenantEmbeddings.follow },
    { name: 'embed new texts', everyMs: 1000, run: embeddings.follow },
    ...(updates ? [{ name: 'look for updates', everyMs: 60_000, run: updates.follow }] : []),
  ];
  // Each checks in its own transaction, under the tenant's lock, what is left to do: a concurrent run only wastes work.
  const ofOne = [
    { name: 'merge text indices', everyMs: 5000, run: () => tidyTextIndices(db) },
    { name: 'index texts that a daemon left', everyMs: 60_000, run: resumeIndexing },
    { name: 'collect changes for webhooks', everyMs: 1000, run: webhooks.collect },
    { name: 'cut conversations into episodes', everyMs: 2000, run: episodes.follow },
    { name: 'compare memories', everyMs: 10_000, run: async () => void (await comparing.follow()) },
    { name: 'suggest what has passed', everyMs: 60_000, run: comparing.followPassed },
    { name: 'accept suggestions automatically', everyMs: 60_000, run: automaticDecisions.decideDue },
    { name: 'queue extraction jobs', everyMs: 5000, run: extraction.follow },
    { name: 'queue jobs to tidy memories', everyMs: 300_000, run: rooms.tidyJobs.follow },
    ...(backups ? [{ name: 'back up on schedule', everyMs: 60_000, run: backups.follow }] : []),
    { name: 'end old suggestions', everyMs: 600_000, run: suggestions.endOld },
    { name: 'delete old jobs', everyMs: 600_000, run: jobs.sweep },
    { name: 'delete old sign-ins', everyMs: 600_000, run: signIn.sweep },
    { name: 'delete old device requests', everyMs: 600_000, run: deviceSignIn.sweep },
    { name: 'delete old activity', everyMs: 600_000, run: activity.deleteOld },
    { name: 'delete ended sessions', everyMs: 600_000, run: connections.sweep },
    { name: 'delete old tokens of OAuth clients', everyMs: 600_000, run: oauth.grants.sweep },
    { name: 'delete unused OAuth clients', everyMs: 60_000, run: oauth.clients.sweep },
    { name: 'forget ended keys', everyMs: 600_000, run: keys.sweep },
    { name: 'delete old changes', everyMs: 60_000, run: events.trim },
    { name: 'delete old webhook deliveries', everyMs: 600_000, run: webhooks.deleteOld },
    { name: 'delete old entries of spaces', everyMs: 600_000, run: spaces.deleteOld },
    { name: 'delete old searches', everyMs: 600_000, run: learning.sweep },
    { name: 'delete old idempotency keys', everyMs: 600_000, run: idempotency.sweep },
    { name: 'finish erasing accounts', everyMs: 600_000, run: accounts.finishErasing },
    { name: 'finish erasing users', everyMs: 600_000, run: users.finishErasing },
  ];
  return [
    ...limiting.tasks,
    ...ofEach.map((task) => ({ ...task, by: 'each' as const })),
    ...ofOne.map((task) => ({ ...task, by: 'one' as const })),
  ];
}
