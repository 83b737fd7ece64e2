import { availableParallelism } from 'node:os';
import type { FastifyBaseLogger } from 'fastify';
import type { Tier } from '../contract/limits.ts';
import type { Reader } from '../db/connection.ts';
import type { Database } from '../db/open.ts';
import { openWithVectors } from '../db/open-with-vectors.ts';
import { createAccounts } from '../features/accounts/accounts.ts';
import { findTenant } from '../features/accounts/accounts-store.ts';
import { deleteSignInsOf } from '../features/auth/sign-in-store.ts';
import { createConversations } from '../features/conversations/conversations.ts';
import { createMessageReading } from '../features/conversations/message-reading.ts';
import { createQueryMeaning } from '../features/embeddings/query-meaning.ts';
import { createTenantEmbeddings } from '../features/embeddings/tenant-embeddings.ts';
import type { TenantModels } from '../features/embeddings/tenant-models.ts';
import { createEnvelope, type Envelope } from '../features/envelope/envelope.ts';
import { type MasterKeys, masterKeyOf } from '../features/envelope/master-key.ts';
import { createEpisodes } from '../features/episodes/episodes.ts';
import { createExtraction } from '../features/extraction/extraction.ts';
import { createExtractionUpkeep } from '../features/extraction/extraction-upkeep.ts';
import { createExtractionWork } from '../features/extraction/extraction-work.ts';
import { createIdempotency, type Idempotency } from '../features/idempotency/idempotency.ts';
import { createJobRunner } from '../features/jobs/job-runner.ts';
import { createJobs } from '../features/jobs/jobs.ts';
import { createKeys } from '../features/keys/keys.ts';
import { createLearning } from '../features/learning/learning.ts';
import { observeUse } from '../features/learning/observed-memories.ts';
import { createRateLimits } from '../features/limits/rate-limits.ts';
import { createUsage, type Usage } from '../features/limits/usage.ts';
import { createMemories, type Memories } from '../features/memories/memories.ts';
import { createPortability } from '../features/portability/portability.ts';
import { createProfile } from '../features/profile/profile.ts';
import { createProviderKeys } from '../features/providers/provider-keys.ts';
import { createProviderSettings } from '../features/providers/provider-settings.ts';
import { createSpending } from '../features/providers/spending.ts';
import type { CandidateSearch } from '../features/search/candidate.ts';
import { createCandidatesSqlite } from '../features/search/candidates-sqlite.ts';
import { SIGNAL_MODEL } from '../features/search/learned-order.ts';
import { createRelatedMemories } from '../features/search/related-memories.ts';
import { createSearch } from '../features/search/search.ts';
import { type Cursors, createCursors } from '../features/text/page-cursor.ts';
import { createScopes, type Scopes } from '../features/text/scopes.ts';
import type { Clock } from '../lib/clock.ts';
import { createIds, type Ids } from '../lib/ids.ts';
import type { Random } from '../lib/random.ts';
import { createSealer } from '../lib/seal.ts';
import { createProviderHttp } from '../outside/providers/provider-http.ts';
import { createProviderModels } from '../outside/providers/provider-models.ts';
import { loadTokenCounter } from '../outside/tokens.ts';
import type { Config } from './config.ts';
import { createMetrics } from './metrics.ts';
import { openEmbedder, openEmbeddings } from './open-embeddings.ts';

/** What rooms take from the world. */
export interface RoomsDependencies {
  clock: Clock;
  random: Random;
  log: FastifyBaseLogger;
  /** Where sqlite-vec is, unless it is where it was installed. */
  vectorExtension?: () => Promise<string>;
}

/** The rooms of a data folder: what the daemon serves and the operator's commands use. */
export type Rooms = Awaited<ReturnType<typeof openRooms>>;

/**
 * Opens the (migrated) database file and builds the rooms on it. Without master keys they get one of the moment: what is
 * sealed then nobody opens later. Throws `unprocessable` for a database that is of another schema or is corrupt, or was
 * sealed under another master key, and where an embedder is set and vectors cannot be searched here; `ConfigError` where
 * it is a folder without a model.
 */
