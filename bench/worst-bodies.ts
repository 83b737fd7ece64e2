import { EXPORT_VERSION } from '../src/contract/portability.ts';
import type { BenchOptions } from './benchmarks.ts';
import { loopStopOf } from './fairness.ts';
import { type FilledTenant, fillFolder } from './fill-folder.ts';
import { inFreshFolder, startDaemon } from './processes.ts';
import type { Section } from './report.ts';
import { median } from './statistics.ts';
import { createTexts } from './texts.ts';

const MAX_STOP_MS = 10;
const MAX_BYTES = 1024 * 1024;

interface Body {
  title: string;
  path(tenant: FilledTenant): string;
  /**
   * Different in each round: what is stored already costs less. An import has a list of lines, or a text; a request
   * without a body is a GET.
   */
  body?(round: number): unknown;
  /** The `Idempotency-Key`. */
  key?(round: number): string;
  /** Sent once before to the path without its query. */
  stored?: readonly unknown[];
}

const IMPORT = '/v1/import';
const HEAD = { type: 'svc-export', format: 'svc', version: EXPORT_VERSION, exportedAt: '2026-05-01T00:00:00.000Z' };

const many = <T>(count: number, item: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));
const FILE_BYTES = 4 * MAX_BYTES;
const names = (count: number, prefix: string | number) =>
  Object.fromEntries(many(count, (index) => [`n${prefix}_${index}`, 1]));
const texts = createTexts(5);
const memories = ({ conversationIds }: FilledTenant) => `/v1/conversations/${conversationIds[0]}/messages`;
const namesAndValues = (round: number) => [
  ...many(2200, (index) => names(8, `${round}_${index}`)),
  ...many(20_000, () => ''),
];
const addedByTool = (memory: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'memory_add', arguments: memory },
});
const called = (value: unknown) => ({
  role: 'assistant',
  content: [{ type: 'tool_call', id: 'call_1', name: 'look_up', arguments: value }],
});

function prose(characters: number, round: number): string {
  let text = `${round}`;
  while (text.length < characters) text += ` ${texts.memory()}`;
  return text.slice(0, characters);
}

const TAGGED = tagged(99);

