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
  /** Different in each round: what is stored already costs less. An import has a list of lines. */
  body(round: number): unknown;
}

const IMPORT = '/v1/import';
const HEAD = { type: 'svc-export', format: 'svc', version: EXPORT_VERSION, exportedAt: '2026-05-01T00:00:00.000Z' };

const many = <T>(count: number, item: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));
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

/** Bodies within the limits of JSON that take the daemon longest. */
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
    body: (round) => ({
      memories: many(500, (index) => ({
        content: prose(300, round * 500 + index),
        tags: many(64, (tag) => `t${(index + tag) % 99}`),
      })),
    }),
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
];

/** Measures how long each body stops the event loop of a daemon that does nothing else. */
export async function benchWorstBodies({ rounds, nodeOptions, progress }: BenchOptions): Promise<Section> {
  return inFreshFolder(async (dataDir) => {
    const group = { tenants: BODIES.length, memories: 0, conversations: { count: 1, messages: 1 } };
    const [tenants] = await fillFolder({ dataDir, groups: [group], seed: 3 });
    const daemon = await startDaemon({ dataDir, nodeOptions });
    const rows = [];
    try {
      for (const [index, { title, path, body }] of BODIES.entries()) {
        progress(title);
        const tenant = tenants![index]!;
        const stops: number[] = [];
        let status = 0;
        let bytes = 0;
        for (let round = 0; round <= rounds; round += 1) {
          const given = body(round);
          const sent = Array.isArray(given)
            ? given.map((line) => JSON.stringify(line)).join('\n')
            : JSON.stringify(given);
          bytes = Buffer.byteLength(sent);
          if (bytes > MAX_BYTES) throw new Error(`${title} has ${bytes} bytes`);
          await loopStopOf(daemon.url);
          status = await post(daemon.url, path(tenant), tenant.apiKey, sent);
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

async function post(url: string, path: string, apiKey: string, body: string): Promise<number> {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': path.startsWith(IMPORT) ? 'application/x-ndjson' : 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const response = await fetch(url + path, { method: 'POST', headers, body });
  await response.text();
  return response.status;
}
