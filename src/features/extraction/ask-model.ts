import { AppError } from '../../contract/errors.ts';
import type { Database } from '../../db/open.ts';
import { estimateTokens } from '../../lib/text.ts';
import { ProviderFault } from '../../outside/providers/provider-fault.ts';
import type { GenerateRequest, ProviderModels } from '../../outside/providers/provider-models.ts';
import type { JobRow, Jobs } from '../jobs/jobs.ts';
import type { Usage } from '../limits/usage.ts';
import type { ProviderKeys } from '../providers/provider-keys.ts';
import type { Spending } from '../providers/spending.ts';

/**
 * Asks the model of a job once, within the daily caps, and returns the job with the tokens counted and the value, which
 * matches the schema. Throws `quota_exceeded`, `ProviderFault`, and `conflict` if the job was cancelled.
 */
export type AskModel = (
  job: JobRow,
  request: Pick<GenerateRequest, 'system' | 'prompt' | 'schema' | 'schemaName' | 'complete'>,
  signal: AbortSignal,
) => Promise<[JobRow, unknown]>;

export const MAX_OUTPUT_TOKENS = 8000;

interface Parts {
  db: Database;
  jobs: Pick<Jobs, 'advance'>;
  providerKeys: Pick<ProviderKeys, 'use'>;
  models: Pick<ProviderModels, 'generate'>;
  spending: Pick<Spending, 'add' | 'withinCap'>;
  usage: Pick<Usage, 'requireTenant'>;
}

/**
 * Counts the tokens of every response with the job and the account, including those of unusable ones, and with the account
 * alone if the job was cancelled or taken over meanwhile.
 */
export function createAskModel({ db, jobs, providerKeys, models, spending, usage }: Parts): AskModel {
  async function countTokens(job: JobRow, tokens: { inputTokens: number; outputTokens: number }): Promise<JobRow> {
    const { tenantId, provider, model } = job;
    const counted = await db.writes.write(tenantId, async (connection) => {
      // Nothing may be stored of an account that was erased meanwhile.
      await usage.requireTenant(connection, tenantId);
      const used = await spending.add(connection, tenantId, 'extraction', { provider, model, requests: 1, ...tokens });
      const sums = {
        requests: job.requests + used.requests,
        inputTokens: job.inputTokens + used.inputTokens,
        outputTokens: job.outputTokens + used.outputTokens,
        spend: job.spend + used.spend,
      };
      return jobs.advance(connection, job, sums).catch(conflictIn);
    });
    if (counted instanceof AppError) throw counted;
    return counted;
  }

  return (job, asked, signal) => {
    const { tenantId, provider, model } = job;
    const maxOutputTokens = maxOutputTokensOf(job);
    const inputTokens = estimateTokens(asked.system.length + asked.prompt.length);
    return spending.withinCap(tenantId, { inputTokens, outputTokens: maxOutputTokens }, async () => {
      try {
        const request = { ...asked, model, maxOutputTokens };
        const { value, ...tokens } = await providerKeys.use(tenantId, { provider, model }, (access, keySignal) =>
          models.generate(access, request, AbortSignal.any([signal, keySignal])),
        );
        return [await countTokens(job, tokens), value];
      } catch (error) {
        if (error instanceof ProviderFault && error.spent) await countTokens(job, error.spent);
        throw error;
      }
    });
  };
}

/** Returns a `conflict`, so that the transaction is committed before it is thrown; throws anything else. */
function conflictIn(error: unknown): AppError {
  if (error instanceof AppError && error.code === 'conflict') return error;
  throw error;
}

/** Reduced after the model rejected its input: its output limit may be lower, or the prompt may leave less room. */
function maxOutputTokensOf({ errorCode, attempts }: JobRow): number {
  return errorCode === 'input' ? MAX_OUTPUT_TOKENS >> attempts : MAX_OUTPUT_TOKENS;
}
