import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { removeLeftRestore } from '../db/restore.ts';
import { accountsRoutes } from '../features/accounts/accounts-routes.ts';
import { activityRoutes } from '../features/activity/activity-routes.ts';
import { authRoutes } from '../features/auth/auth-routes.ts';
import { createClientLinks } from '../features/auth/client-links.ts';
import { deviceRoutes, newDeviceRoutes } from '../features/auth/device-routes.ts';
import { createDeviceSignIn } from '../features/auth/device-sign-in.ts';
import { createMailedLinks } from '../features/auth/mailed-links.ts';
import { createSignIn } from '../features/auth/sign-in.ts';
import { createSignInLimit } from '../features/auth/sign-in-limit.ts';
import { connectionsRoutes } from '../features/connections/connections-routes.ts';
import { newSessionRoutes, sessionRoutes } from '../features/connections/session-routes.ts';
import { conversationsRoutes } from '../features/conversations/conversations-routes.ts';
import { episodesRoutes } from '../features/episodes/episodes-routes.ts';
import { eventsRoutes } from '../features/events/events-routes.ts';
import { extractionRoutes } from '../features/extraction/extraction-routes.ts';
import { jobsRoutes } from '../features/jobs/jobs-routes.ts';
import { learningRoutes } from '../features/learning/learning-routes.ts';
import { createMailQueue } from '../features/mail/mail-queue.ts';
import { memoriesRoutes } from '../features/memories/memories-routes.ts';
import { memoryStoresRoutes } from '../features/memory-stores/memory-stores-routes.ts';
import { neighborsRoutes } from '../features/neighbors/neighbors-routes.ts';
import { createMailedConsent } from '../features/oauth/mailed-consent.ts';
import { oauthParts } from '../features/oauth/oauth-routes.ts';
import { operatorRoutes } from '../features/operator/operator-routes.ts';
import { portabilityRoutes } from '../features/portability/portability-routes.ts';
import { profileRoutes } from '../features/profile/profile-routes.ts';
import { providerKeysRoutes } from '../features/providers/provider-keys-routes.ts';
import { providerSettingsRoutes } from '../features/providers/provider-settings-routes.ts';
import { rememberRoutes } from '../features/remember/remember-routes.ts';
import { searchRoutes } from '../features/search/search-routes.ts';
import { createSpaceCopies } from '../features/spaces/space-copies.ts';
import { createSpaces } from '../features/spaces/spaces.ts';
import { spacesRoutes } from '../features/spaces/spaces-routes.ts';
import { suggestionsRoutes } from '../features/suggestions/suggestions-routes.ts';
import { tidyRoutes } from '../features/tidy/tidy-routes.ts';
import { topicsRoutes } from '../features/topics/topics-routes.ts';
import { usersRoutes } from '../features/users/users-routes.ts';
import { webhooksRoutes } from '../features/webhooks/webhooks-routes.ts';
import { createMailer } from '../outside/mail.ts';
import { watchActivity } from './activity-hooks.ts';
import { backgroundTasksOf } from './background-tasks.ts';
import { createClockCheck } from './clock-check.ts';
import { isOAuthOn } from './config.ts';
import type { Config } from './config-settings.ts';
import { listenerUrl } from './config-values.ts';
import { trackConnections } from './connection-draining.ts';
import { dashboardRoutes } from './dashboard.ts';
import { prepareDatabase } from './database-location.ts';
import { createAuthentication } from './guard.ts';
import { createReadiness, healthRoutes } from './health.ts';
import { llmsTextRoutes } from './llms-text.ts';
import { openMasterKeys } from './master-key.ts';
import { mcpRoutes } from './mcp/mcp.ts';
import { composeOperator } from './operator.ts';
import { addQueueMetrics } from './queue-metrics.ts';
import { referenceRoutes } from './reference.ts';
import { createRefusalPace } from './refusal-pace.ts';
import { openRooms, type Rooms, type RoomsDependencies } from './rooms.ts';
import { createScheduledBackups } from './scheduled-backup.ts';
import { type BackgroundTask, startScheduler } from './scheduler.ts';
import { createServer } from './server.ts';
import type { StaticFiles } from './static-files.ts';
import { createUpdateCheck } from './update-check.ts';

/** External dependencies of a daemon. */
export interface DaemonDependencies extends RoomsDependencies {
  /** Shows mail if no mail transport is configured. */
  show(text: string): void;
  version: string;
  dashboardFiles: StaticFiles;
  referenceFiles: StaticFiles;
  timeouts?: { headersMs: number; requestMs: number };
  /** Delay between reporting not ready and refusing connections, so that load balancers notice in time. */
  stopNoticeMs?: number;
  /** How long requests may take to finish while the daemon stops. */
  drainLimitMs?: number;
  /** Overrides how callers past their rate limit wait for a refusal. */
  refusalWait?: (ms: number) => Promise<void>;
  /** Overrides how often a background task runs; `undefined` for one that the caller runs itself. */
  taskIntervalMs?: (task: BackgroundTask) => number | undefined;
}

