import { join } from 'node:path';
import { type Client, createClient } from '../src/client/client.ts';
import type { BenchOptions } from './benchmarks.ts';
import { callApi, signInByMail } from './person.ts';
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

/** A whole account out of one and into another through the built daemon: how fast, and what memory it takes. */
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
      await from!.import(filling(createTexts(5)));
      const { bytes, exported, imported } = await carry(daemon, from!, to!, options);
      const same = await sameAnswers(daemon.url, keys);
      const rowOf = (way: string, { seconds, beforeMib, peakMib }: Measured) => ({
        way,
        seconds,
        'items/s': ITEMS / seconds,
        'MB/s': bytes / 1e6 / seconds,
        'MiB before': beforeMib,
        'MiB peak': peakMib,
      });
      return {
        name: 'portability',
        title: `A whole account of ${ITEMS} items (${(bytes / 1e6).toFixed(0)} MB) out and in`,
        rows: [rowOf('export', exported), rowOf('import', imported)],
        findings: [
          { name: `searches of ${QUERIES} answered the same in both accounts`, value: same, atLeast: QUERIES },
          { name: 'MiB more than before at the peak of the export', value: exported.peakMib - exported.beforeMib },
          { name: 'MiB more than before at the peak of the import', value: imported.peakMib - imported.beforeMib },
        ],
      };
    } finally {
      await daemon.stop();
    }
  });
}

/** What is exported is held here meanwhile, so that each way is measured alone. */
async function carry(daemon: ServerProcess, from: Client, to: Client, { progress }: BenchOptions) {
  const lines: string[] = [];
  progress('export');
  const exported = await measure(daemon, async () => {
    for await (const { text } of from.export()) lines.push(text);
  });
  progress('import');
  const imported = await measure(daemon, async () => {
    const report = await to.import(portions(lines));
    const added = Object.values(report.added).reduce((sum, count) => sum + count, 0);
    if (added !== ITEMS || report.skipped > 0) throw new Error(`Not all came in: ${JSON.stringify(report)}`);
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

async function sameAnswers(url: string, keys: readonly string[]): Promise<number> {
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

async function* filling(texts: Texts): AsyncGenerator<Uint8Array> {
  const kept = { user: 'default', metadata: {}, version: 1, createdAt: AT, updatedAt: AT };
  const records = function* () {
    const memory = { type: 'memory', tags: [], source: null, occurredAt: null, expiresAt: null, ...kept };
    const valid = { validFrom: AT, validTo: null, supersededBy: null };
    for (let index = 0; index < MEMORIES; index += 1) {
      yield { ...memory, ...valid, id: idOf('mem', index), content: texts.memory() };
    }
    for (let index = 0; index < CONVERSATIONS; index += 1) yield* conversation(index, texts, kept);
    for (let index = 0; index < CONVERSATIONS; index += 1) {
      const span = { fromMessageId: idOf('msg', index * 100), toMessageId: idOf('msg', index * 100 + 9) };
      const own = { id: idOf('ep', index), title: `Part ${index}`, summary: texts.memory(), outcome: null, edited: [] };
      const times = { startedAt: AT, endedAt: AT, memoryIds: [], cut: true };
      yield { type: 'episode', conversationId: idOf('conv', index), ...span, ...own, ...times, ...kept };
    }
  };
  yield* portions(records());
}

function* conversation(index: number, texts: Texts, kept: object) {
  const id = idOf('conv', index);
  yield { type: 'conversation', id, title: null, cut: true, ...kept };
  for (let place = 0; place < MESSAGES_EACH; place += 1) {
    const message = { id: idOf('msg', index * 100 + place), conversationId: id, ordinal: place + 1, role: 'user' };
    yield { type: 'message', ...message, name: null, content: texts.memory(), metadata: {}, createdAt: AT };
  }
}

function idOf(prefix: string, number: number): string {
  return `${prefix}_${number.toString(16).padStart(32, '0')}`;
}

/** Lines, or objects as lines, some hundred a chunk. */
async function* portions(lines: Iterable<string | object>): AsyncGenerator<Uint8Array> {
  let text = '';
  for (const line of lines) {
    text += typeof line === 'string' ? line : `${JSON.stringify(line)}\n`;
    if (text.length < 65_536) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}
