import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { modelCommand } from '../../src/cli/commands/model.ts';
import type { ModelContext } from '../../src/cli/commands/model-add.ts';
import type { Session } from '../../src/cli/session.ts';
import type { Embedder } from '../../src/outside/models/embedder.ts';
import { LISTED_MODELS } from '../../src/outside/models/model-list.ts';
import { createCommandLine, type TestCommandLine } from '../helpers/command-line.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { MODEL_FILE, REVISION, startModelHub, type TestHub, tinyModelFiles } from '../helpers/model-hub.ts';
import { canMount, mountSmallDisk } from '../helpers/small-disk.ts';

const canMountHere = await canMount();
const NAME = 'all-MiniLM-L6-v2';
let files: Map<string, Buffer>;
let hub: TestHub;
let dataDir: string;
const lines: TestCommandLine[] = [];
const daemons: TestDaemon[] = [];

beforeAll(async () => {
  files = await tinyModelFiles();
  hub = await startModelHub(files);
});
afterAll(() => hub.close());
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'svc-data-'));
});
afterEach(async () => {
  for (const line of lines.splice(0)) await line.close();
  for (const daemon of daemons.splice(0)) await daemon.close();
  await rm(dataDir, { recursive: true });
  Object.assign(hub.state, { revision: REVISION, cutAfter: [], content: undefined, status: undefined });
  hub.asked.length = 0;
});

interface LineOptions {
  isTty?: boolean;
  env?: Record<string, string>;
  session?: Session;
}

async function commandLine({ env = {} }: LineOptions = {}): Promise<TestCommandLine> {
  const line = await createCommandLine({ env: { SVC_MODEL_HUB: hub.url, ...env } });
  lines.push(line);
  return line;
}

async function svcModel(words: string[], options: LineOptions = {}) {
  const inTerminal = options.isTty ? { isTty: true, errorIsTty: true, columns: 100, color: true } : {};
  const make = (context: ModelContext) =>
    modelCommand({
      ...context,
      terminal: { ...context.terminal, ...inTerminal },
      createEmbedder: createZeroEmbedder,
      ...(options.session && { session: async () => options.session! }),
    });
  return (await commandLine(options)).run(make, ...words, '--data-dir', dataDir);
}

/** Stands in for the library that runs a model of 384 dimensions; `model-tried.slow.test.ts` has that itself. */
const createZeroEmbedder = (): Embedder => ({
  embed: async (_model, texts) => texts.map(() => new Float32Array(384)),
  prepare: async () => {},
  retain: async () => {},
  close: async () => {},
});

const listed = async () =>
  JSON.parse((await svcModel(['list', '--json'])).out) as {
    data: {
      name: string;
      isDownloaded: boolean;
      inUse: boolean;
      revision: string | null;
      license: string;
      bytes: number;
    }[];
  };
const here = async () => (await listed()).data.filter(({ isDownloaded }) => isDownloaded);

/** The names in a list of models, in their order. */
const namesIn = (out: string) =>
  stripVTControlCharacters(out)
    .split('\n')
    .flatMap((line) =>
      LISTED_MODELS.flatMap(({ name }) => (line.startsWith(`${name}\t`) || line.startsWith(`${name} `) ? name : [])),
    );

/** A session of an account in which these texts are stored. */
async function signInWith(contents: readonly string[]): Promise<Session> {
  const daemon = await startTestDaemon();
  daemons.push(daemon);
  const { apiKey } = await daemon.signIn('a@example.com');
  for (const content of contents) await daemon.call(apiKey, '/v1/memories', { body: { content } });
  return {
    profileName: 'default',
    url: daemon.baseUrl,
    profile: undefined,
    apiKey,
    keyStore: 'file',
    space: undefined,
  };
}

