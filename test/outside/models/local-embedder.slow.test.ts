import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { type Embedder, EmbedderFault } from '../../../src/outside/models/embedder.ts';
import { createLocalEmbedder, INSTALL } from '../../../src/outside/models/local-embedder.ts';
import { readModelFolder } from '../../../src/outside/models/model-folder.ts';
import { TINY_DIMENSIONS, type TinyModel, tinyVectorOf, writeTinyModel } from '../../helpers/onnx-model.ts';

const folders: string[] = [];
const open: Embedder[] = [];
/** Mean pooling, not normalized. */
let embedder: Embedder;
/** A static model, which takes all words in one row. */
let bare: Embedder;

beforeAll(async () => {
  [embedder, bare] = await Promise.all([embedderOf(), embedderOf({ inputs: 'model2vec' })]);
});
afterAll(async () => {
  for (const embedder of open) await embedder.close();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function folderOf(model?: TinyModel): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-model-'));
  folders.push(folder);
  return writeTinyModel(folder, model);
}

async function embedderOf(model?: TinyModel): Promise<Embedder> {
  const embedder = createLocalEmbedder(await readModelFolder(await folderOf(model)));
  open.push(embedder);
  await embedder.prepare('');
  return embedder;
}

/** The normalized mean of the words' vectors. */
function meanOf(words: string, seed?: number): Float32Array {
  const vectors = words.split(' ').map((word) => tinyVectorOf(word, seed));
  const sum = Array.from({ length: TINY_DIMENSIONS }, (_, place) => vectors.reduce((all, one) => all + one[place]!, 0));
  return Float32Array.from(sum, (part) => part / Math.hypot(...sum));
}

function expectVector(found: Float32Array | undefined, expected: Float32Array): void {
  expect(found).toHaveLength(expected.length);
  for (const [place, part] of expected.entries()) expect(found![place]).toBeCloseTo(part, 4);
}

describe('a local model', () => {
  test('returns the normalized mean of the token vectors for each text, in order, whether alone or in a batch', async () => {
    const texts = ['Ada drives a car', 'tea', 'my cat purrs'];
    const vectors = await embedder.embed('', texts);
    expectVector(vectors[0], meanOf('[CLS] ada drives a car [SEP]'));
    expectVector(vectors[1], meanOf('[CLS] tea [SEP]'));
    for (const [index, text] of texts.entries()) expect(await embedder.embed('', [text])).toEqual([vectors[index]]);
    expect(await embedder.embed('', ['Ada drives a vehicle', 'Ada drives a cat'])).toEqual([
      vectors[0],
      expect.not.toSatisfy((other: Float32Array) => other.every((part, place) => part === vectors[0]![place])),
    ]);
  });

  test('combines the token vectors as its folder says, those of a static model into their mean', async () => {
    const first = await embedderOf({ pooling: 'cls_token' });
    expectVector((await first.embed('', ['Car tea']))[0], meanOf('[CLS]'));
    expectVector((await bare.embed('', ['Car tea']))[0], meanOf('car tea'));
  });

  test('with a manifest pools and truncates as it says, and puts its prefixes in front of queries and documents', async () => {
    const folder = await folderOf();
    const manifest = { pooling: 'cls', maxTokens: 5, prefixes: { query: 'Ada sees ', document: 'my ' } };
    const plain = (await readModelFolder(folder)).name;
    await writeFile(join(folder, 'svc-model.json'), JSON.stringify(manifest));
    const read = await readModelFolder(folder);
    expect(read).toMatchObject(manifest);
    expect(read.name).not.toBe(plain);
    await writeFile(join(folder, 'svc-model.json'), JSON.stringify({ ...manifest, pooling: 'mean' }));
    const told = createLocalEmbedder(await readModelFolder(folder));
    open.push(told);
    expectVector((await told.embed('', ['tea'], { purpose: 'query' }))[0], meanOf('[CLS] ada sees tea [SEP]'));
    expectVector((await told.embed('', ['tea']))[0], meanOf('[CLS] my tea [SEP]'));
    expectVector((await told.embed('', ['tea purrs red']))[0], meanOf('[CLS] my tea purrs [SEP]'));
  });

  test('truncates long texts and keeps the final token', async () => {
    const short = await embedderOf({ maxTokens: 5, file: 'onnx/model_quantized.onnx' });
    const texts = ['car tea red', 'car tea red cat', 'car tea red '.repeat(5000)];
    const [whole, cut, long] = await short.embed('', texts);
    expectVector(whole, meanOf('[CLS] car tea red [SEP]'));
    expect(cut).toEqual(whole);
    expect(long).toEqual(whole);
    expect((await embedder.embed('', texts))[1]).not.toEqual(cut);
  });

  test('embeds a query before earlier background texts', async () => {
    const ended: string[] = [];
    const background = embedder.embed('', Array(300).fill('tea')).then(() => ended.push('background'));
    const query = embedder.embed('', ['car']).then(() => ended.push('query'));
    await Promise.all([background, query]);
    expect(ended).toEqual(['query', 'background']);
  });

  test('drops aborted requests and continues with the rest', async () => {
    const stopping = new AbortController();
    const given = embedder.embed('', Array(1000).fill('tea'), { signal: stopping.signal });
    const kept = embedder.embed('', ['car', 'tea']);
    stopping.abort();
    await expect(given).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await kept).toHaveLength(2);
    await expect(embedder.embed('', ['car'], { signal: stopping.signal })).rejects.toBeInstanceOf(EmbedderFault);
  });

  test('whose thread ends fails its requests and restarts for the next one', async () => {
    const failing = await embedderOf();
    const [before] = await failing.embed('', ['car']);
    const cut = failing.embed('', Array(1000).fill('tea'));
    await Promise.all([expect(cut).rejects.toMatchObject({ reason: 'unavailable' }), failing.close()]);
    expect(await failing.embed('', ['car'])).toEqual([before]);
  });

  test('rejects only the text whose vector has no direction', async () => {
    await expect(bare.embed('', ['car', ''])).rejects.toMatchObject({ reason: 'texts', maybeTexts: true });
    expectVector((await bare.embed('', ['car']))[0], meanOf('car'));
  });
});

