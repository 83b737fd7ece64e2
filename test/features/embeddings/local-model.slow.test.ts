import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { withRooms } from '../../../src/daemon/admin.ts';
import { ConfigError } from '../../../src/daemon/config.ts';
import { writeTinyModel } from '../../helpers/onnx-model.ts';
import { createCaller, startMemoryDaemon } from '../memories/memory-daemon.ts';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function freshFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-local-'));
  folders.push(folder);
  return folder;
}

async function startWith(folder: string, dataDir: string) {
  const daemon = await startMemoryDaemon({ dataDir, config: { embeddings: { folder } } });
  const models = () =>
    daemon.db.readers.all<{ name: string; state: string }>('SELECT name, state FROM embeddingModels');
  return { ...daemon, models };
}

describe('a daemon with a local model', () => {
  test('searches by meaning; when the model file changes, re-embeds everything while searches keep working', async () => {
    const [folder, dataDir] = [await writeTinyModel(await freshFolder()), await freshFolder()];
    const first = await startWith(folder, dataDir);
    const ann = await first.account();
    await ann.addAll([{ content: 'Her automobile is old' }, { content: 'The cat purrs' }]);
    expect(await ann.find('fahrzeug', { strategy: 'lexical' })).toEqual([]);
    await first.embeddings.follow();
    expect((await ann.find('fahrzeug'))[0]).toBe('Her automobile is old');
    const [before] = await first.models();
    expect((await first.call(undefined, '/readyz')).body).toMatchObject({ status: 'ready', embedder: 'ok' });
    await first.stop();

    await writeTinyModel(folder, { seed: 2 });
    const second = await startWith(folder, dataDir);
    const again = createCaller(second.call, ann.apiKey, ann.tenantId);
    expect(await again.find('automobile')).toContain('Her automobile is old');
    await second.embeddings.follow();
    await second.embeddings.follow();
    expect((await again.find('fahrzeug'))[0]).toBe('Her automobile is old');
    const after = await second.models();
    expect(after).toEqual([{ name: expect.stringMatching(/^svc-local-\w+@[0-9a-f]{16}$/), state: 'serving' }]);
    expect(after[0]!.name).not.toBe(before!.name);
    await second.stop();
  });

  test('refuses to start, with a one-line error, without a readable model; starts once the folder is fixed', async () => {
    const [folder, dataDir] = [await freshFolder(), await freshFolder()];
    const refusal = () => startWith(folder, dataDir).catch((error) => error);
    const missing = await refusal();
    expect(missing).toBeInstanceOf(ConfigError);
    expect(missing.message).toContain(`SVC_EMBEDDINGS: ${folder} contains no ONNX model (onnx/model.onnx or `);
    await writeTinyModel(folder, { pooling: 'max_tokens' });
    expect((await refusal()).message).toMatch(/^SVC_EMBEDDINGS: its 1_Pooling requires pooling_mode_max_tokens; .+$/);
    await writeTinyModel(folder, { pooling: 'cls_token' });
    const daemon = await startWith(folder, dataDir);
    await daemon.stop();
    // The operator's commands do not load the model.
    expect(await withRooms(daemon.config, ({ embeddings }) => embeddings.waiting())).toBe(0);
  });
});
