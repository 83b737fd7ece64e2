import { join } from 'node:path';
import type { Tier } from '../contract/limits.ts';
import type { Reader } from '../db/connection.ts';
import type { Database } from '../db/open.ts';
import { createAccounts } from '../features/accounts/accounts.ts';
import { findTenant, insertTenant } from '../features/accounts/accounts-store.ts';
import { createActivity } from '../features/activity/activity.ts';
import { deleteSignInsOf } from '../features/auth/sign-in-store.ts';
import { createConnections } from '../features/connections/connections.ts';
import { createDevices } from '../features/connections/devices.ts';
import { createSessions } from '../features/connections/sessions.ts';
import { deleteTicketsOf } from '../features/connections/tickets-store.ts';
import { createConversations } from '../features/conversations/conversations.ts';
import { createMessageReading } from '../features/conversations/message-reading.ts';
import { redactMessages } from '../features/conversations/message-redaction.ts';
import { createQueryEmbedder } from '../features/embeddings/query-embedder.ts';
import { createTenantEmbeddings } from '../features/embeddings/tenant-embeddings.ts';
import { createEnvelope } from '../features/envelope/envelope.ts';
import { type MasterKeys, masterKeyOf } from '../features/envelope/master-key.ts';
import { createEpisodes } from '../features/episodes/episodes.ts';
import { createEvents } from '../features/events/events.ts';
import { extractionTransfer } from '../features/extraction/extraction-import-export.ts';
import { createIdempotency } from '../features/idempotency/idempotency.ts';
import { createKeys, type Principal } from '../features/keys/keys.ts';
import { createLearning } from '../features/learning/learning.ts';
import { observeAnswers, observeUse } from '../features/learning/observed-answers.ts';
import { createUsage } from '../features/limits/usage.ts';
import { deletedSourcesObserver } from '../features/memories/deleted-sources.ts';
import { createMemories } from '../features/memories/memories.ts';
import { redactMemories } from '../features/memories/memory-redaction.ts';
import { createMemoryStores } from '../features/memory-stores/memory-stores.ts';
import { createMemoryUse } from '../features/neighbors/memory-use.ts';
import { createNeighbors } from '../features/neighbors/neighbors.ts';
import { createOAuth } from '../features/oauth/oauth.ts';
import { createSpool } from '../features/portability/export-spool.ts';
import { createPortability } from '../features/portability/portability.ts';
import { createProfile } from '../features/profile/profile.ts';
import { createRemember } from '../features/remember/remember.ts';
import { createCandidates } from '../features/search/candidates.ts';
import { subjectTerms } from '../features/search/parsed-query.ts';
import { SIGNAL_MODEL } from '../features/search/ranking.ts';
import { createRelatedMemories, findRelatedBy } from '../features/search/related-memories.ts';
import { createSearch } from '../features/search/search.ts';
import { createSimilarMemories } from '../features/search/similar-memories.ts';
import { createStoredLanguages } from '../features/search/stored-languages.ts';
import { createSessionStart } from '../features/session-start/session-start.ts';
import { createMembershipChanges } from '../features/spaces/membership-changes.ts';
import { createMemberships } from '../features/spaces/memberships.ts';
import { createAutomaticDecisions } from '../features/suggestions/automatic-decisions.ts';
import { createComparing } from '../features/suggestions/comparing.ts';
import { redactSuggestions } from '../features/suggestions/suggestion-redaction.ts';
import { createSuggestionSettings } from '../features/suggestions/suggestion-settings.ts';
import { createSuggestions } from '../features/suggestions/suggestions.ts';
import { createCursors } from '../features/text/page-cursor.ts';
import { redactContents } from '../features/text/redacted-contents.ts';
import { createScopes } from '../features/text/scopes.ts';
import { createTidy } from '../features/tidy/tidy.ts';
import { createWorkList } from '../features/tidy/work-list.ts';
import { createTopics } from '../features/topics/topics.ts';
import { createUsers } from '../features/users/users.ts';
import { createWebhooks } from '../features/webhooks/webhooks.ts';
import { createWords } from '../features/words/words.ts';
import { createIds } from '../lib/ids.ts';
import type { Random } from '../lib/random.ts';
import { redactSecrets, withoutMasks } from '../lib/redaction.ts';
import { createSealer } from '../lib/seal.ts';
import { tokenCounterOf } from '../outside/tokens.ts';
import { createWebhookHttp } from '../outside/webhook-http.ts';
import type { Config } from './config-settings.ts';
import type { DatabaseLocation } from './database-location.ts';
import { lastBackupMs } from './last-backup.ts';
import { createMetrics } from './metrics.ts';
import { openRateLimits } from './open-rate-limits.ts';
import { openStorage, type StorageDependencies } from './open-storage.ts';
import { composeJobs, composeProviders } from './provider-rooms.ts';

/** External dependencies of the modules. */
export interface RoomsDependencies extends StorageDependencies {
  random: Random;
  /** Overrides the clock of PostgreSQL and Redis, by which rate limits are counted over several daemons. */
  sharedNowMs?: () => number;
}

