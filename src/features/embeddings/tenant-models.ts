import { AppError } from '../../contract/errors.ts';
import type { EmbeddingProgress, ModelChoice } from '../../contract/provider-settings.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { ProviderKeyObserver } from '../providers/provider-keys.ts';
import type { EmbeddingChoiceObserver } from '../providers/provider-settings.ts';
import { countWaitingFor } from './backfill-sqlite.ts';
import { type Backoffs, createBackoffs } from './backoff.ts';
import { canEmbed } from './key-embedder.ts';
import { type EmbeddingModel, listModels, retire, selectModel } from './models-sqlite.ts';
import { listTenantsWithModels, promoteFillingModels } from './tenant-models-sqlite.ts';

/** The models that tenants choose, kept true in the transactions in which choices are made and keys go. */
export interface TenantModels extends EmbeddingChoiceObserver, ProviderKeyObserver {
  /** Reads what an earlier daemon left. Call it once, before anything is written. */
  begin(): Promise<void>;
  /** Whether a tenant may have a model of its own; where not, it has none. */
  mayHaveModel(tenantId: string): boolean;
  /** Whether any tenant may. */
  mayAnyHaveModel(): boolean;
  /** With a tenant's models, as to what is stored and as to queries. */
  backoffs: { stored: Backoffs; queries: Backoffs };
  /** How often models of tenants failed since the start. */
  failures(): number;
  /** Why no model of a tenant's can serve here. */
  cannotSearch: string | undefined;
}

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  /** Whether an embedder of the operator's serves those whose models do not. */
  operator: boolean;
  cannotSearch: string | undefined;
}

const MAX_PAUSE_MS = 300_000;
/** After a fault searches do not wait at all for so long. */
const MAX_QUERY_PAUSE_MS = 5000;
/** A key that was refused is not shown again sooner, unless it is replaced or checked. */
const SETTINGS_PAUSE_MS = 300_000;

/** Keeps in memory only who may have models: what they are is read where it matters, so that a choice holds at once. */
export function createTenantModels({ db, clock, log, operator, cannotSearch }: Parts): TenantModels {
  const tenants = new Set<string>();
  let failures = 0;
  const count = () => {
    failures += 1;
  };
  const backoffsUpTo = (maxPauseMs: number) =>
    createBackoffs({ clock, log }, { maxPauseMs, settingsPauseMs: SETTINGS_PAUSE_MS, count });
  const backoffs = { stored: backoffsUpTo(MAX_PAUSE_MS), queries: backoffsUpTo(MAX_QUERY_PAUSE_MS) };

  async function retireAll(connection: Connection, models: readonly EmbeddingModel[]): Promise<void> {
    for (const model of models) if (model.state !== 'retiring') await retire(connection, model);
  }

  function faultOf({ id }: EmbeddingModel): string | undefined {
    return cannotSearch ?? (backoffs.stored.fault(id) ?? backoffs.queries.fault(id))?.message;
  }

  return {
    backoffs,
    failures: () => failures,
    cannotSearch,
    mayHaveModel: (tenantId) => tenants.has(tenantId),
    mayAnyHaveModel: () => tenants.size > 0,
    async begin() {
      for (const tenantId of await listTenantsWithModels(db.readers)) tenants.add(tenantId);
      if (!operator && tenants.size > 0) await db.writes.write((connection) => promoteFillingModels(connection));
    },
    requireUsable({ provider }) {
      if (cannotSearch !== undefined) throw unprocessable(cannotSearch);
      if (!canEmbed(provider))
        throw unprocessable(`${provider} has no models that embed: choose one of another provider.`);
    },
    async chosen(connection, tenantId, choice) {
      if (choice === undefined) return retireAll(connection, await listModels(connection, tenantId));
      // Before anything more is written; one too many does no harm.
      tenants.add(tenantId);
      await selectModel(connection, { tenantId, provider: choice.provider, name: choice.model }, !operator);
    },
    async keyRemoved(connection, tenantId, provider) {
      const models = await listModels(connection, tenantId);
      await retireAll(
        connection,
        models.filter((model) => model.provider === provider),
      );
      if (!operator) await promoteFillingModels(connection, tenantId);
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
