import { join } from 'node:path';
import { type Client, createClient } from '../src/client/client.ts';
import { callApi, signInByMail } from './api-session.ts';
import type { BenchOptions } from './benchmarks.ts';
import { portions } from './portions.ts';
import { inFreshFolder, type ServerProcess, startDaemon } from './processes.ts';
import type { Section } from './report.ts';
import { createTexts, type Texts } from './texts.ts';

const MEMORIES = 50_000;
const CONVERSATIONS = 1000;
const MESSAGES_EACH = 48;
/** Memories, conversations with their messages, and an episode for each conversation. */
const ITEMS = MEMORIES + CONVERSATIONS * (MESSAGES_EACH + 2);
const QUERIES = 50;
const SAMPLE_MS = 50;
const AT = '2026-01-01T10:00:00.000Z';

interface Measured {
  seconds: number;
  beforeMib: number;
  peakMib: number;
}

/** Measures throughput and memory of exporting an account and importing it into another, through the built daemon. */
export async function benchPortability(options: BenchOptions): Promise<Section> {
  return inFreshFolder(async (dataDir) => {
    const settings = { SVC_DEFAULT_TIER: 'Enterprise' };
    const daemon = await startDaemon({ dataDir, settings, nodeOptions: options.nodeOptions });
    try {
      const keys: string[] = [];
      for (const name of ['from', 'to']) {
        keys.push(await signInByMail(daemon.url, join(dataDir, 'mail'), `${name}@example.com`));
      }
      const [from, to] = keys.map((apiKey) => createClient({ baseUrl: daemon.url, apiKey }));
      options.progress(`filling an account with ${ITEMS} items`);
      await from!.import(syntheticExport(createTexts(5)));
      const { bytes, exported, imported } = await transfer(daemon, from!, to!, options);
      const same = await countSameAnswers(daemon.url, keys);
      const rowOf = (direction: string, { seconds, beforeMib, peakMib }: Measured) => ({
        direction,
        seconds,
        'items/s': ITEMS / seconds,
        'MB/s': bytes / 1e6 / seconds,
        'MiB before': beforeMib,
        'MiB peak': peakMib,
      });
      return {
        name: 'portability',
        title: `Export and import of an account of ${ITEMS} items (${(bytes / 1e6).toFixed(0)} MB)`,
        rows: [rowOf('export', exported), rowOf('import', imported)],
        findings: [
          { name: `of ${QUERIES} searches with the same results in both accounts`, value: same, atLeast: QUERIES },
          { name: 'MiB above baseline at the peak of the export', value: exported.peakMib - exported.beforeMib },
          { name: 'MiB above baseline at the peak of the import', value: imported.peakMib - imported.beforeMib },
        ],
      };
    } finally {
      await daemon.stop();
    }
  });
}

/** Buffers the export in this process, so that each direction is measured alone. */
async function transfer(daemon: ServerProcess, from: Client, to: Client, { progress }: BenchOptions) {
  const lines: string[] = [];
  progress('export');
  const exported = await measure(daemon, async () => {
    for await (const { text } of from.export()) lines.push(text);
  });
  progress('import');
  const imported = await measure(daemon, async () => {
    const report = await to.import(portions(lines));
    const added = Object.values(report.added).reduce((sum, count) => sum + count, 0);
    if (added !== ITEMS || report.skipped > 0) throw new Error(`Import incomplete: ${JSON.stringify(report)}`);
  });
  const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0);
  return { bytes, exported, imported };
}

async function measure(daemon: ServerProcess, work: () => Promise<void>): Promise<Measured> {
  const beforeMib = await daemon.residentMib();
  let peakMib = beforeMib;
  const timer = setInterval(async () => {
    peakMib = Math.max(peakMib, await daemon.residentMib());
  }, SAMPLE_MS);
  const startedMs = performance.now();
  await work();
  const seconds = (performance.now() - startedMs) / 1000;
  clearInterval(timer);
  return { seconds, beforeMib, peakMib };
}

async function countSameAnswers(url: string, keys: readonly string[]): Promise<number> {
  const texts = createTexts(6);
  let same = 0;
  for (let index = 0; index < QUERIES; index += 1) {
    const request = { query: texts.query(), types: ['memory', 'message', 'episode'] };
    const [own, other] = await Promise.all(
      keys.map(
        async (apiKey) => (await callApi<{ results: { id: string }[] }>(url, apiKey, '/v1/search', request)).results,
      ),
    );
    const idsOf = (results: { id: string }[]) => results.map(({ id }) => id).join();
    if (own!.length > 0 && idsOf(own!) === idsOf(other!)) same += 1;
  }
  return same;
}

async function* syntheticExport(texts: Texts): AsyncGenerator<Uint8Array> {
  const shared = { user: 'default', metadata: {}, version: 1, createdAt: AT, updatedAt: AT };
  const records = function* () {
    const memory = { type: 'memory', tags: [], source: null, occurredAt: null, expiresAt: null, ...shared };
    const valid = { validFrom: AT, validTo: null, supersededBy: null };
    for (let index = 0; index < MEMORIES; index += 1) {
      yield { ...memory, ...valid, id: idOf('mem', index), content: texts.memory() };
    }
    for (let index = 0; index < CONVERSATIONS; index += 1) yield* conversation(index, texts, shared);
    for (let index = 0; index < CONVERSATIONS; index += 1) {
      const span = { fromMessageId: idOf('msg', index * 100), toMessageId: idOf('msg', index * 100 + 9) };
      const own = { id: idOf('ep', index), title: `Part ${index}`, summary: texts.memory(), outcome: null, edited: [] };
      const times = { startedAt: AT, endedAt: AT, memoryIds: [], cut: true };
      yield { type: 'episode', conversationId: idOf('conv', index), ...span, ...own, ...times, ...shared };
    }
  };
  yield* portions(records());
}

function* conversation(index: number, texts: Texts, shared: object) {
  const id = idOf('conv', index);
  yield { type: 'conversation', id, title: null, cut: true, ...shared };
  for (let position = 0; position < MESSAGES_EACH; position += 1) {
    const message = {
      id: idOf('msg', index * 100 + position),
      conversationId: id,
      ordinal: position + 1,
      role: 'user',
    };
    yield { type: 'message', ...message, name: null, content: texts.memory(), metadata: {}, createdAt: AT };
  }
}

function idOf(prefix: string, number: number): string {
  return `${prefix}_${number.toString(16).padStart(32, '0')}`;
}
