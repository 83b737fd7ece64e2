import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { modelCommand } from '../../../src/cli/commands/model.ts';
import { createCommandLine } from '../../helpers/command-line.ts';
import { MODEL_FILE, startModelHub, tinyModelFiles } from '../../helpers/model-hub.ts';
import { type Caller, createCaller, type MemoryDaemon, startMemoryDaemon } from '../memories/memory-daemon.ts';

let dataDir: string;
let daemon: MemoryDaemon;
let ann: Caller;
const ends: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-added-'));
  daemon = await startMemoryDaemon({ dataDir });
  ann = await daemon.account();
  await ann.addAll([{ content: 'Her automobile is old' }, { content: 'The cat purrs' }]);
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
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
const byMeaning = async () => (await ann.find('vehicle', { strategy: 'semantic' }))[0];
const statusByMeaning = async () => (await ann.search('vehicle', { strategy: 'semantic' })).status;
const embedder = async () => (await daemon.call(undefined, '/readyz')).body.embedder;
const MODEL = /^all-MiniLM-L6-v2@[0-9a-f]{16}$/;

describe('a running daemon', () => {
  test('uses an added model at once, for what is stored and what follows', async () => {
    expect([await statusByMeaning(), await embedder()]).toEqual([422, undefined]);
    await svcModel(['add', 'all-MiniLM-L6-v2']);
    await vi.waitFor(async () => expect((await ann.find('vehicle'))[0]).toBe('Her automobile is old'), 15_000);
    expect(await models()).toEqual([{ name: expect.stringMatching(MODEL), state: 'serving' }]);
    expect(await embedder()).toBe('ok');
    await ann.add('Ada bought a kitten');
    await vi.waitFor(async () => {
      const found = await ann.find('feline', { strategy: 'semantic' });
      expect(found.slice(0, 2).sort()).toEqual(['Ada bought a kitten', 'The cat purrs']);
    }, 15_000);
  });

  test('fills another model beside the one that serves, and changes over without a gap', async () => {
    await svcModel(['add', 'all-MiniLM-L6-v2']);
    await vi.waitFor(async () => expect((await ann.find('vehicle'))[0]).toBe('Her automobile is old'), 15_000);
    let gaps = 0;
    let isWatching = true;
    const watching = (async () => {
      while (isWatching) if ((await byMeaning()) !== 'Her automobile is old') gaps += 1;
    })();
    await svcModel(['add', 'e5-small-v2'], 2);
    const serving = [{ name: expect.stringMatching(/^e5-small-v2@/), state: 'serving' }];
    await vi.waitFor(async () => expect(await models()).toEqual(serving), 15_000);
    isWatching = false;
    await watching;
    expect(gaps).toBe(0);
    expect(await byMeaning()).toBe('Her automobile is old');
  });

  test('searches by words alone once the model is removed, and by meaning again once it is back', async () => {
    await svcModel(['add', 'all-MiniLM-L6-v2']);
    await vi.waitFor(async () => expect((await ann.find('vehicle'))[0]).toBe('Her automobile is old'), 15_000);
    await svcModel(['remove', 'all-MiniLM-L6-v2', '--yes']);
    await vi.waitFor(async () => expect(await embedder()).toBeUndefined(), 15_000);
    expect(await statusByMeaning()).toBe(422);
    expect(await ann.find('cat')).toEqual(['The cat purrs']);
    await ann.add('Ada bought a vehicle');
    await svcModel(['add', 'all-MiniLM-L6-v2']);
    await vi.waitFor(async () => {
      const found = await ann.find('car', { strategy: 'semantic' });
      expect(found.slice(0, 2).sort()).toEqual(['Ada bought a vehicle', 'Her automobile is old']);
    }, 15_000);
    expect(await models()).toHaveLength(1);
  });

  test('goes on with the model after a restart, and without it says that it is damaged', async () => {
    await svcModel(['add', 'all-MiniLM-L6-v2']);
    await vi.waitFor(async () => expect((await ann.find('vehicle'))[0]).toBe('Her automobile is old'), 15_000);
    const restart = async () => {
      await daemon.stop();
      daemon = await startMemoryDaemon({ dataDir });
      ann = createCaller(daemon.call, ann.apiKey, ann.tenantId);
    };
    await restart();
    expect(await byMeaning()).toBe('Her automobile is old');
    await writeFile(join(dataDir, 'models/all-MiniLM-L6-v2', MODEL_FILE), 'nonsense');
    await restart();
    expect(await embedder()).toBe('failing');
    expect(await ann.find('cat')).toEqual(['The cat purrs']);
    expect(daemon.logLines.join('\n')).toContain('remove it and add it again (svc model)');
  });
});
