import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/lib/clock.ts';
import { type Embedder, EmbedderFault } from '../../../src/outside/models/embedder.ts';
import { createEmbedder } from '../../../src/outside/models/embedding-server.ts';
import { embeddingOf, type Failure, type FakeEmbedder, startEmbedder } from '../../helpers/embedder.ts';

let server: FakeEmbedder;
const open: Embedder[] = [];

beforeAll(async () => {
  server = await startEmbedder({ dimensions: 16 });
});
beforeEach(() => {
  server.state.failure = undefined;
  server.state.refuses = () => false;
  server.asked.length = 0;
});
afterAll(async () => {
  for (const embedder of open) await embedder.close();
  await server.close();
});

function embedderAt(address = server.openai()): Embedder {
  const embedder = createEmbedder(address, systemClock);
  open.push(embedder);
  return embedder;
}

async function faultOf(embedder: Embedder): Promise<EmbedderFault> {
  const error = await embedder.embed('small', ['car', 'cat']).catch((reason) => reason);
  expect(error).toBeInstanceOf(EmbedderFault);
  return error;
}

describe('an embedder', () => {
  test("with OpenAI's protocol receives key, model and texts, and its vectors are scaled to length 1", async () => {
    const vectors = await embedderAt(server.openai('small', 'k@y')).embed('small', ['car', 'my cat']);
    expect(server.asked).toEqual([
      { path: '/v1/embeddings', authorization: 'Bearer k@y', model: 'small', input: ['car', 'my cat'] },
    ]);
    for (const [index, text] of ['car', 'my cat'].entries()) {
      const expected = embeddingOf('small', text, 16);
      const length = Math.hypot(...expected);
      expect(Math.hypot(...vectors[index]!)).toBeCloseTo(1, 5);
      vectors[index]!.forEach((part, place) => {
        expect(part).toBeCloseTo(expected[place]! / length, 5);
      });
    }
  });

  test("with Ollama's protocol gives the same", async () => {
    const texts = ['car', 'my cat'];
    const vectors = await embedderAt(server.ollama()).embed('small', texts);
    expect(server.asked).toEqual([{ path: '/api/embed', authorization: undefined, model: 'small', input: texts }]);
    expect(vectors).toEqual(await embedderAt().embed('small', texts));
  });

  test.each<[Failure, EmbedderFault['reason'], number | undefined]>([
    [{ status: 401 }, 'settings', undefined],
    [{ status: 403 }, 'settings', undefined],
    [{ status: 404 }, 'settings', undefined],
    [{ status: 400 }, 'texts', undefined],
    [{ status: 413 }, 'texts', undefined],
    [{ status: 429, headers: { 'retry-after': '7' } }, 'unavailable', 7000],
    [{ status: 429, headers: { 'retry-after': '99999999' } }, 'unavailable', 3_600_000],
    [{ status: 500 }, 'unavailable', undefined],
    [{ status: 503 }, 'unavailable', undefined],
    ['wrong count', 'answer', undefined],
    ['no JSON', 'answer', undefined],
    ['deep JSON', 'answer', undefined],
    ['endless', 'answer', undefined],
    ['zero', 'texts', undefined],
  ])('that responds with %j is classified as %s', async (failure, reason, retryAfterMs) => {
    const embedder = embedderAt();
    server.state.failure = failure;
    expect(await faultOf(embedder)).toMatchObject({ reason, retryAfterMs });
    server.state.failure = undefined;
    expect(await embedder.embed('small', ['car'])).toHaveLength(1);
  });

  test('that responds with deeply nested JSON is refused for it, before it is parsed', async () => {
    server.state.failure = 'deep JSON';
    expect((await faultOf(embedderAt())).message).toBe('it returned JSON that is nested deeper than 16 levels');
  });

  test('that responds with long vectors has them parsed in pieces', async () => {
    const long = await startEmbedder({ dimensions: 4096 });
    const texts = ['car', 'my cat', 'tea'];
    const parse = vi.spyOn(JSON, 'parse');
    const vectors = await embedderAt(long.openai()).embed('small', texts);
    const lengths = parse.mock.calls.map(([text]) => text.length);
    parse.mockRestore();
    await long.close();
    expect(vectors.map(({ length }) => length)).toEqual([4096, 4096, 4096]);
    expect(vectors[2]![7]).toBeCloseTo(
      embeddingOf('small', 'tea', 4096)[7]! / Math.hypot(...embeddingOf('small', 'tea', 4096)),
      5,
    );
    expect(Math.max(...lengths)).toBeLessThan(20 * 1024);
  });

  test('cannot redirect the request, so the key goes nowhere else', async () => {
    const elsewhere = await startEmbedder();
    server.state.failure = { status: 307, headers: { location: `${elsewhere.base}/v1/embeddings` } };
    expect(await faultOf(embedderAt(server.openai('small', 'secret')))).toMatchObject({ reason: 'settings' });
    expect(elsewhere.asked).toEqual([]);
    await elsewhere.close();
  });

  test('that is down is unavailable, and faults do not contain its address or key', async () => {
    const gone = await startEmbedder();
    const address = gone.openai('small', 'secret');
    await gone.close();
    const fault = await faultOf(embedderAt(address));
    expect(fault.reason).toBe('unavailable');
    expect(fault.message).not.toMatch(/127\.0\.0\.1|secret/);
  });

  test('that hangs is aborted when the caller aborts', async () => {
    server.state.failure = 'hang';
    const stopping = new AbortController();
    const asked = embedderAt().embed('small', ['car'], { signal: stopping.signal });
    stopping.abort();
    await expect(asked).rejects.toMatchObject({ reason: 'unavailable' });
  });
});
