import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { ensureDatabaseFile } from '../db/database-file.ts';
import { migrate } from '../db/migrate.ts';
import { type Database, openDatabase } from '../db/open.ts';
import { vectorExtension } from '../db/vector-extension.ts';
import { createAccounts } from '../features/accounts/accounts.ts';
import { accountsRoutes } from '../features/accounts/accounts-routes.ts';
import { authRoutes } from '../features/auth/auth-routes.ts';
import { createSignIn } from '../features/auth/sign-in.ts';
import { deleteSignInsOf } from '../features/auth/sign-in-store.ts';
import { createConversations } from '../features/conversations/conversations.ts';
import { conversationsRoutes } from '../features/conversations/conversations-routes.ts';
import { createMessageReading } from '../features/conversations/message-reading.ts';
import { pauseEmbeddings } from '../features/embeddings/embeddings.ts';
import { createEpisodes } from '../features/episodes/episodes.ts';
import { episodesRoutes } from '../features/episodes/episodes-routes.ts';
import { createIdempotency } from '../features/idempotency/idempotency.ts';
import { createKeys } from '../features/keys/keys.ts';
import { createLearning } from '../features/learning/learning.ts';
import { learningRoutes } from '../features/learning/learning-routes.ts';
import { observeUse } from '../features/learning/observed-memories.ts';
import { createRateLimits } from '../features/limits/rate-limits.ts';
import { createUsage } from '../features/limits/usage.ts';
import { createMailQueue } from '../features/mail/mail-queue.ts';
import { createCursors } from '../features/memories/cursor.ts';
import { createMemories } from '../features/memories/memories.ts';
import { memoriesRoutes } from '../features/memories/memories-routes.ts';
import { createScopes } from '../features/memories/scopes.ts';
import { createPortability } from '../features/portability/portability.ts';
import { portabilityRoutes } from '../features/portability/portability-routes.ts';
import { createProfile } from '../features/profile/profile.ts';
import { createCandidatesSqlite } from '../features/search/candidates-sqlite.ts';
import { SIGNAL_MODEL } from '../features/search/learned-order.ts';
import { createSearch } from '../features/search/search.ts';
import { searchRoutes } from '../features/search/search-routes.ts';
import { textIndices } from '../features/search/text-index-sqlite.ts';
import type { Clock } from '../lib/clock.ts';
import { createIds } from '../lib/ids.ts';
import type { Random } from '../lib/random.ts';
import { createSealer } from '../lib/seal.ts';
import { createMailer } from '../outside/mail.ts';
import { loadTokenCounter } from '../outside/tokens.ts';
import type { Config } from './config.ts';
import { type DashboardFiles, dashboardRoutes } from './dashboard.ts';
import { watchDoor } from './door.ts';
import { startHousekeeping } from './housekeeping.ts';
import { loadMasterKey } from './master-key.ts';
import { mcpRoutes } from './mcp.ts';
import { createMetrics } from './metrics.ts';
import { openEmbedder, openEmbeddings } from './open-embeddings.ts';
import { createReadiness, operationsRoutes } from './operations.ts';
import { createServer } from './server.ts';

interface RoomsWorld {
  clock: Clock;
  random: Random;
  log: FastifyBaseLogger;
}

/** What a daemon takes from the world. */
export interface World extends RoomsWorld {
  /** Where mail is shown when nothing sends it. */
  show(text: string): void;
  version: string;
  dashboardFiles: DashboardFiles;
  timeouts?: { headersMs: number; requestMs: number };
}

/** The rooms of a data folder: what the daemon serves and the operator's commands use. */
export type Rooms = Awaited<ReturnType<typeof openRooms>>;

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
 * Opens the (migrated) database file and builds the rooms on it. Without a master key they get one of the moment: what
 * is sealed with it nobody opens later. Throws `unprocessable` for a database that is of another schema or is corrupt,
 * and where an embedder is set and vectors cannot be searched here; `ConfigError` where it is a folder without a model.
 */
