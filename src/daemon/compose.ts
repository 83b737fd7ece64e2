import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ensureDatabaseFile } from '../db/database-file.ts';
import { migrate } from '../db/migrate.ts';
import type { Database } from '../db/open.ts';
import { accountsRoutes } from '../features/accounts/accounts-routes.ts';
import { authRoutes } from '../features/auth/auth-routes.ts';
import { createSignIn } from '../features/auth/sign-in.ts';
import { conversationsRoutes } from '../features/conversations/conversations-routes.ts';
import { pauseEmbeddings } from '../features/embeddings/embeddings.ts';
import { episodesRoutes } from '../features/episodes/episodes-routes.ts';
import { extractionRoutes } from '../features/extraction/extraction-routes.ts';
import { jobsRoutes } from '../features/jobs/jobs-routes.ts';
import { learningRoutes } from '../features/learning/learning-routes.ts';
import { createMailQueue } from '../features/mail/mail-queue.ts';
import { memoriesRoutes } from '../features/memories/memories-routes.ts';
import { portabilityRoutes } from '../features/portability/portability-routes.ts';
import { providerKeysRoutes } from '../features/providers/provider-keys-routes.ts';
import { providerSettingsRoutes } from '../features/providers/provider-settings-routes.ts';
import { searchRoutes } from '../features/search/search-routes.ts';
import { textIndices } from '../features/text/text-index-sqlite.ts';
import { createMailer } from '../outside/mail.ts';
import type { Config } from './config.ts';
import { trackConnections } from './connection-draining.ts';
import { type DashboardFiles, dashboardRoutes } from './dashboard.ts';
import { startHousekeeping } from './housekeeping.ts';
import { openMasterKeys } from './master-key.ts';
import { mcpRoutes } from './mcp/mcp.ts';
import { createReadiness, operationsRoutes } from './operations.ts';
import { openRooms, type Rooms, type RoomsDependencies } from './rooms.ts';
import { createServer } from './server.ts';

/** What a daemon takes from the world. */
export interface DaemonDependencies extends RoomsDependencies {
  /** Where mail is shown when nothing sends it. */
  show(text: string): void;
  version: string;
  dashboardFiles: DashboardFiles;
  timeouts?: { headersMs: number; requestMs: number };
}

/** A daemon that is put together but does not listen yet. */
export interface Daemon extends Rooms {
  app: FastifyInstance;
  /** Listens and starts the work in the background; resolves with the address that people use. */
  start(): Promise<string>;
  /** Says it is not ready, lets requests finish, then closes the database; a second call waits for the first. */
  stop(): Promise<void>;
}

const TIMEOUTS = { headersMs: 10_000, requestMs: 30_000 };
/** Between "not ready" and the closed door, so that a proxy sees the first before it meets the second. */
const STOP_NOTICE_MS = 250;

/**
 * Puts a daemon together: everything is built here, once, and nowhere else. The caller holds the lock of the data
 * folder. Where it throws, nothing is left open.
 */
export async function compose(config: Config, world: DaemonDependencies): Promise<Daemon> {
  const file = await ensureDatabaseFile(config.dataDir);
  const masterKeys = await openMasterKeys(config, world.random);
  await migrate(file);
  const rooms = await openRooms(config, file, world, masterKeys);
  try {
    return await buildDaemon(config, world, rooms);
  } catch (error) {
    await rooms.embeddings?.stop();
    await rooms.db.close();
    throw error;
  }
}