/** A composed daemon that is not listening yet. */
export interface Daemon extends Rooms {
  app: FastifyInstance;
  /** Starts listening and the background tasks; resolves with the public URL. */
  start(): Promise<string>;
  /** Reports not ready, drains requests, then closes the database. Idempotent. */
  stop(): Promise<void>;
}

/** Of the 25 seconds in which a daemon stops; what it has in memory is stored after that. */
const DRAIN_LIMIT_MS = 18_000;
const TIMEOUTS = { headersMs: 10_000, requestMs: 30_000 };
const STOP_NOTICE_MS = 250;

/**
 * Composition root: builds everything that a daemon needs. The caller holds the lock of the data folder. If it throws,
 * nothing is left open.
 */
export async function compose(config: Config, dependencies: DaemonDependencies): Promise<Daemon> {
  const { log, random } = dependencies;
  await removeLeftRestore(join(config.dataDir, 'svc.db')).catch((error: unknown) =>
    log.warn({ error }, 'could not delete what a killed restore left'),
  );
  const masterKeys = await openMasterKeys(config, random);
  const location = await prepareDatabase(config);
  const rooms = await openRooms(config, location, dependencies, masterKeys);
  try {
    return await buildDaemon(config, dependencies, rooms);
  } catch (error) {
    await rooms.embeddings.stop();
    await rooms.limiting.stop();
    await rooms.db.close();
    throw error;
  }
}

