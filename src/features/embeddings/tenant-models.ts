import { AppError } from '../../contract/errors.ts';
import type { EmbeddingProgress, ModelChoice } from '../../contract/provider-settings.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Random } from '../../lib/random.ts';
import type { ProviderKeyObserver } from '../providers/provider-keys.ts';
import type { EmbeddingChoiceObserver } from '../providers/provider-settings.ts';
import { countWaitingFor } from './backfill-store.ts';
import { type Backoffs, createBackoffs } from './backoff.ts';
import { canEmbed } from './key-embedder.ts';
import { type EmbeddingModel, listModels, retire, selectModel } from './models-store.ts';
import { listTenantsWithModels, promoteFillingModels } from './tenant-models-store.ts';

/** The models that tenants choose, updated in the same transactions as choices and keys. */
export interface TenantModels extends EmbeddingChoiceObserver, ProviderKeyObserver {
  /** Loads the state left by the previous process. Call it once, before anything is written. */
  begin(): Promise<void>;
  /** Whether a tenant may have a model; `false` means that it has none. */
  mayHaveModel(tenantId: string): boolean;
  /** Whether any tenant may have a model. */
  mayAnyHaveModel(): boolean;
  /** Backoffs of tenants' models, for stored texts and for queries. */
  backoffs: { stored: Backoffs; queries: Backoffs };
  /** Number of failures of tenants' models since the start. */
  failures(): number;
  /** Why this daemon cannot search tenants' vectors, if it cannot. */
  cannotSearch: string | undefined;
}

interface Parts {
  db: Database;
  clock: Clock;
  random: Random;
  log: Log;
  /** Whether the operator's embedder serves tenants whose own model does not. */
  operator(): boolean;
  /** Whether other daemons may use the database: then any tenant may have chosen a model there. */
  isShared: boolean;
  cannotSearch: string | undefined;
}

const MAX_PAUSE_MS = 300_000;
/** Searches skip the model for up to this long after a fault. */
const MAX_QUERY_PAUSE_MS = 5000;
/** After a rejected key, unless it is replaced or checked. */
const SETTINGS_PAUSE_MS = 300_000;

/**
 * Caches only which tenants may have models; the models themselves are read from the database, so that a choice takes
 * effect immediately.
 */
export function createTenantModels(parts: Parts): TenantModels {
  const { db, operator, isShared, cannotSearch } = parts;
  const tenants = new Set<string>();
  let failures = 0;
  const count = () => {
    failures += 1;
  };
  const backoffsUpTo = (maxPauseMs: number) =>
    createBackoffs(parts, { maxPauseMs, settingsPauseMs: SETTINGS_PAUSE_MS, count });
  const backoffs = { stored: backoffsUpTo(MAX_PAUSE_MS), queries: backoffsUpTo(MAX_QUERY_PAUSE_MS) };

  async function retireAll(connection: Connection, models: readonly EmbeddingModel[]): Promise<void> {
    for (const model of models) if (model.state !== 'retiring') await retire(connection, model);
  }

  function faultOf(model: EmbeddingModel): string | undefined {
    return cannotSearch ?? (backoffs.stored.fault(model) ?? backoffs.queries.fault(model))?.message;
  }

  return {
    backoffs,
    failures: () => failures,
    cannotSearch,
    mayHaveModel: (tenantId) => isShared || tenants.has(tenantId),
    mayAnyHaveModel: () => isShared || tenants.size > 0,
    async begin() {
      for (const tenantId of await listTenantsWithModels(db.readers)) tenants.add(tenantId);
      if (!operator() && tenants.size > 0)
        await db.writes.write('daemon', (connection) => promoteFillingModels(connection));
    },
    requireUsable({ provider }) {
      if (cannotSearch !== undefined) throw unprocessable(cannotSearch);
      if (!canEmbed(provider))
        throw unprocessable(`${provider} has no embedding models: choose a model of another provider.`);
    },
    async chosen(connection, tenantId, choice) {
      if (choice === undefined) return retireAll(connection, await listModels(connection, tenantId));
      // Set before the write commits; a tenant too many in the set does no harm.
      tenants.add(tenantId);
      await selectModel(connection, { tenantId, provider: choice.provider, name: choice.model }, !operator());
    },
    async keyRemoved(connection, tenantId, provider) {
      const models = await listModels(connection, tenantId);
      await retireAll(
        connection,
        models.filter((model) => model.provider === provider),
      );
      if (!operator()) await promoteFillingModels(connection, tenantId);
    },
    keyAccepted(tenantId) {
      backoffs.stored.resetTenant(tenantId);
      backoffs.queries.resetTenant(tenantId);
    },
    progress: (reader, tenantId, choice) => progressOf(reader, tenantId, choice, faultOf),
  };
}

async function progressOf(
  reader: Reader,
  tenantId: string,
  { provider, model: name }: ModelChoice,
  faultOf: (model: EmbeddingModel) => string | undefined,
): Promise<EmbeddingProgress> {
  const models = await listModels(reader, tenantId);
  const chosen = models.find(
    (model) => model.provider === provider && model.name === name && model.state !== 'retiring',
  );
  if (chosen === undefined) return { state: 'filling', waiting: 0, fault: null };
  const fault = faultOf(chosen);
  const state = chosen.state === 'serving' ? 'serving' : 'filling';
  return {
    state: fault === undefined ? state : 'failing',
    waiting: await countWaitingFor(reader, chosen),
    fault: fault ?? null,
  };
}

function unprocessable(message: string): AppError {
  return new AppError('unprocessable', message, { errors: [{ path: '/embedding', message }] });
}
