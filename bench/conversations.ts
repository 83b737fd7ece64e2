import type { BenchOptions } from './benchmarks.ts';
import { type FilledTenant, fillFolder } from './fill-folder.ts';
import { type LoadRequest, type LoadResult, load } from './load.ts';
import { inFreshFolder, startDaemon } from './processes.ts';
import type { Section } from './report.ts';
import { columnsOf } from './routes.ts';
import { median, medianOf } from './statistics.ts';
import { createTexts } from './texts.ts';

const LENGTHS = [100, 10_000, 100_000];
const CALLERS = 4;
/** Few enough to stay below the limit of 3,000 requests a minute. */
const REQUESTS = 250;
const OPERATIONS = ['append', 'page'] as const;
type Operation = (typeof OPERATIONS)[number];

/** Measures appending a message and reading a page, alternating between conversations of three lengths. */
export async function benchConversations(options: BenchOptions): Promise<Section> {
  return inFreshFolder(async (dataDir) => {
    options.progress('filling conversations of 100, 10,000 and 100,000 messages');
    const groups = LENGTHS.map((messages) => ({ tenants: 1, memories: 0, conversations: { count: 1, messages } }));
    const filled = await fillFolder({ dataDir, groups, seed: 5 });
    const daemon = await startDaemon({ dataDir, nodeOptions: options.nodeOptions });
    try {
      const measured = [];
      for (const operation of OPERATIONS) {
        options.progress(`${operation} at ${CALLERS} callers`);
        measured.push({
          operation,
          byLength: await measure(
            daemon.url,
            filled.map(([tenant]) => tenant!),
            operation,
            options,
          ),
        });
      }
      return sectionOf(measured);
    } finally {
      await daemon.stop();
    }
  });
}

async function measure(
  url: string,
  tenants: readonly FilledTenant[],
  operation: Operation,
  { rounds }: BenchOptions,
): Promise<LoadResult[]> {
  const texts = createTexts(6);
  const requestOf = ({ apiKey, conversationIds: [id] }: FilledTenant): LoadRequest => {
    const path = `/v1/conversations/${id}/messages`;
    if (operation === 'page') return { method: 'GET', path, apiKey };
    const body = () => JSON.stringify({ messages: [{ role: 'user', content: texts.memory() }] });
    return { method: 'POST', path, apiKey, body };
  };
  const results: LoadResult[][] = tenants.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, tenant] of tenants.entries()) {
      const requestsOf = () => [requestOf(tenant)];
      results[index]!.push(await load({ url, connections: CALLERS, amount: REQUESTS, requestsOf }));
    }
  }
  return results.map((of) => medianOf(of));
}

function sectionOf(measured: readonly { operation: Operation; byLength: LoadResult[] }[]): Section {
  const longest = LENGTHS.at(-1)!;
  return {
    name: 'conversations',
    title: `Conversations by length, ${CALLERS} callers`,
    rows: measured.flatMap(({ operation, byLength }) =>
      byLength.map((result, index) => ({ operation, messages: String(LENGTHS[index]), ...columnsOf(result) })),
    ),
    findings: measured.map(({ operation, byLength }) => ({
      name: `${operation}, p50 with ${longest} messages relative to ${LENGTHS[0]}`,
      value: median([byLength.at(-1)!.p50 / byLength[0]!.p50]),
      atMost: 1.5,
    })),
  };
}