async function buildDaemon(config: Config, dependencies: DaemonDependencies, rooms: Rooms): Promise<Daemon> {
  const { clock, random, log, show, version, dashboardFiles, referenceFiles } = dependencies;
  const { db, metrics, ids, sealer, keys, sessions, devices, oauth, connections, memberships, membershipChanges } =
    rooms;
  const { cursors, limiting, usage, idempotency } = rooms;
  const {
    accounts,
    users,
    memories,
    findRelated,
    conversations,
    episodes,
    portability,
    search,
    storedLanguages,
    learning,
    profile,
    embeddings,
    activity,
    events,
    webhooks,
  } = rooms;
  const { leases, tenantModels, tenantEmbeddings } = rooms;
  const {
    models,
    spending,
    providerKeys,
    providerSettings,
    jobs,
    jobRunner,
    extraction,
    portions,
    tidy,
    tidyJobs,
    remember,
    suggestions,
    suggestionSettings,
    topics,
  } = rooms;
  const { rateLimits } = limiting;
  await limiting.begin();
  const resumeIndexing = async () => {
    await memories.resume();
    await conversations.resume();
  };
  await resumeIndexing();
  await portability.begin();
  await jobRunner.begin();
  await embeddings.begin();
  await tenantModels.begin();

  const { smtpUrl, mailFrom, mailDir } = config;
  const mailer = createMailer({ smtpUrl, mailFrom, mailDir, show, clock, random });
  const mailQueue = createMailQueue({ db, clock, random, sealer, mailer, log });
  let listenUrl = '';
  const publicUrl = () => config.publicUrl ?? listenUrl;
  const links = createMailedLinks({ clock, random, accounts, mailQueue, publicUrl });
  const signingIn = { db, clock, random, sealer, accounts, links, mailQueue };
  const signIn = createSignIn({ ...signingIn, keys, sessions });
  const deviceSignIn = createDeviceSignIn({ ...signingIn, devices, publicUrl });
  const limitSignIns = createSignInLimit(rateLimits);
  const clientLinks = createClientLinks({ db, clock, links, mailQueue });
  const mailedConsent = createMailedConsent({ db, accounts, clientLinks, ...oauth, publicUrl });
  const oauthUse = { isOn: isOAuthOn(config), oauth, mailedConsent, rateLimits, limitSignIns, random, publicUrl };
  const oauthPart = oauthParts(oauthUse);
  const spaces = createSpaces({
    ...{ db, clock, ids, cursors, idempotency, mailQueue, rateLimits, publicUrl, memberships, accounts },
    ...{ makers: config.spaces, changes: membershipChanges },
  });
  const copyIntoSpace = createSpaceCopies({ memories, memberships, spaces });
  const authentication = createAuthentication({ bearers: [keys, devices, ...oauthPart.bearers], sessions, publicUrl });
  // PostgreSQL is backed up with its own tools.
  const backups = config.databaseUrl === undefined ? createScheduledBackups({ config, clock, log }) : undefined;
  const checkUpdates = config.updateCheck === 'on';
  const updates = checkUpdates ? createUpdateCheck({ url: config.updateUrl, version, clock, log }) : undefined;
  const states = { embedder: embeddings.state, backup: () => backups?.state(), update: () => updates?.available() };
  const readiness = createReadiness({ db, clock, dataDir: config.dataDir, ...states });
  addQueueMetrics(rooms, mailQueue);
  const operatorParts = { clock, random, log, version, mailQueue, readiness, backups, limitSignIns };
  const operator = composeOperator(config, rooms, operatorParts);

  const publicOrigins = [...(config.publicUrl ? [config.publicUrl] : []), ...config.corsOrigins];
  const timeouts = dependencies.timeouts ?? TIMEOUTS;
  const app = await createServer({
    log,
    ids,
    version,
    publicUrl,
    trustProxy: config.trustProxy,
    corsOrigins: config.corsOrigins,
    timeouts,
    guardParts: {
      ...{ authentication, rateLimits, usage, memberships },
      refusalPace: createRefusalPace(clock, dependencies.refusalWait),
    },
    watch(server) {
      metrics.watch(server);
      watchActivity(server, activity);
    },
    publicRoutes: [
      healthRoutes({ readiness, metrics, metricsToken: config.metricsToken }),
      authRoutes({ signIn, deviceSignIn, accounts, keys, limitSignIns, publicUrl }),
      newDeviceRoutes({ deviceSignIn, devices, accounts, limitSignIns }),
      newSessionRoutes({ sessions, publicUrl, limitSignIns, requirePrincipal: authentication.require }),
      operatorRoutes(operator.parts),
      dashboardRoutes({ files: dashboardFiles }),
      referenceRoutes({ files: referenceFiles }),
      llmsTextRoutes({ publicUrl, hasOAuth: oauthUse.isOn }),
      ...oauthPart.publicRoutes,
    ],
    protectedRoutes: [
      accountsRoutes({ accounts, keys, usage, spending, learning }),
      activityRoutes({ activity }),
      sessionRoutes({ sessions, connections, publicUrl }),
      connectionsRoutes({ connections }),
      deviceRoutes({ deviceSignIn, limitSignIns }),
      eventsRoutes({ events }),
      webhooksRoutes({ webhooks, idempotency }),
      spacesRoutes({ spaces, copy: copyIntoSpace, idempotency }),
      usersRoutes({ users }),
      profileRoutes({ profile, memberships }),
      memoriesRoutes(rooms),
      memoryStoresRoutes(rooms),
      neighborsRoutes(rooms),
      conversationsRoutes({ conversations, idempotency }),
      rememberRoutes({ remember, idempotency }),
      episodesRoutes({ episodes, idempotency }),
      portabilityRoutes({ portability, spaces, clock, idleMs: timeouts.requestMs }),
      searchRoutes({ search, storedLanguages, memberships }),
      suggestionsRoutes({ suggestions, settings: suggestionSettings, idempotency }),
      topicsRoutes({ topics, idempotency }),
      learningRoutes({ learning }),
      providerKeysRoutes({ providerKeys }),
      providerSettingsRoutes({ providerSettings }),
      extractionRoutes({ extraction, idempotency }),
      tidyRoutes({ tidyJobs, idempotency }),
      jobsRoutes({ jobs }),
      mcpRoutes({
        ...{
          memories,
          findRelated,
          memberships,
          search,
          conversations,
          episodes,
          profile,
          learning,
          portions,
          tidy,
          suggestions,
          sealer,
          clock,
          version,
          publicUrl,
          publicOrigins,
          random,
        },
        challenge: oauthPart.challenge,
      }),
      ...oauthPart.protectedRoutes,
    ],
  });

  const { taskIntervalMs = ({ everyMs }) => everyMs } = dependencies;
  const tasks = backgroundTasksOf(rooms, { signIn, deviceSignIn, spaces, resumeIndexing, backups, updates }).flatMap(
    (task) => {
      const everyMs = taskIntervalMs(task);
      return everyMs === undefined ? [] : [{ ...task, everyMs }];
    },
  );
  const openSockets = trackConnections(app);
  let scheduler: { stop(): Promise<void> } | undefined;
  let stopped: Promise<void> | undefined;

  async function stop(): Promise<void> {
    readiness.stop();
    await new Promise((resolve) => setTimeout(resolve, dependencies.stopNoticeMs ?? STOP_NOTICE_MS));
    portability.stop();
    await operator.stop();
    events.stop();
    await webhooks.stop();
    const cutOff = await openSockets.close(dependencies.drainLimitMs ?? DRAIN_LIMIT_MS);
    if (cutOff > 0) log.warn({ requests: cutOff }, 'some requests did not finish in time and were cut off');
    await embeddings.stop();
    await tenantEmbeddings.stop();
    await jobRunner.stop();
    await scheduler?.stop();
    await mailQueue.stop();
    mailer.close();
    await oauth.close();
    await models.close();
    await learning.flush();
    await usage.flushRequests();
    await activity.flush();
    await leases.release().catch((error: unknown) => log.warn({ error }, 'could not give back the leases'));
    await limiting.stop();
    await db.close();
  }

  return {
    ...rooms,
    app,
    async start() {
      await app.listen({ host: config.host, port: config.port });
      listenUrl = listenerUrl(config.host, (app.server.address() as AddressInfo).port);
      mailQueue.start();
      scheduler = startScheduler(tasks, { leases, log, hasRightClock: createClockCheck({ db, clock, log }) });
      accounts.finishErasing().catch((error) => log.error({ error }, 'could not finish erasing an account'));
      users.finishErasing().catch((error) => log.error({ error }, 'could not finish erasing a user'));
      return publicUrl();
    },
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}