export async function openRooms(
  config: Config,
  file: string,
  { clock, random, log, vectorExtension }: RoomsDependencies,
  masterKeys?: MasterKeys,
) {
  const metrics = createMetrics();
  const readerCount = Math.min(4, Math.max(2, availableParallelism()));
  const { monotonicMs } = clock;
  const embedder = config.embeddings && (await openEmbedder(config.embeddings, clock));
  const { db, cannotSearch } = await openWithVectors(
    file,
    { readerCount, monotonicMs, onBatch: metrics.batch },
    { isNeeded: config.embeddings !== undefined, locate: vectorExtension },
  );
  const { embeddings, tenantModels, texts } = await openEmbeddings({ db, clock, log }, embedder, cannotSearch);
  const ids = createIds({ clock, random });
  const envelope = createEnvelope({ db, random, log, masterKeys: masterKeys ?? noMasterKeys(random) });
  const ownKey = masterKeys === undefined ? random.bytes(32) : await orClose(db, envelope.begin());
  const sealer = createSealer({ key: ownKey, random });

  const keys = createKeys({ db, clock, random, log });
  const rateLimits = createRateLimits({ clock });
  const usage = createUsage({ db, clock, log, variant: config.quotas });
  const idempotency = createIdempotency({ db, clock });
  const scopes = createScopes();
  const cursors = createCursors({ sealer });
  const base = { db, clock, ids, usage, idempotency, scopes, cursors };
  const learning = createLearning({ db, clock, log, model: SIGNAL_MODEL });
  const providing = createProviding({ ...base, random, log, envelope, tenantModels }, config);
  const { upkeep } = providing;
  const memories = observeUse(createMemories({ ...base, text: texts.memory, observers: [upkeep] }), learning);
  const episodes = createEpisodes({ ...base, text: texts.episode, reading: createMessageReading({ db }) });
  const observers = [episodes, upkeep];
  const conversations = createConversations({ ...base, text: texts.message, observers });
  const portability = createPortability({ ...base, keys, memories, conversations, episodes, learning });
  const candidates = createCandidatesSqlite({ clock });
  const tenantEmbeddings = createTenantEmbeddings({ ...base, ...providing, log, isThere });
  const meaning = createQueryMeaning({ embeddings, tenantModels, tenantEmbeddings });
  const recalling = { scopes, learning, candidates, meaning, loadTokenCounter };
  const search = createSearch({ db, clock, ids, log, usage, ...recalling });
  const profile = createProfile({ db, clock, loadTokenCounter });
  const drawing = createDrawing({ ...base, ...providing, random, log, memories, candidates });
  const forgetSignIns = deleteSignInsOf;
  const policy = { signup: config.signup, domains: config.signupDomains };
  const { defaultTier } = config;
  // Memories go last: with them the numbers of users, under which the others are indexed.
  const { providerKeys, providerSettings, jobs } = providing;
  const owning = [
    providerKeys,
    jobs,
    drawing.extraction,
    providerSettings,
    learning,
    conversations,
    episodes,
    memories,
    ...(embeddings ? [embeddings] : []),
    tenantEmbeddings,
  ];
  const accounts = createAccounts({ ...base, keys, owning, forgetSignIns, policy, defaultTier });
  const limits = { keys, rateLimits, usage };
  const meanings = { embeddings, tenantModels, tenantEmbeddings };
  const remembering = { memories, conversations, episodes, portability, search, learning, profile, ...meanings };
  return { db, metrics, ids, sealer, ...limits, idempotency, ...remembering, ...providing, ...drawing, accounts };
}

interface Base extends RoomsDependencies {
  db: Database;
  ids: Ids;
  usage: Usage;
  idempotency: Idempotency;
  scopes: Scopes;
  cursors: Cursors;
}

/** What has to do with the keys of providers, and nothing with memories. */
function createProviding(base: Base & { envelope: Envelope; tenantModels: TenantModels }, { providerHosts }: Config) {
  const { tenantModels } = base;
  const models = createProviderModels({ http: createProviderHttp({ allowedHosts: providerHosts }), clock: base.clock });
  const spending = createSpending(base);
  const jobs = createJobs(base);
  const providerSettings = createProviderSettings({ ...base, spending, jobs, embedding: tenantModels });
  const upkeep = createExtractionUpkeep({ ...base, jobs, providerSettings });
  const providerKeys = createProviderKeys({ ...base, models, observers: [providerSettings, upkeep, tenantModels] });
  return { models, spending, jobs, providerSettings, upkeep, providerKeys, tenantModels };
}

/** What draws memories out of conversations. */
function createDrawing(
  parts: Base & ReturnType<typeof createProviding> & { memories: Memories; candidates: CandidateSearch },
) {
  const reading = createMessageReading(parts);
  const related = createRelatedMemories(parts);
  const jobRunner = createJobRunner({ ...parts, work: createExtractionWork({ ...parts, reading, related, tierOf }) });
  const wake = () => {
    jobRunner.follow().catch((error: unknown) => parts.log.warn({ error }, 'due jobs cannot be read'));
  };
  return { jobRunner, extraction: createExtraction({ ...parts, reading, wake }) };
}

async function tierOf(reader: Reader, tenantId: string): Promise<Tier | undefined> {
  return (await findTenant(reader, tenantId))?.tier;
}

async function isThere(reader: Reader, tenantId: string): Promise<boolean> {
  return (await findTenant(reader, tenantId)) !== undefined;
}

async function orClose<T>(db: Database, work: Promise<T>): Promise<T> {
  return work.catch(async (error: unknown) => {
    await db.close();
    throw error;
  });
}

function noMasterKeys(random: Random): MasterKeys {
  const masterKey = masterKeyOf(random.bytes(32));
  const all = [masterKey];
  return { isGiven: false, current: () => all, ensure: async () => masterKey, reload: async () => all };
}
