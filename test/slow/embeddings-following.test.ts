import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/daemon/config.ts';
import { checkIntegrity } from '../../src/daemon/integrity-check.ts';
import { openDatabase } from '../../src/db/open.ts';
import { vectorExtension } from '../../src/db/vector-extension.ts';
import { conversing, SPAN } from '../features/conversations/conversation-caller.ts';
import { type MeaningDaemon, startMeaningDaemon } from '../features/embeddings/meaning-daemon.ts';
import { createCaller, startMemoryDaemon } from '../features/memories/memory-daemon.ts';
import { type Failure, startEmbedder } from '../helpers/embedder.ts';

let daemon: MeaningDaemon;
const folders: string[] = [];

afterEach(async () => {
  await daemon.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-meaning-'));
  folders.push(folder);
  return folder;
}

describe('while the embedder fails', () => {
  test.each<[Failure, string]>([
    [{ status: 500 }, 'unavailable'],
    [{ status: 401 }, 'settings'],
    [{ status: 429, headers: { 'retry-after': '1' } }, 'unavailable'],
    ['wrong count', 'answer'],
  ])('with %j, writes and searches keep working, and later every row gets its vector', async (failure, reason) => {
    daemon = await startMeaningDaemon();
    const ann = await daemon.account();
    daemon.embedder.state.failure = failure;
    await ann.add('Her automobile is red');
    await daemon.embed();
    expect(await ann.find('automobile')).toEqual(['Her automobile is red']);
    expect(await ann.find('fahrzeug')).toEqual([]);
    expect(await ann.search('fahrzeug', { strategy: 'semantic' })).toMatchObject({ status: 503 });
    expect(await daemon.vectors()).toEqual([]);
    expect(daemon.logLines.filter((line) => line.includes(`"reason":"${reason}"`))).not.toEqual([]);
    const metrics = (await daemon.call(undefined, '/metrics')).text;
    expect(metrics).toMatch(/^svc_embeddings_waiting 1$/m);
    expect(Number(/^svc_embedding_failures_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
    const readiness = async () => (await daemon.call(undefined, '/readyz')).body;
    expect(await readiness()).toMatchObject({ status: 'ready', embedder: 'failing' });
    daemon.embedder.state.failure = undefined;
    daemon.clock.advance(300_000);
    await daemon.embed();
    expect(await daemon.vectors()).toEqual(await daemon.rows());
    expect(await ann.find('fahrzeug')).toEqual(['Her automobile is red']);
    expect(await readiness()).toMatchObject({ status: 'ready', embedder: 'ok' });
  });

  test('by hanging, a single search waits half a second and later ones do not', async () => {
    daemon = await startMeaningDaemon();
    const ann = await daemon.account();
    await ann.add('Her automobile is red');
    await daemon.embed();
    daemon.embedder.state.failure = 'hang';
    const { body: first } = await ann.search('red');
    expect(first.results).toHaveLength(1);
    expect(first.tookMs).toBeGreaterThan(450);
    const asked = daemon.embedder.asked.length;
    const { body: later } = await ann.search('red automobile');
    expect(later.results).toHaveLength(1);
    expect(later.tookMs).toBeLessThan(400);
    expect(daemon.embedder.asked).toHaveLength(asked);
  });

  test('it is not called for as long as it asks', async () => {
    daemon = await startMeaningDaemon();
    daemon.clock.freeze();
    const ann = await daemon.account();
    daemon.embedder.state.failure = { status: 429, headers: { 'retry-after': '120' } };
    await ann.add('Her automobile is red');
    await daemon.embed();
    daemon.embedder.state.failure = undefined;
    const asked = daemon.embedder.asked.length;
    daemon.clock.advance(119_000);
    await daemon.embed();
    expect(daemon.embedder.asked).toHaveLength(asked);
    daemon.clock.advance(2000);
    await daemon.embed();
    expect(await daemon.jobs()).toEqual([]);
  });

  test('a model whose dimensions change does not change stored vectors', async () => {
    daemon = await startMeaningDaemon();
    const ann = await daemon.account();
    await ann.add('Her automobile is red');
    await daemon.embed();
    daemon.embedder.state.failure = 'wrong dimensions';
    await ann.add('Her automobile is blue');
    await daemon.embed();
    expect(await daemon.vectors()).toHaveLength(1);
    expect(await daemon.jobs()).toHaveLength(1);
    expect(await ann.find('fahrzeug')).toEqual([]);
    expect(await ann.find('blue')).toEqual(['Her automobile is blue']);
  });
});

describe('a text that the embedder rejects', () => {
  test.each([400, 500])(
    'with status %i does not delay others, is retried shorter, and finally stays without a vector',
    async (status) => {
      daemon = await startMeaningDaemon();
      const ann = await daemon.account();
      daemon.embedder.state.refusal = status;
      daemon.embedder.state.refuses = (text) => text.length > 1500 || text.includes('poison');
      const long = 'automobile '.repeat(400).trim();
      await ann.addAll([{ content: 'poison' }, { content: long }, { content: 'Her automobile is red' }]);
      await daemon.embed();
      expect(await daemon.vectors()).toHaveLength(1);
      for (let round = 0; round < 6; round += 1) {
        daemon.clock.advance(3_600_000);
        await daemon.embed();
      }
      expect(await daemon.vectors()).toHaveLength(2);
      expect(await daemon.jobs()).toEqual([]);
      expect(await ann.find('poison')).toContain('poison');
    },
  );

  test('as a query does not affect the next search', async () => {
    daemon = await startMeaningDaemon();
    const ann = await daemon.account();
    await ann.add('Her automobile is red');
    await daemon.embed();
    daemon.embedder.state.refuses = (text) => text.includes('poison');
    expect(await ann.find('poison automobile')).toEqual(['Her automobile is red']);
    expect(await ann.find('fahrzeug')).toEqual(['Her automobile is red']);
  });

  test('stays queued if the embedder rejects everything, which is a misconfiguration', async () => {
    daemon = await startMeaningDaemon();
    const ann = await daemon.account();
    daemon.embedder.state.refuses = () => true;
    await ann.add('Her automobile is red');
    for (let round = 0; round < 6; round += 1) {
      daemon.clock.advance(3_600_000);
      await daemon.embed();
    }
    expect(await daemon.jobs()).toHaveLength(1);
    expect(daemon.logLines.filter((line) => line.includes('"reason":"settings"'))).not.toEqual([]);
  });
});

describe('waiting rows', () => {
  test('are embedded fairly: a tenant with three is not delayed by one with a thousand', async () => {
    daemon = await startMeaningDaemon();
    const [ann, bob] = [await daemon.account(), await daemon.account()];
    daemon.embedder.state.failure = { status: 500 };
    for (let batch = 0; batch < 5; batch += 1) {
      await ann.addAll(Array.from({ length: 100 }, (_, index) => ({ content: `much ${batch} ${index}` })));
    }
    await bob.addAll([{ content: 'little 1' }, { content: 'little 2' }, { content: 'little 3' }]);
    await daemon.embed();
    daemon.embedder.state.failure = undefined;
    daemon.embedder.asked.length = 0;
    daemon.clock.advance(300_000);
    await daemon.embed();
    const places = daemon.embedder.texts().flatMap((text, index) => (text.startsWith('little') ? index : []));
    expect(places).toHaveLength(3);
    expect(Math.max(...places)).toBeLessThan(128);
    expect(Math.max(...daemon.embedder.asked.map(({ input }) => input.length))).toBeLessThanOrEqual(64);
    expect(await daemon.vectors()).toEqual(await daemon.rows());
  });

  test('are picked up by the next daemon after an interruption', async () => {
    const dataDir = await freshFolder();
    const first = await startMeaningDaemon({ dataDir });
    const ann = await first.account();
    first.embedder.state.holding = true;
    await ann.addAll([{ content: 'Her automobile is red' }, { content: 'Her feline is black' }]);
    const following = first.embed();
    await vi.waitFor(() => expect(first.embedder.asked).not.toEqual([]));
    await first.daemon.stop();
    await following;
    first.embedder.release();
    daemon = await startMeaningDaemon({ dataDir, embedder: first.embedder });
    expect(await daemon.vectors()).toEqual([]);
    await daemon.embed();
    expect(await daemon.vectors()).toEqual(await daemon.rows());
    expect(await daemon.rows()).toHaveLength(2);
    await first.embedder.close();
  });

  test('changed or erased while being embedded keep nothing of their former text', async () => {
    daemon = await startMeaningDaemon();
    const ann = await daemon.account();
    const talk = conversing(ann);
    daemon.embedder.state.holding = true;
    const { id } = await talk.episode({ title: 'A new car', ...SPAN });
    const memory = await ann.add('Her automobile is red');
    const following = daemon.embed();
    await vi.waitFor(() => expect(daemon.embedder.texts().join()).toContain('A new car'));
    await ann.call(`/v1/episodes/${id}`, { method: 'PATCH', body: { title: 'A new kitten' } });
    await ann.erase(memory.id);
    daemon.embedder.release();
    await following;
    await daemon.embed();
    expect(await daemon.vectors()).toEqual(await daemon.rows());
    expect(daemon.embedder.texts()).toContain('A new kitten\n\n');
    expect((await ann.find('feline', { strategy: 'semantic' }))[0]).toContain('A new kitten');
  });
});

describe('items older than the embedder', () => {
  test('get vectors, as do items added while it was off; erased ones lose theirs', async () => {
    const dataDir = await freshFolder();
    const before = await startMemoryDaemon({ dataDir });
    const ann = await before.account();
    const added = await ann.addAll(Array.from({ length: 60 }, (_, index) => ({ content: `Her automobile ${index}` })));
    await conversing(ann).say((await conversing(ann).begin({})).id, 'The physician was late');
    await before.daemon.stop();

    const first = await startMeaningDaemon({ dataDir });
    await first.embed();
    expect(await first.vectors()).toEqual(await first.rows());
    expect(await first.vectors()).toHaveLength(61);
    await first.daemon.stop();

    const off = await startMemoryDaemon({ dataDir });
    const meanwhile = createCaller(off.call, ann.apiKey, ann.tenantId);
    await meanwhile.erase(added[0]!.id);
    await meanwhile.add('Her feline is black');
    await off.daemon.stop();

    daemon = await startMeaningDaemon({ dataDir, embedder: first.embedder });
    expect(await daemon.vectors()).toHaveLength(60);
    await daemon.embed();
    expect(await daemon.vectors()).toEqual(await daemon.rows());
    expect(await daemon.vectors()).toHaveLength(61);
    await first.embedder.close();
  });
});

describe('the operator', () => {
  test('is warned about vectors without a row', async () => {
    daemon = await startMeaningDaemon();
    const ann = await daemon.account();
    await ann.add('Her automobile is red');
    await daemon.embed();
    const config = readConfig({ dataDir: daemon.folder }, {}, '');
    expect(await checkIntegrity(config)).toEqual([]);
    await daemon.db.writes.write('daemon', (connection) => connection.run('UPDATE vectors SET number = number + 7'));
    expect(await checkIntegrity(config)).toEqual(['a vector of memory 8 has no row']);
  });

  test('gets a one-line error if vectors cannot be searched, and nothing is left open', async () => {
    daemon = await startMeaningDaemon();
    const file = join(daemon.folder, 'svc.db');
    const open = (extension: string) => openDatabase(file, { readerCount: 1, monotonicMs: () => 0, extension });
    await (await open(await vectorExtension())).close();
    await expect(open('/nowhere/vec0.so')).rejects.toMatchObject({
      code: 'unprocessable',
      message: expect.stringMatching(/^sqlite-vec, which vector search needs, cannot be loaded \([^\n]+$/),
    });
  });

  test("finds neither the embedder's key nor any text in the log", async () => {
    const embedder = await startEmbedder();
    daemon = await startMeaningDaemon({ embedder, address: embedder.openai('small', 'hunter2') });
    const ann = await daemon.account();
    for (const failure of [{ status: 401 }, { status: 500 }, 'no JSON'] as const) {
      embedder.state.failure = failure;
      await ann.add(`My secret automobile ${JSON.stringify(failure)}`);
      await ann.find('secret');
      daemon.clock.advance(600_000);
      await daemon.embed();
    }
    expect(embedder.asked[0]!.authorization).toBe('Bearer hunter2');
    expect(daemon.logLines.join('')).toContain('the embedder fails');
    expect(daemon.logLines.join('')).not.toMatch(/hunter2|automobile/);
    await embedder.close();
  });
});

describe('a new model', () => {
  test('takes over once complete; until then the previous one serves, including new items', async () => {
    const dataDir = await freshFolder();
    const first = await startMeaningDaemon({ dataDir });
    const ann = await first.account();
    await ann.add('Her automobile is red');
    await first.embed();
    await first.daemon.stop();

    const { embedder } = first;
    embedder.state.lacks.add('large');
    daemon = await startMeaningDaemon({ dataDir, embedder, address: embedder.openai('large') });
    const again = createCaller(daemon.call, ann.apiKey, ann.tenantId);
    await again.add('Her kitten is black');
    await daemon.embed();
    expect(await again.find('fahrzeug')).toContain('Her automobile is red');
    expect(await again.find('feline')).toContain('Her kitten is black');
    expect(await daemon.vectors()).toHaveLength(2);

    embedder.state.lacks.clear();
    embedder.state.lacks.add('small');
    daemon.clock.advance(300_000);
    await daemon.embed();
    const models = await daemon.db.readers.all('SELECT name, state FROM embeddingModels');
    expect(models).toEqual([{ name: 'large', state: 'serving' }]);
    expect(await daemon.vectors()).toEqual(await daemon.rows());
    expect(await daemon.vectors()).toHaveLength(2);
    expect(await again.find('fahrzeug')).toContain('Her automobile is red');
    await embedder.close();
  });
});