/** Requests within the limits that take the daemon longest. */
const BODIES: readonly Body[] = [
  {
    title: 'names and values of a member that the route refuses',
    path: () => '/v1/memories',
    body: (round) => ({ content: 'a', y: namesAndValues(round) }),
  },
  {
    title: 'a text of 1 MB that the route refuses',
    path: () => '/v1/memories',
    body: (round) => ({ content: prose(1_000_000, round) }),
  },
  {
    title: '500 memories with 64 tags each',
    path: () => '/v1/memories/batch',
    body: (round) => tagged(round),
  },
  {
    title: '500 memories with 36 members of metadata each',
    path: () => '/v1/memories/batch',
    body: (round) => ({
      memories: many(500, (index) => ({ content: prose(300, round * 500 + index), metadata: names(36, index % 9) })),
    }),
  },
  {
    title: '500 messages of 18 parts each',
    path: memories,
    body: (round) => ({
      messages: many(500, (index) => ({
        role: 'user',
        content: many(18, (part) => ({ type: 'text', text: prose(50, round * 9000 + index * 18 + part) })),
      })),
    }),
  },
  {
    title: '500 messages of 2 KB',
    path: memories,
    body: (round) => ({
      messages: many(500, (index) => ({ role: 'user', content: prose(2000, round * 500 + index) })),
    }),
  },
  {
    title: '10 messages of 100,000 characters',
    path: memories,
    body: (round) => ({
      messages: many(10, (index) => ({ role: 'user', content: prose(100_000, round * 10 + index) })),
    }),
  },
  {
    title: '19,000 names in arguments of tool calls',
    path: memories,
    body: (round) => ({ messages: many(8, (index) => called(names(2375, `${round}_${index}`))) }),
  },
  {
    title: '49,000 texts in arguments of tool calls',
    path: memories,
    body: (round) => ({ messages: many(3, (index) => called(many(16_300, (text) => `t${round}${index}${text}`))) }),
  },
  {
    title: '49,000 numbers in arguments of tool calls',
    path: memories,
    body: () => ({ messages: many(3, () => called(many(16_300, (number) => number))) }),
  },
  {
    title: '1,000 ids to change',
    path: () => '/v1/memories/delete',
    body: (round) => ({ ids: many(1000, (id) => `mem_${(round * 1000 + id).toString(16).padStart(32, '0')}`) }),
  },
  {
    title: 'names and values in a call of an MCP tool',
    path: () => '/v1/mcp',
    body: (round) => addedByTool({ content: prose(100, round), y: namesAndValues(round) }),
  },
  {
    title: '20,000 names and a memory of an MCP tool',
    path: () => '/v1/mcp',
    body: (round) => addedByTool({ content: prose(100_000, round), tags: many(40_000, (tag) => `t${tag}`) }),
  },
  {
    title: 'names and values on a line of an import',
    path: () => IMPORT,
    body: (round) => [{ content: 'a', y: namesAndValues(round) }],
  },
  {
    title: 'names and values of an unknown field on three lines of an export',
    path: () => IMPORT,
    body: (round) => [
      HEAD,
      ...many(3, (line) => ({
        ...{ type: 'memory', id: `mem_${String(line).repeat(32)}`, content: 'a', tags: [], source: null },
        ...{ occurredAt: null, expiresAt: null, validFrom: HEAD.exportedAt, validTo: null, supersededBy: null },
        ...{ version: 1, user: 'default', metadata: {}, createdAt: HEAD.exportedAt, updatedAt: HEAD.exportedAt },
        ...names(1000, `${round}_${line}`),
      })),
    ],
  },
  {
    title: '40,000 observations of an entity on a line of an import',
    path: () => `${IMPORT}?format=mcp-memory`,
    body: (round) => [
      { type: 'entity', name: 'a', entityType: 'b', observations: many(40_000, (index) => `${round} ${index % 200}`) },
    ],
  },
  {
    title: 'a note of 1 MB on a line of an import',
    path: () => `${IMPORT}?format=basic-memory`,
    body: (round) => [{ path: 'a.md', content: prose(1_000_000, round) }],
  },
  {
    title: 'a note of 500,000 lines on a line of an import',
    path: () => `${IMPORT}?format=basic-memory`,
    body: (round) => [{ path: 'a.md', content: `${round}${'a\n'.repeat(250_000)}${'- #a\n'.repeat(80_000)}` }],
  },
  {
    title: 'a note whose list item has 1 MB of white space',
    path: () => `${IMPORT}?format=basic-memory`,
    body: (round) => [{ path: 'a.md', content: `${round}\n- ${' '.repeat(1_000_000)}a\u2028b` }],
  },
  {
    title: 'a note with 60 KB of front matter',
    path: () => `${IMPORT}?format=basic-memory`,
    body: (round) => [
      {
        path: 'a.md',
        content: `---\n${'a: [b, c]\n'
          .repeat(6000)
          .replaceAll('a', (_, at) => `a${at}`)
          .slice(0, 60_000)}\n---\n${round}`,
      },
    ],
  },
  {
    title: 'a conversation of ChatGPT of 4 MB, in 10,000 messages',
    path: () => `${IMPORT}?format=chatgpt`,
    body: (round) =>
      JSON.stringify([
        chatgpt(
          round,
          many(10_000, () => ({ content_type: 'text', parts: ['a'.repeat(150)] })),
        ),
      ]),
  },
  {
    title: 'a message of ChatGPT of 4 MB, in 1,300,000 parts',
    path: () => `${IMPORT}?format=chatgpt`,
    body: (round) => JSON.stringify([chatgpt(round, [{ content_type: 'text', parts: many(1_300_000, () => 1) }])]),
  },
  {
    title: 'a message of ChatGPT of 4 MB of escapes',
    path: () => `${IMPORT}?format=chatgpt`,
    body: (round) => JSON.stringify([chatgpt(round, [{ content_type: 'text', parts: ['\n'.repeat(2_000_000)] }])]),
  },
  {
    title: 'a conversation of Claude of 4 MB, in one message',
    path: () => `${IMPORT}?format=claude`,
    body: (round) =>
      JSON.stringify([
        claude(
          round,
          many(80_000, () => ({ type: 'text', text: 'abc def' })),
        ),
      ]),
  },
  {
    title: 'memories of Claude of 4 MB',
    path: () => `${IMPORT}?format=claude`,
    body: (round) => JSON.stringify([{ conversations_memory: `${round}${'a\n\n'.repeat(700_000)}` }]),
  },
  {
    title: 'a memory of Mem0 with 4 MB of metadata',
    path: () => `${IMPORT}?format=mem0`,
    body: (round) =>
      JSON.stringify([
        { memory: `a${round}`, metadata: many(370_000, (index) => `${index}`), categories: many(200_000, () => 'c') },
      ]),
  },
  {
    title: 'a memory of Mem0 with a number of 4 MB',
    path: () => `${IMPORT}?format=mem0`,
    body: (round) => `[{"memory":"a${round}","score":${'1'.repeat(FILE_BYTES - 100)}}]`,
  },
  {
    title: '500 memories with 64 tags each and a key',
    path: () => '/v1/memories/batch',
    body: (round) => tagged(round),
    key: (round) => `first-${round}`,
  },
  {
    title: '500 memories with 64 tags each, replayed by their key',
    path: () => '/v1/memories/batch',
    body: () => TAGGED,
    key: () => 'same',
  },
  {
    title: '19,000 names in tool calls, replayed by their key',
    path: memories,
    body: () => ({ messages: many(8, (index) => called(names(2375, index))) }),
    key: () => 'same',
  },
  {
    title: 'a list of 40 messages of 330 KB of names',
    path: (tenant) => `${memories(tenant)}?limit=200`,
    stored: many(20, (request) => ({
      messages: many(2, (index) =>
        called(many(9, (part) => names(620, `${'n'.repeat(40)}${request}_${index}_${part}`))),
      ),
    })),
  },
  {
    title: 'a list of 200 messages of 100,000 characters',
    path: (tenant) => `${memories(tenant)}?limit=200`,
    stored: many(20, (request) => ({
      messages: many(10, (index) => ({ role: 'user', content: prose(100_000, request * 10 + index) })),
    })),
  },
  {
    title: 'a list of 200 memories of 100,000 characters',
    path: () => '/v1/memories?limit=200',
    stored: many(200, (index) => ({ content: prose(100_000, index) })),
  },
];

