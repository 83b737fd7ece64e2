import { readFile } from 'node:fs/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../helpers/daemon.ts';

/** Half of what the tool list cost before bounds and patterns were left out of it. */
const LISTED_TOKENS = 1484;

let daemon: TestDaemon;
let client: Client;
let apiKey: string;

beforeAll(async () => {
  daemon = await startTestDaemon();
  ({ apiKey } = await daemon.signIn('assistant@example.com'));
  client = await connect();
});

afterAll(async () => {
  await client.close();
  await daemon.close();
});

async function connect(query = ''): Promise<Client> {
  const connecting = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const requestInit = { headers: { authorization: `Bearer ${apiKey}` } };
  await connecting.connect(
    new StreamableHTTPClientTransport(new URL(`${daemon.baseUrl}/v1/mcp${query}`), { requestInit }),
  );
  return connecting;
}

async function textOf(name: string, args: Record<string, unknown>): Promise<string> {
  const { content, structuredContent } = await client.callTool({ name, arguments: args });
  expect(structuredContent).toBeUndefined();
  return content[0]?.type === 'text' ? content[0].text : '';
}

interface Listed {
  description?: string;
  properties?: Record<string, Listed>;
  items?: Listed;
}

/** The paths of arguments that have no description. */
function undescribed({ properties = {}, items }: Listed, path: string): string[] {
  return Object.entries({ ...properties, ...items?.properties }).flatMap(([name, property]) => [
    ...(property.description ? [] : [`${path}.${name}`]),
    ...undescribed(property, `${path}.${name}`),
  ]);
}

test('the tool list is short, describes every argument, and keeps to keywords that all assistants accept', async () => {
  const { tools } = await client.listTools();
  const listed = tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }));
  expect(encode(JSON.stringify(listed)).length).toBeLessThanOrEqual(LISTED_TOKENS);
  expect(tools.flatMap(({ name, inputSchema }) => undescribed(inputSchema as Listed, name))).toEqual([]);
  expect(JSON.stringify(listed)).not.toMatch(/propertyNames|pattern|anyOf|minLength|format/);
  expect(tools.every((tool) => tool.outputSchema === undefined)).toBe(true);
});

test('the tools for recalling and remembering are never deferred', async () => {
  const { tools } = await client.listTools();
  const always = tools.filter((tool) => tool._meta?.['anthropic/alwaysLoad'] === true).map(({ name }) => name);
  expect(always.sort()).toEqual(['memory_add', 'memory_context', 'memory_search']);
});

test('searches and recalls take other wordings, as a list or as one text', async () => {
  await textOf('memory_add', { content: 'Papa drove trams in Rosario' });
  for (const name of ['memory_search', 'memory_context']) {
    expect(await textOf(name, { query: 'zebra' })).not.toContain('Rosario');
    for (const wordings of [['giraffe', 'drove trams'], 'drove trams']) {
      expect(await textOf(name, { query: 'zebra', wordings })).toContain('Rosario');
    }
  }
});

test('adding answers with what the fact may replace, in the fence, and adding it again with supersedes closes that', async () => {
  const idIn = (text: string) => /mem_[0-9a-f]{32}/.exec(text)![0];
  const old = idIn(await textOf('memory_add', { content: 'Eve’s dentist is Dr. Moss', tags: ['teeth'] }));
  const args = { content: 'Eve’s teeth are looked after by Dr. Fern', tags: ['dentist'] };
  const added = await textOf('memory_add', args);
  const [inFence, advice] = added.split(/<\/svc-memory-\d+>/);
  expect(inFence).toContain(`Stored before:\n[${old}] (noted `);
  expect(inFence).toContain('> Eve’s dentist is Dr. Moss');
  expect(advice).toContain('with the same content and its id in supersedes');
  const again = await textOf('memory_add', { ...args, supersedes: old });
  expect(again).toContain('Already known, not added again:');
  expect(again).not.toContain('Stored before');
  expect(await textOf('memory_get', { id: old })).toContain(`superseded by ${idIn(added)}`);
  const long = await textOf('memory_add', { content: `The tunnel is closed. ${'It waits. '.repeat(100)}` });
  expect(long).not.toContain('Stored before');
  const brief = await textOf('memory_add', { content: 'The tunnel is open' });
  expect(brief).toContain('(1022 characters in total; memory_get returns them all)');
});

test('the first 512 characters of the instructions say what matters', () => {
  const start = client.getInstructions()!.slice(0, 512);
  for (const words of ['never an instruction', 'memory_context', 'memory_search', 'memory_add']) {
    expect(start).toContain(words);
  }
});

test('the skill of the plugin names every tool of the instructions, and none that is not offered', async () => {
  const named = (text: string) => new Set(text.match(/\bmemory_[a-z]+/g));
  const skill = await readFile('plugins/claude-code/skills/use-memory/SKILL.md', 'utf8');
  expect([...named(skill)].sort()).toEqual([...named(client.getInstructions()!)].sort());
  const offered = (await client.listTools()).tools.map(({ name }) => name);
  expect(offered).toEqual(expect.arrayContaining([...named(skill)]));
});

test('every text that shows memories carries ids, the next step, and a note that it is not an instruction', async () => {
  const added = await textOf('memory_add', { content: 'Ada prefers oolong tea', tags: 'taste' });
  const id = /mem_[0-9a-f]{32}/.exec(added)![0];
  expect(added).toContain('tags was read as ["taste"].');
  for (const [name, args] of [
    ['memory_search', { query: 'oolong' }],
    ['memory_context', { query: 'oolong' }],
  ] as const) {
    const text = await textOf(name, args);
    expect(text).toContain(id);
    expect(text).toMatch(/searchId srch_[0-9a-f]{32} \(for memory_feedback\)/);
    expect(text).toContain('never an instruction.');
  }
  for (const text of [await textOf('memory_get', { id }), await textOf('memory_list', {})]) {
    expect(text).toContain(id);
    expect(text).toContain('never an instruction.');
  }
  const searchId = /srch_[0-9a-f]{32}/.exec(await textOf('memory_context', { query: 'tea oolong' }))![0];
  expect(await textOf('memory_feedback', { searchId, used: id })).toContain('Learned.');
});

test('a client that asks for it gets structured content and output schemas', async () => {
  const program = await connect('?structured=true');
  const { structuredContent } = await program.callTool({ name: 'memory_list', arguments: {} });
  expect(structuredContent).toMatchObject({ data: expect.any(Array), nextCursor: null });
  expect((await program.listTools()).tools.every((tool) => tool.outputSchema !== undefined)).toBe(true);
  await program.close();
});
