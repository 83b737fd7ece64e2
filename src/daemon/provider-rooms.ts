import type { Tier } from '../contract/limits.ts';
import type { Reader } from '../db/connection.ts';
import type { Database } from '../db/open.ts';
import type { MessageReading } from '../features/conversations/message-reading.ts';
import type { TenantModels } from '../features/embeddings/tenant-models.ts';
import type { Envelope } from '../features/envelope/envelope.ts';
import { createAskModel } from '../features/extraction/ask-model.ts';
import { createExtraction } from '../features/extraction/extraction.ts';
import { createExtractionHandler } from '../features/extraction/extraction-handler.ts';
import { createExtractionObserver } from '../features/extraction/extraction-observer.ts';
import { createPortions } from '../features/extraction/portions.ts';
import { createAddRelated } from '../features/extraction/replaced.ts';
import { createShownChunks } from '../features/extraction/shown-chunk.ts';
import { createSupersede } from '../features/extraction/successions.ts';
import type { Idempotency } from '../features/idempotency/idempotency.ts';
import { createJobRunner, type JobHandler } from '../features/jobs/job-runner.ts';
import { createJobs } from '../features/jobs/jobs.ts';
import type { Usage } from '../features/limits/usage.ts';
import type { Memories } from '../features/memories/memories.ts';
import { createProviderKeys } from '../features/providers/provider-keys.ts';
import { createProviderSettings } from '../features/providers/provider-settings.ts';
import { createSpending } from '../features/providers/spending.ts';
import { findRelatedBy, type RelatedMemories } from '../features/search/related-memories.ts';
import type { Suggestions } from '../features/suggestions/suggestions.ts';
import type { Cursors } from '../features/text/page-cursor.ts';
import { createTidyHandler } from '../features/tidy/tidy-handler.ts';
import { createTidyJobs } from '../features/tidy/tidy-jobs.ts';
import type { ReadPortion } from '../features/tidy/work-list.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Random } from '../lib/random.ts';
import { createProviderHttp } from '../outside/providers/provider-http.ts';
import { createProviderModels } from '../outside/providers/provider-models.ts';
import type { Config } from './config-settings.ts';

interface ProviderDependencies {
  db: Database;
  clock: Clock;
  ids: Ids;
  cursors: Cursors;
  usage: Usage;
  envelope: Envelope;
  tenantModels: TenantModels;
  allowedHosts: Config['providerHosts'];
}

/** Builds the modules for tenants' own providers: keys, settings, spending, and the jobs that use them. */
export function composeProviders(dependencies: ProviderDependencies) {
  const { db, clock, ids, cursors, usage, envelope, tenantModels, allowedHosts } = dependencies;
  const jobs = createJobs({ db, clock, ids, cursors });
  const spending = createSpending({ db, clock });
  const providerSettings = createProviderSettings({ db, clock, usage, spending, jobs, embedding: tenantModels });
  const extractionObserver = createExtractionObserver({ clock, jobs, providerSettings });
  const models = createProviderModels({ http: createProviderHttp({ allowedHosts }), clock });
  const observers = [providerSettings, extractionObserver, tenantModels];
  const providerKeys = createProviderKeys({ db, clock, ids, cursors, usage, envelope, models, observers });
  return { jobs, spending, providerSettings, extractionObserver, models, providerKeys };
}

interface JobDependencies {
  db: Database;
  clock: Clock;
  random: Random;
  log: Log;
  usage: Usage;
  idempotency: Idempotency;
  providers: ReturnType<typeof composeProviders>;
  reading: MessageReading;
  memories: Memories;
  related: RelatedMemories;
  suggestions: Suggestions;
  readPortion: ReadPortion;
  /** The tier of a tenant that exists. */
  tierOf(reader: Reader, tenantId: string): Promise<Tier | undefined>;
}

/** Builds the jobs that extract and tidy memories, on top of providers and memories. */
export function composeJobs(dependencies: JobDependencies) {
  const {
    db,
    clock,
    random,
    log,
    usage,
    idempotency,
    providers,
    reading,
    memories,
    related,
    suggestions,
    readPortion,
    tierOf,
  } = dependencies;
  const { jobs, spending, models, providerKeys, providerSettings } = providers;
  const chunks = createShownChunks({ reading, memories, related, tierOf });
  const askModel = createAskModel({ db, jobs, providerKeys, models, spending, usage });
  const addRelated = createAddRelated({ db, memories, findRelated: findRelatedBy(related) });
  const supersede = createSupersede({ db, memories });
  const replacing = { addRelated, supersede };
  const extract = createExtractionHandler({ db, clock, jobs, reading, chunks, ...replacing, askModel, usage });
  const tidy = createTidyHandler({ db, clock, jobs, memories, suggestions, readPortion, askModel });
  const work: JobHandler = (job, signal) => (job.kind === 'tidy' ? tidy : extract)(job, signal);
  const jobRunner = createJobRunner({ db, clock, random, log, jobs, work });
  const wake = () => {
    jobRunner.follow().catch((error: unknown) => log.warn({ error }, 'could not read due jobs'));
  };
  const extraction = createExtraction({
    db,
    clock,
    log,
    usage,
    idempotency,
    jobs,
    reading,
    providerKeys,
    providerSettings,
    wake,
  });
  const tidyJobs = createTidyJobs({ db, clock, log, usage, idempotency, jobs, providerKeys, providerSettings, wake });
  const portions = createPortions({ db, clock, reading, chunks, memories, ...replacing, jobs });
  return { jobRunner, extraction, tidyJobs, portions };
}