describe('svc model add', () => {
  test('downloads a model, tries it, and makes it the one in use', async () => {
    const { exitCode, out, error } = await svcModel(['add', NAME]);
    expect({ exitCode, out }).toEqual({
      exitCode: 0,
      out: expect.stringMatching(/^Added all-MiniLM-L6-v2 \(.+ kB\)\. It is in use now: a running daemon embeds /),
    });
    expect(error.split('\n')).toEqual([
      `${NAME}: ${hub.url}/Xenova/${NAME}, 24 MB, 384 dimensions, English, license Apache-2.0`,
      ...[...files].map(([path]) => expect.stringMatching(`^${path} \\(.+ k?B\\)$`)),
      '',
    ]);
    expect(await here()).toMatchObject([{ name: NAME, inUse: true, revision: REVISION, license: 'Apache-2.0' }]);
    const manifest = JSON.parse(await readFile(join(dataDir, 'models', NAME, 'svc-model.json'), 'utf8'));
    expect(manifest).toMatchObject({
      ...{ hub: hub.url, repository: `Xenova/${NAME}`, maxTokens: 256, pooling: 'mean', dimensions: 384 },
      files: [...files].map(([path, { length }]) => ({ path, bytes: length })),
    });
    expect(await readdir(join(dataDir, 'models'))).toEqual([NAME, 'in-use.json']);
  });

  test('draws its progress in a terminal, and erases it', async () => {
    const { error } = await svcModel(['add', NAME], { isTty: true });
    expect(error).toMatch(/\r\u001b\[K█* ?.* % config\.json, .+ of .+ kB/);
    expect(error.endsWith('\r\u001b[K')).toBe(true);
  });

  test('prints JSON alone with --json', async () => {
    const { out, error } = await svcModel(['add', NAME, '--json'], { isTty: true });
    expect(JSON.parse(out)).toMatchObject({ name: NAME, isNew: true, inUse: true, revision: REVISION });
    expect(error).toBe('');
  });

  test('of a downloaded model selects it again without a download', async () => {
    await svcModel(['add', NAME]);
    await svcModel(['add', 'e5-small-v2']);
    expect((await here()).map(({ name, inUse }) => [name, inUse])).toEqual([
      [NAME, false],
      ['e5-small-v2', true],
    ]);
    hub.asked.length = 0;
    const { out } = await svcModel(['add', NAME]);
    expect(out).toMatch(/^all-MiniLM-L6-v2 is already downloaded\. It is in use now/);
    expect(hub.asked).toEqual([]);
    expect((await here()).map(({ inUse }) => inUse)).toEqual([true, false]);
  });

  test('continues a download that was canceled', async () => {
    const content = files.get(MODEL_FILE)!;
    const part = content.subarray(0, 1000);
    const staging = join(dataDir, 'models', `.${NAME}.partial-${REVISION}`);
    await mkdir(join(staging, 'onnx'), { recursive: true });
    await writeFile(join(staging, `${MODEL_FILE}.part`), part);
    // Of an earlier commit: not continued.
    await mkdir(join(dataDir, 'models', `.${NAME}.partial-${'0'.repeat(40)}`));
    expect((await svcModel(['add', NAME])).exitCode).toBe(0);
    expect(hub.ranges(MODEL_FILE)).toEqual(['bytes=1000-']);
    expect(await readdir(join(dataDir, 'models'))).toEqual([NAME, 'in-use.json']);
  });

  test('keeps the model in use if the new one is damaged', async () => {
    await svcModel(['add', NAME]);
    hub.state.content = Buffer.alloc(files.get(MODEL_FILE)!.length);
    const { exitCode, error } = await svcModel(['add', 'bge-small-en-v1.5']);
    expect(exitCode).toBe(1);
    expect(error).toMatch(/svc: onnx\/model_quantized\.onnx has the SHA-256 [0-9a-f]{64}, but the hub states /);
    expect(await here()).toMatchObject([{ name: NAME, inUse: true }]);
  });

  test('refuses a model that the hub states, but that cannot be used', async () => {
    const { exitCode, error } = await svcModel(['add', 'bge-base-en-v1.5']);
    expect(exitCode).toBe(1);
    expect(error).toContain('svc: The model cannot be used: its vectors have 384 dimensions instead of 768\n');
    expect(await here()).toEqual([]);
  });

  test.each([
    [{ SVC_MODEL_HUB: 'http://hf.example.com' }, 2, 'SVC_MODEL_HUB must be an https URL (http only on this machine)'],
    [
      { SVC_MODEL_HUB: 'http://127.0.0.1:1' },
      1,
      'http://127.0.0.1:1 cannot be reached (ECONNREFUSED). Check the network',
    ],
  ])('with %j fails with %i', async (env, exitCode, message) => {
    const ended = await svcModel(['add', NAME], { env });
    expect(ended).toMatchObject({ exitCode, out: '', error: expect.stringContaining(`svc: ${message}`) });
  });

  test('names the models there are', async () => {
    const { exitCode, error } = await svcModel(['add', 'gpt-4']);
    expect(exitCode).toBe(2);
    for (const { name } of LISTED_MODELS) expect(error).toContain(name);
  });

  test('without a name lists them and says which one to name, in a language for the texts that are stored', async () => {
    const plain = await svcModel(['add']);
    expect(plain).toMatchObject({
      exitCode: 2,
      error: 'svc: Name the model to add, such as svc model add all-MiniLM-L6-v2.\n',
    });
    expect(namesIn(plain.out)).toEqual(LISTED_MODELS.map(({ name }) => name));
    const session = await signInWith([
      'Ich wohne seit Mai in Graz',
      'Meine Katze ist drei',
      'Das ist der Schlüssel',
      'The tea is cold',
    ]);
    const advised = await svcModel(['add'], { session, isTty: true });
    expect(advised.error).toBe('svc: Name the model to add, such as svc model add multilingual-e5-small.\n');
    expect(namesIn(advised.out).slice(0, 3)).toEqual(['multilingual-e5-small', 'multilingual-e5-base', NAME]);
    expect(advised.out).toContain('Your texts are in German and English: models for many languages stand first.\n');
  });

  test('that is interrupted says how to continue', async () => {
    hub.state.cutAfter = Array(9).fill(0);
    const line = await commandLine();
    const running = line.start(modelCommand, 'add', NAME, '--data-dir', dataDir);
    await running.hears(MODEL_FILE);
    running.stop();
    const { exitCode, error } = await running.ended;
    expect(exitCode).toBe(130);
    expect(error).toContain('svc: Canceled. The next svc model add resumes the download.\n');
  });

  test.runIf(canMountHere)('refuses to begin without room for the model', async () => {
    const disk = await mountSmallDisk(8);
    try {
      const line = await commandLine();
      const { exitCode, error } = await line.run(modelCommand, 'add', NAME, '--data-dir', disk.folder);
      expect(exitCode).toBe(1);
      expect(error).toMatch(
        /models has 8\.\d MB free, and the model needs 67 MB\. Free some space, or choose a smaller /,
      );
      expect(hub.ranges(MODEL_FILE)).toEqual([]);
    } finally {
      await disk.unmount();
    }
  });
});

describe('svc model list', () => {
  test('shows what can be added, what is downloaded and what is in use', async () => {
    await svcModel(['add', NAME]);
    await svcModel(['add', 'e5-small-v2']);
    const { out } = await svcModel(['list'], { isTty: true });
    const rows = stripVTControlCharacters(out).trim().split('\n');
    expect(rows).toHaveLength(LISTED_MODELS.length);
    expect(rows[0]).toMatch(/^all-MiniLM-L6-v2 +downloaded {2}24 MB, 384 dimensions, English, Apache-2\.0$/);
    expect(rows.find((row) => row.startsWith('e5-small-v2'))).toMatch(/\sin use\s/);
    expect(rows.at(-1)).toMatch(/^multilingual-e5-base\s+–\s+297 MB, 768 dimensions, about 100 languages, MIT$/);
    const plain = (await svcModel(['list'])).out.split('\n')[0];
    expect(plain).toBe(`${NAME}\tdownloaded\t24000000\tApache-2.0`);
  });
});

describe('svc model remove', () => {
  test('deletes a model; one in use only with --yes', async () => {
    await svcModel(['add', NAME]);
    await svcModel(['add', 'e5-small-v2']);
    expect((await svcModel(['remove', NAME])).out).toBe(`Removed ${NAME}.\n`);
    const refused = await svcModel(['remove', 'e5-small-v2']);
    expect(refused.exitCode).toBe(1);
    expect(refused.error).toBe(
      'svc: e5-small-v2 is in use: without it, accounts that have not chosen another model search by words alone. Add another model first, or pass --yes.\n',
    );
    expect(await here()).toMatchObject([{ name: 'e5-small-v2', inUse: true }]);
    expect((await svcModel(['remove', 'e5-small-v2', '--yes', '--json'])).out).toContain('"removed": "e5-small-v2"');
    expect(await here()).toEqual([]);
    expect(await readdir(join(dataDir, 'models'))).toEqual([]);
  });

  test('of a model that is not downloaded names those that are', async () => {
    await svcModel(['add', NAME]);
    expect((await svcModel(['remove', 'e5-small-v2'])).error).toBe(
      `svc: e5-small-v2 is not downloaded. Downloaded models: ${NAME}.\n`,
    );
    expect((await svcModel(['remove', '../x'])).exitCode).toBe(2);
  });
});