async function buildDaemon(config: Config, world: DaemonDependencies, rooms: Rooms): Promise<Daemon> {
  const { clock, random, log, show, version, dashboardFiles } = world;
  const { db, metrics, ids, sealer, keys, rateLimits, usage, idempotency, accounts } = rooms;
  const { memories, conversations, episodes, portability, search, learning, profile, embeddings } = rooms;
  const { tenantModels, tenantEmbeddings } = rooms;
  const { models, spending, providerKeys, providerSettings, jobs, jobRunner, extraction } = rooms;
  await jobRunner.begin();
  await (embeddings ? embeddings.begin() : pauseEmbeddings(db));
  await tenantModels.begin();

  const { smtpUrl, mailFrom, mailDir } = config;
  const mailer = createMailer({ smtpUrl, mailFrom, mailDir, show, clock, random });
  const mailQueue = createMailQueue({ db, clock, random, sealer, mailer, log });
  let listening = '';
  const publicUrl = () => config.publicUrl ?? listening;
  const signIn = createSignIn({ db, clock, random, sealer, keys, accounts, mailQueue, publicUrl });
  const readiness = createReadiness({ db, clock, dataDir: config.dataDir, embedder: embeddings?.state });
  metrics.gauge('svc_writes_waiting', 'Writes in the queue', () => db.writes.waiting());
  metrics.gauge('svc_reads_waiting', 'Reads in the queue', () => db.readers.waiting());
  metrics.gauge('svc_searches_dropped', 'Searches not kept for feedback', learning.dropped);
  metrics.gauge('svc_mails_pending', 'Mails not sent yet', () => mailQueue.pending());
  metrics.gauge('svc_jobs_open', 'Jobs that have not ended', jobs.open);
  if (embeddings) {
    metrics.gauge('svc_embeddings_waiting', 'Texts in the queue for their vectors', embeddings.waiting);
    metrics.gauge('svc_embedding_failures_total', 'Failures of the embedder', embeddings.failures);
  }
  metrics.gauge('svc_tenant_embeddings_waiting', 'Texts in the queue for models of accounts', tenantEmbeddings.waiting);
  metrics.gauge('svc_tenant_embedding_failures_total', 'Failures of models of accounts', tenantModels.failures);

  const timeouts = world.timeouts ?? TIMEOUTS;
  const app = await createServer({
    log,
    ids,
    version,
    trustProxy: config.trustProxy,
    timeouts,
    guardParts: { keys, rateLimits, usage },
    watch: metrics.watch,
    publicRoutes: [
      operationsRoutes({ readiness, metrics, metricsToken: config.metricsToken }),
      authRoutes({ signIn, accounts, keys, rateLimits, publicUrl }),
      dashboardRoutes({ files: dashboardFiles }),
    ],
    protectedRoutes: [
      accountsRoutes({ accounts, keys, usage, spending, learning }),
      memoriesRoutes({ memories, idempotency }),
      conversationsRoutes({ conversations, idempotency }),
      episodesRoutes({ episodes, idempotency }),
      portabilityRoutes({ portability, clock, idleMs: timeouts.requestMs }),
      searchRoutes({ search }),
      learningRoutes({ learning }),
      providerKeysRoutes({ providerKeys }),
      providerSettingsRoutes({ providerSettings }),
      extractionRoutes({ extraction, idempotency }),
      jobsRoutes({ jobs }),
      mcpRoutes({
        memories,
        search,
        conversations,
        profile,
        learning,
        version,
        publicOrigins: config.publicUrl ? [config.publicUrl] : [],
      }),
    ],
  });

  const chores = [
    { name: 'count requests', everyMs: 5000, run: usage.flushRequests },
    { name: 'empty the write-ahead log', everyMs: 5000, run: db.checkpoint },
    { name: 'merge the indices', everyMs: 5000, run: () => tidyIndices(db) },
    { name: 'keep searches for feedback', everyMs: 1000, run: learning.flush },
    { name: 'cut grown conversations', everyMs: 2000, run: episodes.follow },
    { name: 'erase expired memories', everyMs: 15_000, run: memories.sweep },
    { name: 'finish erasing conversations', everyMs: 60_000, run: conversations.sweep },
    { name: 'take erased episodes off the disk', everyMs: 60_000, run: episodes.sweep },
    { name: 'queue what is to be drawn from', everyMs: 5000, run: extraction.follow },
    { name: 'take up jobs', everyMs: 1000, run: jobRunner.follow },
    { name: 'forget old jobs', everyMs: 600_000, run: jobs.sweep },
    { name: 'forget old sign-ins', everyMs: 600_000, run: signIn.sweep },
    { name: 'forget old searches', everyMs: 600_000, run: learning.sweep },
    { name: 'forget old idempotency keys', everyMs: 600_000, run: idempotency.sweep },
    { name: 'finish erasing accounts', everyMs: 600_000, run: accounts.finishErasing },
    { name: 'embed with models of accounts', everyMs: 1000, run: tenantEmbeddings.follow },
    ...(embeddings ? [{ name: 'embed what is new', everyMs: 1000, run: embeddings.follow }] : []),
  ];
  const door = trackConnections(app);
  let housekeeping: { stop(): Promise<void> } | undefined;
  let stopped: Promise<void> | undefined;

  async function stop(): Promise<void> {
    readiness.stop();
    await new Promise((resolve) => setTimeout(resolve, STOP_NOTICE_MS));
    portability.stop();
    await door.close();
    await embeddings?.stop();
    await tenantEmbeddings.stop();
    await jobRunner.stop();
    await housekeeping?.stop();
    await mailQueue.stop();
    mailer.close();
    await models.close();
    await learning.flush();
    await usage.flushRequests();
    await db.close();
  }

  return {
    ...rooms,
    app,
    async start() {
      await app.listen({ host: config.host, port: config.port });
      listening = urlOfListener(config.host, (app.server.address() as AddressInfo).port);
      mailQueue.start();
      housekeeping = startHousekeeping(chores, log);
      accounts.finishErasing().catch((error) => log.error({ error }, 'could not finish erasing an account'));
      return publicUrl();
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** A transaction for each index, so that no write waits for all of them. */
async function tidyIndices(db: Database): Promise<void> {
  for (const { tidy } of Object.values(textIndices)) await db.writes.write(tidy);
}

/** The address at which people of this machine reach a listener on `host`. */
function urlOfListener(host: string, port: number): string {
  const reachable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host;
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`;
}