function tagged(round: number) {
  return {
    memories: many(500, (index) => ({
      content: prose(300, round * 500 + index),
      tags: many(64, (tag) => `t${(index + tag) % 99}`),
    })),
  };
}

/** A conversation of ChatGPT's export whose messages follow each other. */
function chatgpt(round: number, contents: readonly object[]) {
  const nodes = contents.map((content, index) => {
    const message = { id: `${index}`, author: { role: 'user' }, content };
    return [`${index}`, { id: `${index}`, parent: index === 0 ? null : `${index - 1}`, message }];
  });
  const mapping = Object.fromEntries(nodes);
  return { conversation_id: `${round}`, title: 'a', current_node: `${contents.length - 1}`, mapping };
}

function claude(round: number, content: readonly object[]) {
  return { uuid: `${round}`, name: 'a', chat_messages: [{ uuid: 'a', sender: 'human', content }] };
}

/** Measures how long each body stops the event loop of a daemon that does nothing else. */
export async function benchWorstBodies({ rounds, nodeOptions, progress }: BenchOptions): Promise<Section> {
  return inFreshFolder(async (dataDir) => {
    const group = { tenants: BODIES.length, memories: 0, conversations: { count: 1, messages: 1 } };
    const [tenants] = await fillFolder({ dataDir, groups: [group], seed: 3 });
    const daemon = await startDaemon({ dataDir, nodeOptions });
    const rows = [];
    try {
      for (const [index, { title, path, body, key, stored = [] }] of BODIES.entries()) {
        progress(title);
        const tenant = tenants![index]!;
        const storing = path(tenant).replace(/\?limit.*/, '');
        for (const value of stored) await send(daemon.url + storing, tenant.apiKey, JSON.stringify(value));
        const stops: number[] = [];
        let status = 0;
        let bytes = 0;
        for (let round = 0; round <= rounds; round += 1) {
          const sent = textOf(body?.(round));
          bytes = Buffer.byteLength(sent ?? '');
          const limit = path(tenant).startsWith(IMPORT) ? FILE_BYTES : MAX_BYTES;
          if (bytes > limit) throw new Error(`${title} has ${bytes} bytes`);
          await loopStopOf(daemon.url);
          status = await send(daemon.url + path(tenant), tenant.apiKey, sent, key?.(round));
          // The first one compiles.
          if (round > 0) stops.push(await loopStopOf(daemon.url));
        }
        rows.push({ body: title, bytes, status, 'least ms': Math.min(...stops), 'stop ms': median(stops) });
      }
    } finally {
      await daemon.stop();
    }
    return {
      name: 'worst-bodies',
      title: 'How long the worst accepted bodies stop the event loop',
      rows,
      findings: rows.map((row) => ({ name: `${row.body}: stop ms`, value: row['stop ms'], atMost: MAX_STOP_MS })),
    };
  });
}

function textOf(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  return Array.isArray(given) ? given.map((line) => JSON.stringify(line)).join('\n') : JSON.stringify(given);
}

async function send(url: string, apiKey: string, body: string | undefined, key?: string): Promise<number> {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(body !== undefined && { 'content-type': typeOf(url) }),
    ...(key !== undefined && { 'idempotency-key': key }),
    accept: 'application/json, text/event-stream',
  };
  const response = await fetch(url, { method: body === undefined ? 'GET' : 'POST', headers, body: body ?? null });
  await response.text();
  return response.status;
}

function typeOf(url: string): string {
  if (!url.includes(IMPORT)) return 'application/json';
  return /format=(?:chatgpt|claude|mem0)/.test(url) ? 'application/json' : 'application/x-ndjson';
}