/** The modules of a data folder, used by the daemon and the admin commands. */
export type Rooms = Awaited<ReturnType<typeof openRooms>>;

/**
 * Opens the (migrated) database and builds every module on it, dependencies first. Without master keys an ephemeral
 * one is used; nothing sealed with it can be opened later. Throws `unprocessable` if the database has another schema, is
 * corrupt or was sealed under another master key, or if an embedder is configured but sqlite-vec cannot be loaded.
 */
export async function openRooms(
  config: Config,
  location: DatabaseLocation,
  dependencies: RoomsDependencies,
  masterKeys?: MasterKeys,
) {
  const { clock, random, log } = dependencies;
  const metrics = createMetrics();
  const storage = await openStorage(config, location, dependencies, metrics.batch);
  const { db, isShared, leases, embeddings, tenantModels, texts } = storage;
  const ids = createIds({ clock, random });
  const envelope = createEnvelope({ db, random, log, masterKeys: masterKeys ?? ephemeralMasterKeys(random) });
  const ownKey = masterKeys === undefined ? random.bytes(32) : await closeOnError(db, envelope.begin());
  const sealer = createSealer({ key: ownKey, random });

  const keys = createKeys({ db, clock, random, log, onEnd: deleteTicketsOf });
  const sessions = createSessions({ db, clock, random, ids, log });
  const devices = createDevices({ db, clock, random, ids, log });
  const limiting = openRateLimits(config, { db, clock, random, log, metrics, sharedNowMs: dependencies.sharedNowMs });
  const { quotas: variant, storageLimits } = config;
  const usage = createUsage({ db, clock, log, variant, storageLimits, isShared });
  const idempotency = createIdempotency({ db, clock });
  const scopes = createScopes({ isCaching: !isShared });
  const cursors = createCursors({ sealer });
  const activity = createActivity({ db, clock, log, cursors });
  const oauth = createOAuth({ db, clock, ids, random, log });
  const credentials = { apiKey: keys, session: sessions, device: devices, oauth: oauth.accessTokens };
  const membershipChanges = createMembershipChanges({
    ...{ clock, ids },
    async departed(connection, { tenantId, author, role }) {
      if (role !== 'owner') await webhooks.switchOff(connection, { tenantId, author });
      if (role === 'owner' || role === 'writer') return;
      await jobs.cancel(connection, tenantId, { author }, 'Whoever started it may no longer write in the space.');
    },
  });
  const memberships = createMemberships({
    ...{ db, clock, ids, idempotency },
    addTenant: insertTenant,
    changes: membershipChanges,
  });
  const refresh = async (principal: Principal) => {
    const { kind, hash } = principal.credential;
    return memberships.refresh(principal, await credentials[kind].refresh(hash));
  };
  const events = createEvents({ db, clock, log, refresh });
  const connections = createConnections({ db, clock, cursors, enterSpace: memberships.enter });
  const isRedacting = config.redact === 'on';
  const maskQuery = isRedacting ? (query: string) => redactSecrets(query).text : (query: string) => query;
  const { liveDaemons } = limiting;
  const learning = createLearning({
    ...{ db, clock, log, model: SIGNAL_MODEL, cursors, usage, scopes, isShared, liveDaemons, maskQuery },
    wordsOf: (query) => subjectTerms(withoutMasks(query)),
  });

  const { providerHosts: allowedHosts } = config;
  const providers = composeProviders({ db, clock, ids, cursors, usage, envelope, tenantModels, allowedHosts });
  const { jobs, spending, providerSettings, extractionObserver, models, providerKeys } = providers;
  const webhooks = createWebhooks({
    ...{ db, clock, random, ids, log, cursors, usage, idempotency, envelope, events },
    http: createWebhookHttp({ allowedHosts }),
  });

  const storing = { db, clock, ids, usage, idempotency, scopes, cursors };
  const unobserved = createMemories({ ...storing, text: texts.memory, observers: [extractionObserver] });
  const memories = observeUse(isRedacting ? redactMemories(unobserved) : unobserved, learning);
  const reading = createMessageReading({ db });
  const episodes = createEpisodes({
    ...storing,
    text: texts.episode,
    reading,
  });
  const unredacted = createConversations({
    ...storing,
    text: texts.message,
    observers: [episodes, extractionObserver, deletedSourcesObserver],
  });
  const conversations = observeAnswers(isRedacting ? redactMessages(unredacted) : unredacted, { learning, clock });

  const words = createWords();
  const candidates = createCandidates(words);
  const embedding = { db, clock, random, log, leases, models, providerKeys, spending, tenantModels, tenantExists };
  const tenantEmbeddings = createTenantEmbeddings(embedding);
  const queryEmbedder = createQueryEmbedder({ embeddings, tenantModels, tenantEmbeddings });
  const suggestionSettings = createSuggestionSettings({ db, clock, usage });
  const unmasked = createSuggestions({ ...storing, memories, reading, tierOf, settings: suggestionSettings });
  const suggestions = isRedacting ? redactSuggestions(unmasked) : unmasked;
  const portability = createPortability({
    db,
    clock,
    refresh,
    leases,
    usage,
    idempotency,
    scopes,
    memories,
    conversations,
    episodes,
    extraction: extractionTransfer,
    learning,
    suggestions,
    spool: createSpool({ folder: join(config.dataDir, 'exports'), random }),
  });
  const { possibleSuccessors } = suggestions;
  const startSession = createSessionStart({ db, clock, memories, possibleSuccessors, tokenCounterOf });
  const searching = {
    ...{ db, clock, ids, log, usage, scopes, memories, learning, candidates, queryEmbedder, tokenCounterOf },
    ...{ startSession, possibleSuccessors },
  };
  const search = createSearch(searching);
  const storedLanguages = createStoredLanguages({ db, queryEmbedder });

  const memoryUse = createMemoryUse({ db, memories, learning });
  const similar = createSimilarMemories({ db, candidates });
  const neighbors = createNeighbors({ db, clock, memories, queryEmbedder, similar });
  const related = createRelatedMemories({ db, clock, scopes, similar });
  const topics = createTopics({ ...storing, words, memories, similar, possibleSuccessors });
  const profile = createProfile({ db, clock, tokenCounterOf, topics });
  const comparing = createComparing({ db, clock, log, words, memories, reading, related, suggestions, topics });
  const readPortion = createWorkList({ db, clock, scopes, memories, similar, suggestions });
  const { jobRunner, extraction, tidyJobs, portions } = composeJobs({
    ...{ ...storing, random, log, providers, reading, memories, related, suggestions, readPortion, tierOf },
  });
  const automaticDecisions = createAutomaticDecisions({
    db,
    clock,
    log,
    settings: suggestionSettings,
    deciding: suggestions,
  });
  const tidy = createTidy({ cursors, suggestions, readPortion });
  const remember = createRemember({ conversations, extraction });

  // When an account is erased, memories go last among the indexed data: they delete the user scopes of the index.
  const ofUsers = [webhooks, tidyJobs, suggestions, topics, conversations, episodes, memories, learning];
  const erasables = [
    portability,
    providerKeys,
    jobs,
    extraction,
    providerSettings,
    comparing,
    suggestionSettings,
    ...ofUsers,
    embeddings,
    tenantEmbeddings,
    activity,
    events,
    oauth.grants,
    memberships,
  ];
  const users = createUsers({ db, clock, scopes, cursors, erasables: ofUsers, searches: learning.searches, webhooks });
  const mask = async (tenantId: string, content: string) =>
    isRedacting ? (await redactContents(tenantId, [{ content }])).items[0]!.content : content;
  const memoryStores = createMemoryStores({ ...storing, memories, suggestions, users, mask });
  const accounts = createAccounts({
    db,
    clock,
    ids,
    keys,
    connections,
    usage,
    idempotency,
    erasables,
    memberships,
    flushActivity: activity.flush,
    deleteSignIns: deleteSignInsOf,
    countSuggestions: suggestions.countOpen,
    countUnread: comparing.countUnread,
    policy: { signup: config.signup, domains: config.signupDomains },
    defaultTier: config.defaultTier,
    lastBackupMs: config.databaseUrl === undefined ? () => lastBackupMs(config.dataDir) : undefined,
  });
  return {
    db,
    isShared,
    leases,
    metrics,
    ids,
    cursors,
    sealer,
    keys,
    sessions,
    devices,
    oauth,
    connections,
    memberships,
    membershipChanges,
    limiting,
    usage,
    idempotency,
    accounts,
    users,
    activity,
    events,
    webhooks,
    memories,
    findRelated: findRelatedBy(related),
    memoryUse,
    memoryStores,
    neighbors,
    conversations,
    episodes,
    portability,
    search,
    storedLanguages,
    learning,
    profile,
    embeddings,
    tenantModels,
    tenantEmbeddings,
    models,
    spending,
    jobs,
    providerSettings,
    providerKeys,
    jobRunner,
    extraction,
    suggestions,
    suggestionSettings,
    automaticDecisions,
    comparing,
    topics,
    portions,
    tidy,
    tidyJobs,
    remember,
  };
}

async function tierOf(reader: Reader, tenantId: string): Promise<Tier | undefined> {
  return (await findTenant(reader, tenantId))?.tier;
}

async function tenantExists(reader: Reader, tenantId: string): Promise<boolean> {
  return (await findTenant(reader, tenantId)) !== undefined;
}

async function closeOnError<T>(db: Database, work: Promise<T>): Promise<T> {
  return work.catch(async (error: unknown) => {
    await db.close();
    throw error;
  });
}

function ephemeralMasterKeys(random: Random): MasterKeys {
  const masterKey = masterKeyOf(random.bytes(32));
  const all = [masterKey];
  return { isGiven: false, current: () => all, ensure: async () => masterKey, reload: async () => all };
}
