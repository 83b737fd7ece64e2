/** A table whose rows a move copies. */
export interface MovedTable {
  name: string;
  /** Unique, and the order in which rows are read. Leads with the tenant, unless the rows belong to none. */
  key: readonly string[];
  /** The key's columns first. */
  columns: readonly string[];
  /** Neither copied nor compared: the database maintains them. */
  derivedColumns: readonly string[];
  /** The full-text index that has an entry for each row. */
  indexedAs?: 'memory' | 'message' | 'episode';
  /**
   * Rows are read one `tenantId, scope, model` or `tenantId, model` at a time, because an index of SQLite leads with these
   * columns and not with the tenant.
   */
  portion?: 'scope and model' | 'model';
  /** Changed in place, because other rows refer to them; the column is unique, and blanked before other rows take its value. */
  unique?: string;
}

function table(name: string, key: string, others: string, more: Partial<MovedTable> = {}): MovedTable {
  const keyColumns = key.split(' ');
  const columns = [...keyColumns, ...others.split(/\s+/).filter((column) => column !== '')];
  return { name, key: keyColumns, columns, derivedColumns: [], ...more };
}

/** The order in which rows are added: a row refers only to rows of earlier tables. */
export const MOVED_TABLES: readonly MovedTable[] = [
  table('tenants', 'tenantId', 'email tier createdAt erasedAt', { derivedColumns: ['storedBytes'], unique: 'email' }),
  table('spaces', 'tenantId', 'name createdAt'),
  table('spaceMembers', 'tenantId id', 'email memberId role invitedBy createdAt joinedAt expiresAt'),
  table('spaceLog', 'tenantId id', 'at actor action subject detail'),
  table('apiKeys', 'tenantId', 'hash last4 createdAt lastUsedAt'),
  table('endedKeys', 'tenantId hash', 'endedAt endedBy device'),
  table(
    'connections',
    'tenantId id',
    'kind tokenHash client verifiedHost scope address openedBy createdAt lastUsedAt expiresAt endsAt space',
  ),
  table('sessionTickets', 'tenantId tokenHash', 'expiresAt sessionExpiresAt scope openedBy'),
  table('dataKeys', 'tenantId', 'masterKeyId wrapped'),
  table('scopes', 'tenantId endUser', 'scope erasedAt'),
  table(
    'embeddingModels',
    'tenantId id',
    'provider name dimensions state memoryFill messageFill episodeFill fillAfter',
  ),
  table('modelAgreements', 'tenantId model', 'searches agreed'),
  table(
    'memories',
    'tenantId id version',
    `number current scope endUser content contentHash tags metadata source occurredAt expiresAt validFrom validTo
     supersededBy createdAt updatedAt traits dates pinned bytes project externalId client origin author saidAt`,
    { indexedAs: 'memory', derivedColumns: ['sourceKind'] },
  ),
  table('memoryTags', 'tenantId tag memoryId', ''),
  table('memorySources', 'tenantId sourceId memoryId', ''),
  table('memoryUses', 'tenantId memoryId', 'shown used'),
  table(
    'conversations',
    'tenantId id',
    `number scope endUser title metadata version messageCount lastOrdinal cutThrough lastMessageAt createdAt updatedAt
     erasedAt bytes project`,
  ),
  table(
    'messages',
    'tenantId id',
    'number conversationId ordinal scope role name content parts metadata createdAt traits dates bytes author',
    { indexedAs: 'message' },
  ),
  table(
    'episodes',
    'tenantId id',
    `number scope endUser title summary outcome conversationId fromOrdinal toOrdinal fromMessageId toMessageId memoryIds
     metadata cut edited version startedAt endedAt createdAt updatedAt traits dates bytes project`,
    { indexedAs: 'episode' },
  ),
  table(
    'suggestions',
    'tenantId id',
    `textsHash endUser project kind state memoryIds content validFrom evidence reason confidence suggester suggesterName
     createdAt decidedAt decidedBy undoneAt applied`,
  ),
  table('suggestionSettings', 'tenantId kind', 'mode minConfidence'),
  table('passingMemories', 'tenantId memoryId', 'dueAt'),
  table('suggestionItems', 'tenantId itemId suggestionId', ''),
  table('topics', 'tenantId id', 'endUser name isNamed isHidden memoryCount lastAt'),
  table('topicNames', 'tenantId endUser key', 'topicId spelling source'),
  table('topicMentions', 'tenantId topicId key memoryId', 'at spelling'),
  table('vectors', 'tenantId scope model type number', 'embedding', { portion: 'scope and model' }),
  table('unembedded', 'tenantId model dueAt id', 'type number scope attempts', { portion: 'model' }),
  table(
    'searches',
    'tenantId id',
    'endUser bucket candidates signals shown createdAt learnedFrom feedbackAt query project types irrelevant client confidence',
  ),
  table('learned', 'tenantId endUser', 'state events updatedAt usesWords infersUses'),
  table('learnedWords', 'tenantId endUser root itemId', 'word strength uses observedUses updatedAt'),
  table('learningDays', 'tenantId endUser day', 'feedbacks shownRanks defaultRanks mixture'),
  table(
    'providerKeys',
    'tenantId provider',
    `id version sealed last4 baseUrl givenModels namedModels status validatedAt checkOutcome checkMessage checkedAt
     createdAt updatedAt`,
  ),
  table(
    'webhooks',
    'tenantId id',
    `url events endUser active secret formerSecret formerUntil readNumber readAt lastNumber dueAt claimedUntil fence
     lastDeliveredAt lastFailedAt lastError createdAt author`,
  ),
  table(
    'webhookDeliveries',
    'tenantId id',
    'webhookId number kind itemId scope at state attempts status error createdAt triedAt',
  ),
  table(
    'providerSettings',
    'tenantId',
    `embeddingProvider embeddingModel extractionProvider extractionModel onAppend dailyTokens inputPrice outputPrice
     dailySpend updatedAt tidySchedule`,
  ),
  table('providerUsage', 'tenantId day purpose provider model', 'requests inputTokens outputTokens spend'),
  table(
    'jobs',
    'tenantId id',
    `kind state conversationId provider model dryRun fromOrdinal toOrdinal done total attempts dueAt errorCode
     errorMessage errorAt requests inputTokens outputTokens spend result createdAt updatedAt finishedAt
     fence client endUser project afterId changedAfter author partlyRead`,
  ),
  table('tidiedUsers', 'tenantId endUser', 'lookedAt tidiedAt'),
  table('extractions', 'tenantId conversationId', 'throughOrdinal dueAt partlyRead'),
  table(
    'oauthTokens',
    'tenantId tokenHash',
    'kind connectionId clientId scope redirectUri codeChallenge expiresAt usedAt',
  ),
  table('usageDays', 'tenantId day', 'requests memories queries'),
  table(
    'activity',
    'tenantId sequence',
    'id at client transport method route status microseconds ids itemCount searchId author',
  ),
  table('idempotencyKeys', 'tenantId idempotencyKey', 'requestHash status answer createdAt'),
  table('idempotencyResources', 'tenantId resourceId idempotencyKey', ''),
  table(
    'signInLinks',
    'tokenHash',
    `email createdAt expiresAt usedAt delivered cookieHash codeChallenge redirectPort device codeHash wrongCodes
     deviceCodeHash clientRequest`,
  ),
  table('mailQueue', 'mailId', 'sealed suppressed attempts nextAttemptAt expiresAt'),
  table('invitations', 'email', 'createdAt'),
  table('oauthClients', 'id', 'name redirectUris createdAt lastUsedAt'),
];

/** Tables that a move does not copy: the target makes its own rows. */
export const UNMOVED_TABLES: readonly string[] = [
  // The full-text index and what it is made from.
  ...['textsToIndex', 'wordTotals', 'textDocuments', 'textPostings'],
  // Heartbeats of running daemons.
  ...['daemons', 'leases', 'buckets', 'pulse'],
  // Events still to be sent: the streams end with a move.
  'changes',
  // Counted by those changes: memories are compared once more, and what is found again is known.
  'comparedMemories',
  // Tickets for the operator's view, which expire within a minute.
  'operatorTickets',
  // Requests of terminals, which expire within ten minutes.
  'deviceRequests',
  // Describes the database itself.
  ...['schemaVersion', 'databaseState'],
];
