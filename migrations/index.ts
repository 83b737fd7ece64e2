import type { Knex } from 'knex';
import { accounts } from './0001-accounts.ts';
import { memories } from './0002-memories.ts';
import { conversations } from './0003-conversations.ts';
import { signals } from './0004-signals.ts';
import { learning } from './0005-learning.ts';
import { vectors } from './0006-vectors.ts';
import { providerKeys } from './0007-provider-keys.ts';
import { extraction } from './0008-extraction.ts';
import { tenantModels } from './0009-tenant-models.ts';
import { pinnedMemories } from './0010-pinned-memories.ts';
import { wordTotals } from './0011-word-totals.ts';
import { storedBytes } from './0012-stored-bytes.ts';
import { projects } from './0013-projects.ts';
import { partsAndUsers } from './0014-parts-and-users.ts';
import { textsToIndex } from './0015-texts-to-index.ts';
import { leases } from './0016-leases.ts';
import { databaseState } from './0017-database-state.ts';
import { connections } from './0018-connections.ts';
import { activity } from './0019-activity.ts';
import { openedSearches } from './0020-opened-searches.ts';
import { changes } from './0021-changes.ts';
import { operatorTickets } from './0022-operator-tickets.ts';
import { memoryOrigins } from './0023-memory-origins.ts';
import { mixtureDays } from './0024-mixture-days.ts';
import { deviceConnections } from './0025-device-connections.ts';
import { oauth } from './0026-oauth.ts';
import { searchClients } from './0028-search-clients.ts';
import { clientConsent } from './0029-client-consent.ts';
import { modelAgreements } from './0030-model-agreements.ts';
import { indexVersions } from './0031-index-versions.ts';
import { memorySpeakers } from './0032-memory-speakers.ts';
import { suggestions } from './0033-suggestions.ts';
import { learnedWords } from './0034-learned-words.ts';
import { inferredUses } from './0035-inferred-uses.ts';
import { activityItems } from './0036-activity-items.ts';
import { suggestionSettings } from './0037-suggestion-settings.ts';
import { suggestionTimes } from './0038-suggestion-times.ts';
import { topics } from './0039-topics.ts';
import { tidyJobs } from './0040-tidy-jobs.ts';
import { passingMemories } from './0041-passing-memories.ts';
import { webhooks } from './0042-webhooks.ts';
import { spaces } from './0043-spaces.ts';
import { webhookAuthors } from './0044-webhook-authors.ts';
import { acceptedAdditions } from './0045-accepted-additions.ts';
import { partlyReadMessages } from './0046-partly-read-messages.ts';
import { memoriesSaidAgain } from './0047-memories-said-again.ts';
import { latestChanges } from './0048-latest-changes.ts';

/** One schema change, run in its own transaction. */
export interface Migration {
  name: string;
  up(db: Knex): Promise<void>;
}

/** All migrations, in order. A released migration is never changed; a later one corrects it. */
export const MIGRATIONS: readonly Migration[] = [
  accounts,
  memories,
  conversations,
  signals,
  learning,
  vectors,
  providerKeys,
  extraction,
  tenantModels,
  pinnedMemories,
  wordTotals,
  storedBytes,
  projects,
  partsAndUsers,
  textsToIndex,
  leases,
  databaseState,
  connections,
  activity,
  openedSearches,
  changes,
  operatorTickets,
  memoryOrigins,
  mixtureDays,
  deviceConnections,
  oauth,
  searchClients,
  clientConsent,
  modelAgreements,
  indexVersions,
  memorySpeakers,
  suggestions,
  learnedWords,
  inferredUses,
  activityItems,
  suggestionSettings,
  suggestionTimes,
  topics,
  tidyJobs,
  passingMemories,
  webhooks,
  spaces,
  webhookAuthors,
  acceptedAdditions,
  partlyReadMessages,
  memoriesSaidAgain,
  latestChanges,
];
