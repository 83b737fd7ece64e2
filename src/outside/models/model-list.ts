/** Properties of a model besides its files. */
export interface ModelTraits {
  dimensions: number;
  /** Longer texts are truncated. */
  maxTokens: number;
  /** How token vectors are combined into one. */
  pooling: 'mean' | 'cls';
  /** Prefixes of queries and documents that the model was trained with. */
  prefixes: { query: string; document: string };
}

/** A model that `svc model add` downloads. */
export interface ListedModel extends ModelTraits {
  name: string;
  /** `owner/name` at the hub. */
  repository: string;
  files: readonly string[];
  /** SPDX identifier. */
  license: string;
  languages: string;
  /** Approximate size of the download; the hub states the exact one. */
  bytes: number;
}

const FILES = ['config.json', 'tokenizer_config.json', 'tokenizer.json', 'onnx/model_quantized.onnx'] as const;
const ENGLISH = 'English';
const NO_PREFIXES = { query: '', document: '' };
const E5_PREFIXES = { query: 'query: ', document: 'passage: ' };
const BGE_PREFIXES = { query: 'Represent this sentence for searching relevant passages: ', document: '' };

/** Good small models, quantized to 8 bits, from the smallest to the largest. */
export const LISTED_MODELS: readonly ListedModel[] = [
  {
    ...listed('all-MiniLM-L6-v2', { license: 'Apache-2.0', bytes: 24e6, dimensions: 384 }),
    ...{ maxTokens: 256, pooling: 'mean', prefixes: NO_PREFIXES },
  },
  bge('bge-small-en-v1.5', { bytes: 35e6, dimensions: 384 }),
  e5('e5-small-v2', { bytes: 35e6, dimensions: 384 }),
  bge('bge-base-en-v1.5', { bytes: 111e6, dimensions: 768 }),
  e5('e5-base-v2', { bytes: 111e6, dimensions: 768 }),
  { ...e5('multilingual-e5-small', { bytes: 135e6, dimensions: 384 }), languages: 'about 100 languages' },
  { ...e5('multilingual-e5-base', { bytes: 297e6, dimensions: 768 }), languages: 'about 100 languages' },
];

/** What a model of that name is for; a name in use has the hash of its files behind `@`. */
export function languagesOfModel(name = ''): 'english' | 'multilingual' | 'unknown' {
  const model = LISTED_MODELS.find((one) => one.name === name.split('@')[0]);
  if (model === undefined) return 'unknown';
  return model.languages === ENGLISH ? 'english' : 'multilingual';
}

function listed<T extends Pick<ListedModel, 'license' | 'bytes' | 'dimensions'>>(name: string, facts: T) {
  return { name, repository: `Xenova/${name}`, files: FILES, languages: ENGLISH, ...facts };
}

function bge(name: string, size: Pick<ListedModel, 'bytes' | 'dimensions'>): ListedModel {
  const rest = { maxTokens: 512, pooling: 'cls', prefixes: BGE_PREFIXES } as const;
  return { ...listed(name, { license: 'MIT', ...size }), ...rest };
}

function e5(name: string, size: Pick<ListedModel, 'bytes' | 'dimensions'>): ListedModel {
  const rest = { maxTokens: 512, pooling: 'mean', prefixes: E5_PREFIXES } as const;
  return { ...listed(name, { license: 'MIT', ...size }), ...rest };
}