export async function openRooms(config: Config, file: string, { clock, random, log }: RoomsWorld) {
  const metrics = createMetrics();
  const readerCount = Math.min(4, Math.max(2, availableParallelism()));
  const { monotonicMs } = clock;
  const extension = config.embeddings && (await vectorExtension());
  const embedder = config.embeddings && (await openEmbedder(config.embeddings));
  const db = await openDatabase(file, { readerCount, monotonicMs, onBatch: metrics.batch, extension });
  const { embeddings, texts } = await openEmbeddings({ db, clock, log }, embedder);
  const ids = createIds({ clock, random });
  const sealer = createSealer({ masterKey: config.masterKey ?? random.bytes(32), random });

  const keys = createKeys({ db, clock, random, log });
  const rateLimits = createRateLimits({ clock });
  const usage = createUsage({ db, clock, log, variant: config.quotas });
  const idempotency = createIdempotency({ db, clock });
  const scopes = createScopes();
  const cursors = createCursors({ sealer });
  const base = { db, clock, ids, usage, idempotency, scopes, cursors };
  const learning = createLearning({ db, clock, log, model: SIGNAL_MODEL });
  const memories = observeUse(createMemories({ ...base, text: texts.memory }), learning);
  const episodes = createEpisodes({ ...base, text: texts.episode, reading: createMessageReading({ db }) });
  const conversations = createConversations({ ...base, text: texts.message, observer: episodes });
  const portability = createPortability({ ...base, keys, memories, conversations, episodes, learning });
  const candidates = createCandidatesSqlite({ clock });
  const recalling = { scopes, learning, candidates, embeddings, loadTokenCounter };
  const search = createSearch({ db, clock, ids, log, usage, ...recalling });
  const profile = createProfile({ db, clock, loadTokenCounter });
  const forgetSignIns = deleteSignInsOf;
  const policy = { signup: config.signup, domains: config.signupDomains };
  const { defaultTier } = config;
  // Memories go last: with them the numbers of users, under which the others are indexed.
  const owning = [learning, conversations, episodes, memories, ...(embeddings ? [embeddings] : [])];
  const accounts = createAccounts({ ...base, keys, owning, forgetSignIns, policy, defaultTier });
  const limits = { keys, rateLimits, usage };
  const remembering = { memories, conversations, episodes, portability, search, learning, profile, embeddings };
  return { db, metrics, ids, sealer, ...limits, idempotency, ...remembering, accounts };
}

/**
 * Puts a daemon together: everything is built here, once, and nowhere else. The caller holds the lock of the data
 * folder. Where it throws, nothing is left open.
 */
export async function compose(config: Config, world: World): Promise<Daemon> {
  const file = await ensureDatabaseFile(config.dataDir);
  const masterKey = config.masterKey ?? (await loadMasterKey(config.dataDir, world.random));
  await migrate(file);
  const rooms = await openRooms({ ...config, masterKey }, file, world);
  try {
    return await buildDaemon(config, world, rooms);
  } catch (error) {
    await rooms.embeddings?.stop();
    await rooms.db.close();
    throw error;
  }
}

async function buildDaemon(config: Config, world: World, rooms: Rooms): Promise<Daemon> {
  const { clock, random, log, show, version, dashboardFiles } = world;
  const { db, metrics, ids, sealer, keys, rateLimits, usage, idempotency, accounts } = rooms;
  const { memories, conversations, episodes, portability, search, learning, profile, embeddings } = rooms;
  await (embeddings ? embeddings.begin() : pauseEmbeddings(db));

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
  if (embeddings) {
    metrics.gauge('svc_embeddings_waiting', 'Texts in the queue for their vectors', embeddings.waiting);
    metrics.gauge('svc_embedding_failures_total', 'Failures of the embedder', embeddings.failures);
  }

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
      accountsRoutes({ accounts, keys, usage, learning }),
      memoriesRoutes({ memories, idempotency }),
      conversationsRoutes({ conversations, idempotency }),
      episodesRoutes({ episodes, idempotency }),
      portabilityRoutes({ portability, clock, idleMs: timeouts.requestMs }),
      searchRoutes({ search }),
      learningRoutes({ learning }),
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
    { name: 'forget old sign-ins', everyMs: 600_000, run: signIn.sweep },
    { name: 'forget old searches', everyMs: 600_000, run: learning.sweep },
    { name: 'forget old idempotency keys', everyMs: 600_000, run: idempotency.sweep },
    { name: 'finish erasing accounts', everyMs: 600_000, run: accounts.finishErasing },
    ...(embeddings ? [{ name: 'embed what is new', everyMs: 1000, run: embeddings.follow }] : []),
  ];
  const door = watchDoor(app);
  let housekeeping: { stop(): Promise<void> } | undefined;
  let stopped: Promise<void> | undefined;

  async function stop(): Promise<void> {
    readiness.stop();
    await new Promise((resolve) => setTimeout(resolve, STOP_NOTICE_MS));
    portability.stop();
    await door.close();
    await embeddings?.stop();
    await housekeeping?.stop();
    await mailQueue.stop();
    mailer.close();
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