test('the install command names the versions in package.json', () => {
  const peers = Object.entries(packageJson.peerDependencies).map(([name, version]) => `${name}@${version}`);
  expect(INSTALL.split(' ').slice(2).sort()).toEqual(peers.sort());
});

describe('the name of a local model', () => {
  test('is the same for a copy and differs for another model, tokenizer or pooling', async () => {
    const nameOf = async (folder: string) => (await readModelFolder(folder)).name.split('@');
    const [folder, hash] = await nameOf(await folderOf());
    expect(folder).toMatch(/^svc-model-/);
    expect((await nameOf(await folderOf()))[1]).toBe(hash);
    const changed = await folderOf();
    const tokenizer = await readFile(join(changed, 'tokenizer.json'), 'utf8');
    await writeFile(join(changed, 'tokenizer.json'), tokenizer.replace('"lowercase":true', '"lowercase":false'));
    const others = [changed, await folderOf({ seed: 2 }), await folderOf({ pooling: 'cls_token' })];
    const hashes = await Promise.all(others.map(async (other) => (await nameOf(other))[1]));
    expect(new Set([hash, ...hashes]).size).toBe(4);
  });
});

describe('an unusable folder is explained in one line', () => {
  const faultOf = async (folder: string): Promise<string> => {
    const used = readModelFolder(folder).then((model) => {
      open.push(createLocalEmbedder(model));
      return open.at(-1)!.prepare('');
    });
    return used.then(
      () => 'none',
      ({ message }: Error) => message,
    );
  };

  test.each<[string, (folder: string) => Promise<unknown>, RegExp]>([
    ['no folder', (folder) => rm(folder, { recursive: true }), / does not exist$/],
    [
      'no model',
      (folder) => rm(join(folder, 'onnx'), { recursive: true }),
      /contains no ONNX model \(onnx\/model\.onnx or /,
    ],
    ['no tokenizer', (folder) => rm(join(folder, 'tokenizer.json')), /tokenizer\.json cannot be read \(ENOENT\)$/],
    [
      'no JSON',
      (folder) => writeFile(join(folder, 'config.json'), '<html>'),
      /config\.json cannot be read \(invalid JSON\)$/,
    ],
    ['no ONNX', (folder) => writeFile(join(folder, 'onnx/model.onnx'), 'nonsense'), /model\.onnx cannot be loaded \(/],
    ['a tokenizer of nothing', (folder) => writeFile(join(folder, 'tokenizer.json'), '{}'), /cannot be loaded \(/],
  ])('%s', async (_, spoil, message) => {
    const folder = await folderOf();
    await spoil(folder);
    const fault = await faultOf(folder);
    expect(fault).toMatch(message);
    expect(fault).not.toContain('\n');
  });

  test('an unsupported pooling', async () => {
    expect(await faultOf(await folderOf({ pooling: 'max_tokens' }))).toMatch(/pooling_mode_max_tokens; svc supports/);
  });
});
