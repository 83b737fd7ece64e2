import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type JsonLimits, scanJson } from '../../../src/contract/json-scan.ts';
import { PROVIDER_HTTP_LIMITS } from '../../../src/outside/providers/provider-http.ts';
import type { ProviderModels } from '../../../src/outside/providers/provider-models.ts';
import { ask, faultOf, modelsFor } from '../../helpers/providers/models.ts';
import { type ProviderServer, startProviderServer, type Trouble } from '../../helpers/providers/server.ts';
import { dataFrame } from '../../helpers/providers/wire.ts';

const { check, vectors, whole, stream } = PROVIDER_HTTP_LIMITS.exchange;
const VALUE = { facts: ['lives in Bergen'] };

let server: ProviderServer;
let models: ProviderModels;

beforeAll(async () => {
  server = await startProviderServer('openai-compatible');
});
beforeEach(() => {
  server.reset();
  // Remembers which server does not stream.
  models = modelsFor([server.allowed]);
});
afterAll(() => server.close());

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const object = (members: number) => `{${Array.from({ length: members }, (_, index) => `"${index}x":1`).join()}}`;
const list = (count: number, item: string) => `[${Array(count).fill(item).join()}]`;

const chunk = (more: string) => `data: {"choices":[{"index":0,"delta":{}}],"more":${more}}\n\n`;
const written = dataFrame({
  choices: [{ index: 0, delta: { content: JSON.stringify(VALUE) }, finish_reason: 'stop' }],
});

interface Kind {
  limits: JsonLimits;
  /** The event or the body with `more` in a member. */
  responses(more: string): Trouble[];
  call(): Promise<unknown>;
  expected: unknown;
}

const generate = () => models.generate(server.access(), ask(server.generating));
const KINDS: Record<string, Kind> = {
  'a list of models': {
    limits: check.json,
    responses: (more) => [{ body: `{"data":[{"id":"some-model"}],"more":${more}}` }],
    call: () => models.list(server.access()),
    expected: ['some-model'],
  },
  vectors: {
    limits: vectors.json,
    responses: (more) => [{ body: `{"data":[{"embedding":[3,4],"index":0}],"more":${more}}` }],
    call: () => models.embed(server.access(), { model: server.embedding, texts: ['a'], purpose: 'query' }),
    expected: { vectors: [Float32Array.of(0.6, 0.8)] },
  },
  'a response without streaming': {
    limits: whole.json,
    responses(more) {
      const message = JSON.stringify({ role: 'assistant', content: JSON.stringify(VALUE) });
      const reply = { body: `{"choices":[{"message":${message},"finish_reason":"stop"}],"more":${more}}` };
      // The first one represents streaming that is not supported.
      return [reply, reply];
    },
    call: generate,
    expected: { value: VALUE },
  },
  'an event of a stream': {
    limits: stream.json,
    responses: (more) => [{ frames: [chunk('1'), chunk(more), chunk(more), written] }],
    call: generate,
    expected: { value: VALUE },
  },
};

describe.each(Object.entries(KINDS))('%s', (name, { limits, responses, call, expected }) => {
  const { depth, objectMembers, members, values } = limits;
  const own = name.startsWith('an event') ? 'has an event that ' : '';

  test.each([
    ['levels', deep(depth - 1), deep(depth), `is nested deeper than ${depth} levels`],
    [
      'members of an object',
      object(objectMembers),
      object(objectMembers + 1),
      `has an object with more than ${objectMembers} members`,
    ],
    [
      'members',
      list(members / 10 - 10, object(10)),
      list(members / 10, object(10)),
      `has more than ${members} object members`,
    ],
    ['values', list(values - 30, '1'), list(values, '1'), `has more than ${values} values`],
  ])(
    'with too many %s is refused before it is parsed, and as many as allowed are read',
    async (_, some, many, fault) => {
      server.next(...responses(some));
      expect(await call()).toMatchObject(expected as object);
      server.next(...responses(many));
      const parse = vi.spyOn(JSON, 'parse');
      const found = await faultOf(call());
      const parsed = parse.mock.calls.map(([text]) => text.length);
      parse.mockRestore();
      expect(found).toMatchObject({ reason: 'failed', maybeInput: false });
      expect(found.message).toBe(`The provider response ${own}${fault}. Check the base URL and the model.`);
      // The texts that the fake server parses, and other events.
      expect(Math.max(0, ...parsed)).toBeLessThan(1500);
      await expect.poll(() => server.state.answering).toBe(0);
    },
  );
});

test('vectors may have as many numbers as 100 texts have with 8,192 dimensions', async () => {
  const found = scanJson(Buffer.from(JSON.stringify({ data: list(100, list(8192, '1')) })), vectors.json);
  expect(found).toMatchObject({ values: expect.any(Number) });
});

test('an event that never ends is refused', async () => {
  server.next({ frames: [chunk('1'), `data: "${'x'.repeat(stream.maxEventBytes!)}`] });
  expect((await faultOf(generate())).message).toBe(
    'The provider response has an event that exceeds 256 KiB. Check the base URL and the model.',
  );
});

test('the status of an error decides, whatever its body is', async () => {
  const authentication = '"error":{"code":"invalid_api_key"}';
  server.next({ status: 400, body: `{${authentication}}` });
  expect(await faultOf(generate())).toMatchObject({ reason: 'refused' });
  server.next({ status: 400, body: `{${authentication},"more":${deep(100)}}` });
  const parse = vi.spyOn(JSON, 'parse');
  expect(await faultOf(generate())).toMatchObject({ reason: 'input' });
  expect(parse.mock.calls.filter(([text]) => text.includes('invalid_api_key'))).toEqual([]);
  parse.mockRestore();
  server.next({ status: 503, headers: { 'content-type': 'text/html' }, body: list(100_000, '{"a":1}') });
  expect(await faultOf(generate())).toMatchObject({ reason: 'failed', message: expect.stringContaining('503') });
});

test.each([
  ['deep', deep(40), 'is nested deeper than 32 levels'],
  ['JSON of another schema', '{"other":1}', 'does not match the schema'],
])('text of a model that is %s is refused, and its tokens are counted', async (_, text, what) => {
  server.respond(() => text);
  expect(await faultOf(generate())).toMatchObject({
    message: `The provider returned a response that ${what}. Try again, or choose another model.`,
    maybeInput: true,
    spent: { inputTokens: 111, outputTokens: 22 },
  });
});

test('text of a model longer than 1 MiB is refused', async () => {
  const content = 'x'.repeat(200_000);
  server.next({
    frames: [...Array<string>(6).fill(dataFrame({ choices: [{ index: 0, delta: { content } }] })), written],
  });
  expect((await faultOf(generate())).message).toContain('a response that exceeds 1048576 characters');
});

test('a call of a tool ends the stream before its arguments are complete', async () => {
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '[' } };
  const more = { index: 0, function: { arguments: '['.repeat(1000) } };
  const toolFrame = (tool: object) => dataFrame({ choices: [{ index: 0, delta: { tool_calls: [tool] } }] });
  server.next({ frames: [toolFrame(call), ...Array<string>(1000).fill(toolFrame(more))] });
  expect(await faultOf(generate())).toMatchObject({
    message: 'The provider returned a call of a tool, which svc did not offer. Try again, or choose another model.',
    spent: { inputTokens: expect.any(Number), outputTokens: 0 },
  });
  await expect.poll(() => server.state.answering).toBe(0);
});
