import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { modelCommand } from '../../src/cli/commands/model.ts';
import { createCommandLine, type TestCommandLine } from '../helpers/command-line.ts';
import { startModelHub, type TestHub, tinyModelFiles } from '../helpers/model-hub.ts';

let hub: TestHub;
let dataDir: string;
let line: TestCommandLine;

beforeAll(async () => {
  hub = await startModelHub(await tinyModelFiles());
});
afterAll(() => hub.close());
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-data-'));
  line = await createCommandLine({ env: { SVC_MODEL_HUB: hub.url } });
});
afterEach(async () => {
  await line.close();
  await rm(dataDir, { recursive: true });
});

describe('svc model add, with the library that runs models', () => {
  test('uses a model that can be run', async () => {
    const { exitCode, out } = await line.run(modelCommand, 'add', 'all-MiniLM-L6-v2', '--data-dir', dataDir);
    expect(out).toMatch(/^Added all-MiniLM-L6-v2 \(.+ kB\)\. It is in use now: a running daemon embeds /);
    expect(exitCode).toBe(0);
    expect(await readdir(join(dataDir, 'models'))).toEqual(['all-MiniLM-L6-v2', 'in-use.json']);
  });

  test('refuses a model that the hub states, but that cannot be used', async () => {
    const { exitCode, error } = await line.run(modelCommand, 'add', 'bge-base-en-v1.5', '--data-dir', dataDir);
    expect(error).toContain('svc: The model cannot be used: its vectors have 384 dimensions instead of 768\n');
    expect(exitCode).toBe(1);
    expect(await readdir(join(dataDir, 'models'))).not.toContain('bge-base-en-v1.5');
  });
});
