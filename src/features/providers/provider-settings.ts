import { AppError, changedSinceRead } from '../../contract/errors.ts';
import type {
  EmbeddingProgress,
  ModelChoice,
  ProviderSettings,
  ProviderSettingsChange,
} from '../../contract/provider-settings.ts';
import type { Provider } from '../../contract/providers.ts';
import type { TidySchedule } from '../../contract/tidy-schedules.ts';
import type { Connection, Reader } from '../../db/connection.ts';
import type { Database } from '../../db/open.ts';
import type { Owner } from '../../db/owner.ts';
import { type Clock, toTimestamp } from '../../lib/clock.ts';
import { countedTagOf, matchesState } from '../../lib/entity-tag.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Principal } from '../keys/keys.ts';
import { requireScope } from '../keys/keys.ts';
import type { Usage } from '../limits/usage.ts';
import { disallowedReason } from './provider-key-row.ts';
import type { ProviderKeyObserver } from './provider-keys.ts';
import { findProviderKey } from './provider-keys-store.ts';
import {
  deleteSettings,
  findSettings,
  listOnAppend,
  listTidySchedules,
  type ProviderSettingsRow,
  replaceSettings,
} from './provider-settings-store.ts';
import { DEFAULT_DAILY_TOKENS, type Spending } from './spending.ts';

/** Follows the embedding models that tenants choose. */
export interface EmbeddingChoiceObserver {
  /** Throws `unprocessable` if this daemon cannot use the model. */
  requireUsable(choice: ModelChoice): void;
  /** Called in the transaction in which a tenant chooses another model, or none. */
  chosen(connection: Connection, tenantId: string, choice: ModelChoice | undefined): Promise<void>;
  /** How far embedding with the chosen model has come. */
  progress(reader: Reader, tenantId: string, choice: ModelChoice): Promise<EmbeddingProgress>;
}

/**
 * What svc may do with a tenant's keys without being asked. Removing a key resets the choices of its provider's models.
 */
export interface ProviderSettingsService extends ProviderKeyObserver {
  show(principal: Principal): Promise<ProviderSettings>;
  /**
   * Throws `unprocessable` for a model whose provider has no key, or whose key is limited to other models, and
   * `forbidden` for anything but a lower cap without the scope `account`.
   */
  change(principal: Principal, change: ProviderSettingsChange, ifMatch?: string): Promise<ProviderSettings>;
  /** The extraction model that the tenant chose, if any. */
  extractionModel(reader: Reader, tenantId: string): Promise<ModelChoice | undefined>;
  /** Filters the tenants that have extraction on append enabled. */
  onAppend(reader: Reader, tenantIds: readonly string[]): Promise<string[]>;
  /** Lists the tenants whose memories are tidied by schedule, after one in the order of their ids. */
  tidySchedules(
    reader: Reader,
    afterTenant: string,
    limit: number,
  ): Promise<{ tenantId: string; tidySchedule: TidySchedule }[]>;
  erase(tenant: Owner): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  usage: Usage;
  spending: Spending;
  jobs: Pick<Jobs, 'retryCapped'>;
  embedding: EmbeddingChoiceObserver;
}

/** Tenants without a row have the defaults. */
export function createProviderSettings({
  db,
  clock,
  usage,
  spending,
  jobs,
  embedding,
}: Parts): ProviderSettingsService {
  async function current(reader: Reader, tenantId: string): Promise<ProviderSettingsRow> {
    return (await findSettings(reader, tenantId)) ?? { ...DEFAULTS, tenantId };
  }

  async function view(reader: Reader, row: ProviderSettingsRow): Promise<ProviderSettings> {
    const { tenantId } = row;
    const chosen = chosenBy(row);
    const model = chosen.embedding;
    return {
      embedding: model && { ...model, ...(await embedding.progress(reader, tenantId, model)) },
      extraction: chosen.extraction,
      tidySchedule: chosen.tidySchedule,
      today: {
        resetsAt: toTimestamp(spending.resetsAtMs()),
        embedding: await spending.usedToday(reader, tenantId, 'embedding'),
        extraction: await spending.usedToday(reader, tenantId, 'extraction'),
      },
    };
  }

  async function notifyChoice(
    connection: Connection,
    before: ProviderSettingsRow,
    after: ProviderSettingsRow,
  ): Promise<void> {
    const choice = choiceOf(after.embeddingProvider, after.embeddingModel);
    const previous = choiceOf(before.embeddingProvider, before.embeddingModel);
    if (choice?.provider === previous?.provider && choice?.model === previous?.model) return;
    await embedding.chosen(connection, after.tenantId, choice);
  }

  return {
    show: async ({ tenantId }) => view(db.readers, await current(db.readers, tenantId)),
    async change(principal, change, ifMatch) {
      const { tenantId } = principal;
      if (change.embedding) embedding.requireUsable(change.embedding);
      const stored = await db.writes.write(tenantId, async (connection) => {
        await usage.requireTenant(connection, tenantId);
        const before = await current(connection, tenantId);
        if (ifMatch !== undefined && !matchesState(ifMatch, chosenBy(before))) throw changedSinceRead('settings');
        const after = { ...changed(before, change), updatedAt: clock.nowMs() };
        if (!onlyLowersCaps(before, after)) requireScope(principal, 'account');
        await requireKey(connection, tenantId, change.embedding, '/embedding');
        await requireKey(connection, tenantId, change.extraction?.model, '/extraction/model');
        requirePrices(after);
        await replaceSettings(connection, after);
        await notifyChoice(connection, before, after);
        if (change.extraction) await jobs.retryCapped(connection, tenantId);
        return after;
      });
      return view(db.readers, stored);
    },
    async extractionModel(reader, tenantId) {
      const row = await current(reader, tenantId);
      return choiceOf(row.extractionProvider, row.extractionModel);
    },
    onAppend: listOnAppend,
    tidySchedules: listTidySchedules,
    async keyRemoved(connection, tenantId, provider) {
      const before = await findSettings(connection, tenantId);
      if (!before) return;
      const after = changed(before, {
        ...(before.embeddingProvider === provider && { embedding: null }),
        ...(before.extractionProvider === provider && { extraction: { model: null } }),
      });
      await replaceSettings(connection, after);
      await notifyChoice(connection, before, after);
    },
    erase: ({ tenantId }) =>
      db.writes.write(tenantId, async (connection) => {
        await deleteSettings(connection, tenantId);
        await spending.erase(connection, tenantId);
      }),
  };
}

