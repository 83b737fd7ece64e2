import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { modelCommand } from '../../../src/cli/commands/model.ts';
import type { StoredLanguages } from '../../../src/contract/stored-languages.ts';
import { refuseWrites } from '../../helpers/broken-tables.ts';
import { createCommandLine } from '../../helpers/command-line.ts';
import { createMigratedDatabase } from '../../helpers/migrated-database.ts';
import { MODEL_FILE, startModelHub, tinyModelFiles } from '../../helpers/model-hub.ts';
import { type Caller, createCaller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let dataDir: string;
let daemon: MemoryDaemon;
let ann: Caller;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-added-'));
  await createMigratedDatabase(dataDir);
  daemon = await startMemoryDaemon({ dataDir });
  ann = await daemon.account();
  await ann.addAll([{ content: 'Her automobile is old' }, { content: 'The cat purrs' }]);
});
afterEach(async () => {
  await daemon.stop();
  await rm(dataDir, { recursive: true });
});

/** Runs `svc model` against a hub whose files differ with the seed. */
async function svcModel(words: string[], seed = 1): Promise<string> {
  const hub = await startModelHub(await tinyModelFiles({ seed }));
  const line = await createCommandLine({ env: { SVC_MODEL_HUB: hub.url } });
  const { exitCode, out, error } = await line.run(modelCommand, ...words, '--data-dir', dataDir);
  await Promise.all([hub.close(), line.close()]);
  expect(exitCode, error).toBe(0);
  return out;
}

const models = () =>
  daemon.db.readers.all<{ name: string; state: string }>('SELECT name, state FROM embeddingModels ORDER BY id');
const byMeaning = (query: string) => ann.search(query, { strategy: 'semantic' });
const embedder = async () => (await daemon.call(undefined, '/readyz')).body.embedder;
const meaning = async () => (await ann.call<StoredLanguages>('/v1/retrieval/languages')).body.meaning;
const MODEL = /^all-MiniLM-L6-v2@[0-9a-f]{16}$/;

/** Retries, with the background work that would run every second. */
async function until(isSo: () => Promise<void>): Promise<void> {
  await vi.waitFor(async () => {
    await daemon.embeddings.follow();
    await isSo();
  }, 30_000);
}

async function restart(): Promise<void> {
  await daemon.stop();
  daemon = await startMemoryDaemon({ dataDir });
  ann = createCaller(daemon.call, ann.apiKey, ann.tenantId);
}

/** Waits until a search by meaning alone finds these contents first, in any order. */
async function untilFound(query: string, ...contents: string[]): Promise<void> {
  await until(async () => {
    const { status, body } = await byMeaning(query);
    expect(status).toBe(200);
    expect(
      body.results
        .slice(0, contents.length)
        .map(({ content }) => content)
        .sort(),
    ).toEqual(contents.sort());
  });
}

describe('a running daemon', { timeout: 60_000 }, () => {
  test('follows a choice as soon as the database stores it', async () => {
    const refuseNoMore = await refuseWrites(daemon, { event: 'INSERT', table: 'embeddingModels' });
    await svcModel(['add', 'all-MiniLM-L6-v2']);
    for (let round = 0; round < 2; round += 1) {
      await vi.waitFor(() => expect(daemon.embeddings.follow()).rejects.toThrow('refused'), 10_000);
      expect([await models(), await embedder()]).toEqual([[], undefined]);
    }
    await ann.add('Ada bought a kitten');
    await refuseNoMore();
    await untilFound('feline', 'Ada bought a kitten', 'The cat purrs');
    expect(await models()).toEqual([{ name: expect.stringMatching(MODEL), state: 'serving' }]);
    await until(async () => expect(await embedder()).toBe('ok'));
  });

  test('searches by meaning as soon as a model is added, by words once it is removed, and changes models without a gap', async () => {
    expect([(await byMeaning('fahrzeug')).status, await embedder()]).toEqual([422, undefined]);
    await svcModel(['add', 'all-MiniLM-L6-v2']);
    await untilFound('fahrzeug', 'Her automobile is old');
    expect(await ann.find('fahrzeug')).toEqual(['Her automobile is old']);
    expect(await meaning()).toBe('english');
    expect(await models()).toEqual([{ name: expect.stringMatching(MODEL), state: 'serving' }]);
    await until(async () => expect(await embedder()).toBe('ok'));
    await ann.add('Ada bought a kitten');
    await untilFound('feline', 'Ada bought a kitten', 'The cat purrs');

    await svcModel(['remove', 'all-MiniLM-L6-v2', '--yes']);
    await until(async () => expect(await embedder()).toBeUndefined());
    expect((await byMeaning('fahrzeug')).status).toBe(422);
    expect(await ann.find('purrs')).toEqual(['The cat purrs']);
    await ann.add('Ada bought a fahrzeug');

    await svcModel(['add', 'all-MiniLM-L6-v2']);
    await untilFound('car', 'Ada bought a fahrzeug', 'Her automobile is old');
    expect(await models()).toHaveLength(1);

    await ann.add('My doctor drives');
    await untilFound('physician', 'My doctor drives');
    const found = new Set<string | undefined>();
    let isWatching = true;
    const watching = (async () => {
      while (isWatching) {
        const { status, body } = await byMeaning('physician');
        // On a busy machine the model may not answer in time.
        if (status !== 503) found.add(status === 200 ? body.results[0]?.content : `status ${status}`);
      }
    })();
    await svcModel(['add', 'e5-small-v2'], 2);
    const serving = [{ name: expect.stringMatching(/^e5-small-v2@/), state: 'serving' }];
    await until(async () => expect(await models()).toEqual(serving));
    isWatching = false;
    await watching;
    expect([...found]).toEqual(['My doctor drives']);
    await untilFound('physician', 'My doctor drives');

    await restart();
    await untilFound('physician', 'My doctor drives');
    await writeFile(join(dataDir, 'models/e5-small-v2', MODEL_FILE), 'nonsense');
    await restart();
    expect(await embedder()).toBe('failing');
    expect(await ann.find('purrs')).toEqual(['The cat purrs']);
    expect(daemon.logLines.join('\n')).toContain('remove it and add it again (svc model)');
  });
});
