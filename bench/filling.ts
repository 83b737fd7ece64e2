import { cleanEnvironment, runNode } from './processes.ts';

/** So many tenants with so many memories each, and so many conversations of this many messages. */
export interface TenantGroup {
  tenants: number;
  memories: number;
  conversations?: { count: number; messages: number };
}

export interface FillPlan {
  dataDir: string;
  groups: TenantGroup[];
  seed: number;
}

export interface FilledTenant {
  tenantId: string;
  apiKey: string;
  /** Of the first thousand memories. */
  ids: string[];
  conversationIds: string[];
}

/** Fills a data folder in a process of its own, which leaves no garbage in this one. One list of tenants a group. */
export async function fillFolder(plan: FillPlan): Promise<FilledTenant[][]> {
  const env = cleanEnvironment({ UV_THREADPOOL_SIZE: '8' });
  const { output } = await runNode(['--import', 'tsx', 'bench/fill.ts', JSON.stringify(plan)], { env });
  return JSON.parse(output) as FilledTenant[][];
}