const DEFAULTS = {
  embeddingProvider: null,
  embeddingModel: null,
  extractionProvider: null,
  extractionModel: null,
  onAppend: 0,
  dailyTokens: DEFAULT_DAILY_TOKENS,
  inputPrice: null,
  outputPrice: null,
  dailySpend: null,
  tidySchedule: 'off',
  updatedAt: 0,
} as const;

/** The part of the settings that callers change. */
function chosenBy(row: ProviderSettingsRow) {
  return {
    embedding: choiceOf(row.embeddingProvider, row.embeddingModel) ?? null,
    extraction: {
      model: choiceOf(row.extractionProvider, row.extractionModel) ?? null,
      onAppend: row.onAppend === 1,
      dailyTokens: row.dailyTokens,
      pricePerMillion: row.inputPrice === null ? null : { input: row.inputPrice, output: row.outputPrice! },
      dailySpend: row.dailySpend,
    },
    tidySchedule: row.tidySchedule,
  };
}

/** The entity tag of settings. `If-Match` ignores the usage and the progress that they show. */
export function settingsTagOf(settings: ProviderSettings): string {
  const { embedding, extraction, tidySchedule } = settings;
  const model = embedding && { provider: embedding.provider, model: embedding.model };
  return countedTagOf({ embedding: model, extraction, tidySchedule }, settings);
}

function choiceOf(provider: Provider | null, model: string | null): ModelChoice | undefined {
  return provider === null || model === null ? undefined : { provider, model };
}

function changed(
  row: ProviderSettingsRow,
  { embedding, extraction = {}, tidySchedule = row.tidySchedule }: ProviderSettingsChange,
): ProviderSettingsRow {
  const { model, onAppend, dailyTokens, pricePerMillion, dailySpend } = extraction;
  return {
    ...row,
    tidySchedule,
    ...(embedding !== undefined && {
      embeddingProvider: embedding?.provider ?? null,
      embeddingModel: embedding?.model ?? null,
    }),
    ...(model !== undefined && { extractionProvider: model?.provider ?? null, extractionModel: model?.model ?? null }),
    ...(onAppend !== undefined && { onAppend: onAppend ? 1 : 0 }),
    ...(dailyTokens !== undefined && { dailyTokens }),
    ...(pricePerMillion !== undefined && {
      inputPrice: pricePerMillion?.input ?? null,
      outputPrice: pricePerMillion?.output ?? null,
    }),
    ...(dailySpend !== undefined && { dailySpend }),
  };
}

/** Whether a change spends no more than before and sends nothing to another provider. */
function onlyLowersCaps(before: ProviderSettingsRow, after: ProviderSettingsRow): boolean {
  const { updatedAt, ...uncapped } = { ...after, dailyTokens: before.dailyTokens, dailySpend: before.dailySpend };
  const isSame = Object.entries(uncapped).every(([name, value]) => value === before[name as keyof ProviderSettingsRow]);
  const isWithin = (cap: number | null, previous: number | null) => (cap ?? Infinity) <= (previous ?? Infinity);
  return isSame && isWithin(after.dailyTokens, before.dailyTokens) && isWithin(after.dailySpend, before.dailySpend);
}

async function requireKey(
  reader: Reader,
  tenantId: string,
  choice: ModelChoice | null | undefined,
  path: string,
): Promise<void> {
  if (!choice) return;
  const key = await findProviderKey(reader, tenantId, choice.provider);
  if (!key) throw unprocessable(path, `This account has no key for ${choice.provider}: add one first.`);
  const reason = disallowedReason(key, choice.model);
  if (reason !== undefined) throw unprocessable(path, reason);
}

function requirePrices({ dailySpend, inputPrice }: ProviderSettingsRow): void {
  if (dailySpend === null || inputPrice !== null) return;
  throw unprocessable('/extraction/dailySpend', 'dailySpend requires extraction.pricePerMillion.');
}

function unprocessable(path: string, message: string): AppError {
  return new AppError('unprocessable', message, { errors: [{ path, message }] });
}
