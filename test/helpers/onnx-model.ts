import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Groups of synonyms that share a vector: texts with different words of a group are near each other. */
const MEANINGS = [
  ['car', 'automobile', 'vehicle', 'fahrzeug'],
  ['doctor', 'physician'],
  ['cat', 'feline', 'kitten'],
  ['home', 'dwelling'],
];
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];
const PLAIN = 'a ada bought drives has her i in is my new old purrs red sees the tea'.split(' ');

export const TINY_DIMENSIONS = 16;

export interface TinyModel {
  /** Another seed makes another model. */
  seed?: number;
  /** The longest text in tokens, including the two special tokens at its ends. */
  maxTokens?: number;
  /** The pooling mode of sentence-transformers; if absent, there is no `1_Pooling` folder. */
  pooling?: 'mean_tokens' | 'cls_token' | 'max_tokens';
  /** The path of the model file, e.g. `onnx/model.onnx`. */
  file?: string;
  /** `model2vec` takes all words in one row and the offset of each text, as static models do. */
  inputs?: 'bert' | 'model2vec';
  dimensions?: number;
}

/** Writes a model folder in the layout of Hugging Face: a tokenizer and a real ONNX graph that looks up words. */
export async function writeTinyModel(folder: string, options: TinyModel = {}): Promise<string> {
  const { seed = 1, maxTokens = 64, pooling, file = 'onnx/model.onnx', inputs = 'bert' } = options;
  const { dimensions = TINY_DIMENSIONS } = options;
  const json = (path: string, value: unknown) => writeFile(join(folder, path), JSON.stringify(value));
  await mkdir(join(folder, 'onnx'), { recursive: true });
  await json('config.json', { model_type: 'bert', hidden_size: dimensions, max_position_embeddings: maxTokens });
  await json('tokenizer_config.json', { tokenizer_class: 'BertTokenizer', model_max_length: maxTokens });
  await json('tokenizer.json', tokenizer());
  await writeFile(join(folder, file), inputs === 'bert' ? lookUpGraph(seed, dimensions) : bagGraph(seed));
  if (pooling) {
    await mkdir(join(folder, '1_Pooling'), { recursive: true });
    await json('1_Pooling/config.json', {
      [`pooling_mode_${pooling}`]: true,
      pooling_mode_mean_sqrt_len_tokens: false,
    });
  }
  return folder;
}

const WORDS = [...SPECIAL, ...MEANINGS.flat(), ...PLAIN];

function tokenizer() {
  const added = SPECIAL.map((content, id) => ({ id, content, special: true, normalized: false }));
  const special = (id: string) => ({ SpecialToken: { id, type_id: 0 } });
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, lowercase: true },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]')],
      pair: [],
      special_tokens: Object.fromEntries(
        ['[CLS]', '[SEP]'].map((token) => [token, { id: token, ids: [SPECIAL.indexOf(token)], tokens: [token] }]),
      ),
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
    },
  };
}

/** The vector of a word: the same for synonyms, zero for special tokens. */
export function tinyVectorOf(word: string, seed = 1, dimensions = TINY_DIMENSIONS): number[] {
  if (SPECIAL.includes(word)) return Array(dimensions).fill(0.01);
  const meaning = MEANINGS.find((words) => words.includes(word))?.[0] ?? word;
  return Array.from({ length: dimensions }, (_, place) => {
    let hash = 2166136261 ^ (seed * 7919 + place);
    for (const character of meaning) hash = Math.imul(hash ^ character.charCodeAt(0), 16777619);
    return (((hash >>> 8) % 2000) - 1000) / 1000;
  });
}

// The subset of ONNX's protobuf format that such a graph needs.

const FLOAT = 1;
const INT64 = 7;

function lookUpGraph(seed: number, dimensions: number): Buffer {
  const inputs = ['input_ids', 'attention_mask', 'token_type_ids'];
  return model({
    nodes: [node('Gather', ['words', 'input_ids'], ['last_hidden_state'])],
    inputs: inputs.map((name) => value(name, INT64, ['batch', 'tokens'])),
    outputs: [value('last_hidden_state', FLOAT, ['batch', 'tokens', dimensions])],
    initializers: [words(seed, dimensions)],
  });
}

/** A graph for one text at a time: the mean of its words. */
function bagGraph(seed: number): Buffer {
  return model({
    nodes: [
      node('Gather', ['words', 'input_ids'], ['looked up']),
      node('ReduceMean', ['looked up'], ['one']),
      node('Gather', ['one', 'offsets'], ['embeddings']),
    ],
    inputs: [value('input_ids', INT64, ['tokens']), value('offsets', INT64, ['texts'])],
    outputs: [value('embeddings', FLOAT, ['texts', TINY_DIMENSIONS])],
    initializers: [words(seed, TINY_DIMENSIONS)],
  });
}

function words(seed: number, dimensions: number): Buffer {
  const values = Float32Array.from(WORDS.flatMap((word) => tinyVectorOf(word, seed, dimensions)));
  return Buffer.concat([
    ...[WORDS.length, dimensions].map((size) => number(1, size)),
    number(2, FLOAT),
    bytes(8, 'words'),
    bytes(9, Buffer.from(values.buffer)),
  ]);
}

function model(graph: Record<'nodes' | 'inputs' | 'outputs' | 'initializers', Buffer[]>): Buffer {
  const parts: [number, Buffer[]][] = [
    [1, graph.nodes],
    [5, graph.initializers],
    [11, graph.inputs],
    [12, graph.outputs],
  ];
  const body = parts.flatMap(([field, all]) => all.map((part) => bytes(field, part)));
  const opset = Buffer.concat([bytes(1, ''), number(2, 13)]);
  return Buffer.concat([number(1, 8), bytes(7, Buffer.concat([...body, bytes(2, 'tiny')])), bytes(8, opset)]);
}

function node(operator: string, inputs: string[], outputs: string[]): Buffer {
  const attributes = operator === 'ReduceMean' ? [MEAN_OVER_TOKENS] : [];
  return Buffer.concat([
    ...inputs.map((name) => bytes(1, name)),
    ...outputs.map((name) => bytes(2, name)),
    bytes(4, operator),
    ...attributes.map((attribute) => bytes(5, attribute)),
  ]);
}

function value(name: string, type: number, dimensions: (string | number)[]): Buffer {
  const shape = dimensions.map((size) => bytes(1, typeof size === 'number' ? number(1, size) : bytes(2, size)));
  const tensor = Buffer.concat([number(1, type), bytes(2, Buffer.concat(shape))]);
  return Buffer.concat([bytes(1, name), bytes(2, bytes(1, tensor))]);
}

function number(field: number, of: number): Buffer {
  return Buffer.from([...varint(field << 3), ...varint(of)]);
}

function bytes(field: number, of: Buffer | string): Buffer {
  const content = Buffer.from(of as Buffer);
  return Buffer.concat([Buffer.from([...varint((field << 3) | 2), ...varint(content.length)]), content]);
}

function varint(of: number): number[] {
  return of < 128 ? [of] : [(of & 127) | 128, ...varint(of >>> 7)];
}

/** `axes: [0]`. */
const MEAN_OVER_TOKENS = Buffer.concat([bytes(1, 'axes'), number(8, 0), number(20, 7)]);
