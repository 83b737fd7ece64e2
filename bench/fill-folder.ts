import type { Tier } from '../src/contract/limits.ts';
import { cleanEnvironment, runNode } from './processes.ts';

/** A number of tenants, each with this many memories and conversations. */
export interface TenantGroup {
  tenants: number;
  /** Enterprise by default. */
  tier?: Tier;
  memories: number;
  /** Conversations per tenant, and messages in each. */
  conversations?: { count: number; messages: number };
}

export interface FillPlan {
  dataDir: string;
  /** Settings of the daemon, by their `SVC_` names. */
  settings?: Record<string, string>;
  groups: TenantGroup[];
  seed: number;
}

export interface FilledTenant {
  tenantId: string;
  apiKey: string;
  /** Ids of the first thousand memories. */
  ids: string[];
  conversationIds: string[];
}

/** Fills a data folder, or the database of the settings, in a child process, to leave no garbage on this heap. Returns one list of tenants per group. */
export async function fillFolder(plan: FillPlan): Promise<FilledTenant[][]> {
  const env = cleanEnvironment({ UV_THREADPOOL_SIZE: '8' });
  const { output } = await runNode(['--import', 'tsx', 'bench/fill-process.ts', JSON.stringify(plan)], { env });
  return JSON.parse(output) as FilledTenant[][];
}
