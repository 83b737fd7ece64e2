import type { BenchOptions } from './benchmarks.ts';
import { type FilledTenant, fillFolder } from './filling.ts';
import { type LoadRequest, type LoadResult, load } from './load.ts';
import { inFreshFolder, startDaemon } from './processes.ts';
import type { Section } from './report.ts';
import { columnsOf } from './routes.ts';
import { median, medianOf } from './statistics.ts';
import { createTexts } from './texts.ts';

const LENGTHS = [100, 10_000, 100_000];
const CALLERS = 4;
/** So few that nobody's limit of 3,000 a minute is met. */
const REQUESTS = 250;
const WORKS = ['append', 'page'] as const;
type Work = (typeof WORKS)[number];

/** Appending a message to, and reading a page of, conversations of three lengths, in turns. */
export async function benchConversations(options: BenchOptions): Promise<Section> {
  return inFreshFolder(async (dataDir) => {
    options.progress('filling conversations of 100, 10,000 and 100,000 messages');
    const groups = LENGTHS.map((messages) => ({ tenants: 1, memories: 0, conversations: { count: 1, messages } }));
    const filled = await fillFolder({ dataDir, groups, seed: 5 });
    const daemon = await startDaemon({ dataDir, nodeOptions: options.nodeOptions });
    try {
      const measured = [];
      for (const work of WORKS) {
        options.progress(`${work} at ${CALLERS} callers`);
        measured.push({
          work,
          byLength: await measure(
            daemon.url,
            filled.map(([tenant]) => tenant!),
            work,
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
  work: Work,
  { rounds }: BenchOptions,
): Promise<LoadResult[]> {
  const texts = createTexts(6);
  const requestOf = ({ apiKey, conversationIds: [id] }: FilledTenant): LoadRequest => {
    const path = `/v1/conversations/${id}/messages`;
    if (work === 'page') return { method: 'GET', path, apiKey };
    const body = () => JSON.stringify({ messages: [{ role: 'user', content: texts.memory() }] });
    return { method: 'POST', path, apiKey, body };
  };
  const results: LoadResult[][] = tenants.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [place, tenant] of tenants.entries()) {
      const requestsOf = () => [requestOf(tenant)];
      results[place]!.push(await load({ url, connections: CALLERS, amount: REQUESTS, requestsOf }));
    }
  }
  return results.map((of) => medianOf(of));
}

function sectionOf(measured: readonly { work: Work; byLength: LoadResult[] }[]): Section {
  const longest = LENGTHS.at(-1)!;
  return {
    name: 'conversations',
    title: `Conversations by their length, ${CALLERS} callers`,
    rows: measured.flatMap(({ work, byLength }) =>
      byLength.map((result, place) => ({ work, messages: String(LENGTHS[place]), ...columnsOf(result) })),
    ),
    findings: measured.map(({ work, byLength }) => ({
      name: `${work}, p50 with ${longest} messages as a multiple of that with ${LENGTHS[0]}`,
      value: median([byLength.at(-1)!.p50 / byLength[0]!.p50]),
      atMost: 1.5,
    })),
  };
}
