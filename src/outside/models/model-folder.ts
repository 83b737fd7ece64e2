import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readManifest } from './added-models.ts';
import type { ModelTraits } from './model-list.ts';

/** An ONNX sentence embedding model in a folder with Hugging Face's layout. */
export interface ModelFolder {
  /** Derived from the folder's name and its content: a different model file is a different model. */
  name: string;
  /** Path of the model file. */
  file: string;
  tokenizer: object;
  tokenizerConfig: object;
  /** Longer texts are truncated. */
  maxTokens: number;
  /** How token vectors are combined into one. */
  pooling: 'mean' | 'cls';
  prefixes: ModelTraits['prefixes'];
}

/** Explains in one line why a folder cannot be used. */
export class ModelFolderFault extends Error {}

/** The full model before the quantized one; newer layouts before older ones. */
const MODEL_FILES = ['onnx/model.onnx', 'onnx/model_quantized.onnx', 'model.onnx', 'model_quantized.onnx'];
/** The first 400 words carry most of a longer text's meaning, and attention takes quadratic time. */
const MAX_TOKENS = 512;

/** Reads the configuration files, and hashes the model file for the name. Throws `ModelFolderFault`. */
export async function readModelFolder(folder: string): Promise<ModelFolder> {
  const file = await modelFileOf(folder);
  const tokenizer = await readJson(folder, 'tokenizer.json');
  const config = await readJson(folder, 'config.json', {});
  const tokenizerConfig = await readJson(folder, 'tokenizer_config.json', {});
  const sentences = await readJson(folder, 'sentence_bert_config.json', {});
  const poolingModes = await readJson(folder, '1_Pooling/config.json', {});
  const manifest = await readManifest(folder);
  const lengths = [config.max_position_embeddings, tokenizerConfig.model_max_length, sentences.max_seq_length];
  const known = [...lengths, manifest?.maxTokens].filter(
    (length) => typeof length === 'number' && length > 2,
  ) as number[];
  const { prefixes = { query: '', document: '' }, pooling = poolingOf(poolingModes) } = manifest ?? {};
  const identity = [tokenizer, tokenizerConfig, poolingModes, known, ...(manifest ? [prefixes, pooling] : [])];
  const hash = createHash('sha256').update(JSON.stringify(identity));
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return {
    name: `${basename(folder)}@${hash.digest('hex').slice(0, 16)}`,
    file,
    tokenizer,
    tokenizerConfig,
    maxTokens: Math.min(MAX_TOKENS, ...known),
    pooling,
    prefixes,
  };
}

async function modelFileOf(folder: string): Promise<string> {
  for (const name of MODEL_FILES) if (await exists(join(folder, name))) return join(folder, name);
  if (!(await exists(folder))) throw new ModelFolderFault(`${folder} does not exist`);
  throw new ModelFolderFault(`${folder} contains no ONNX model (${MODEL_FILES.slice(0, 2).join(' or ')})`);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function readJson(folder: string, name: string, fallback?: object): Promise<Record<string, unknown>> {
  try {
    return JSON.parse(await readFile(join(folder, name), 'utf8')) as Record<string, unknown>;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && fallback) return fallback as Record<string, unknown>;
    throw new ModelFolderFault(`${join(folder, name)} cannot be read (${code ?? 'invalid JSON'})`);
  }
}

/** Reads `pooling_mode_*`; without configuration the default is mean pooling. */
function poolingOf(modes: Record<string, unknown>): ModelFolder['pooling'] {
  const enabled = Object.keys(modes).filter((name) => name.startsWith('pooling_mode_') && modes[name] === true);
  const [mode = 'pooling_mode_mean_tokens', ...more] = enabled;
  if (more.length === 0 && mode === 'pooling_mode_mean_tokens') return 'mean';
  if (more.length === 0 && mode === 'pooling_mode_cls_token') return 'cls';
  throw new ModelFolderFault(`its 1_Pooling requires ${enabled.join(' and ')}; svc supports mean_tokens or cls_token`);
}
