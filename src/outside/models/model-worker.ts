/** Initial data of the worker. */
export interface WorkerStart {
  /** Paths of the two libraries. */
  runtime: string;
  tokenizers: string;
  file: string;
  tokenizer: object;
  tokenizerConfig: object;
  maxTokens: number;
  pooling: 'mean' | 'cls';
}

/** Messages from the worker: it is ready, the vector of a text, or a failure. */
export type WorkerAnswer = { ready: true } | { vector: Float32Array } | { failure: string };

/**
 * Source of the worker thread that runs a model. It is a string so that the build needs no extra file for it.
 *
 * Texts are embedded one at a time: in a batch, a text would be padded, and a quantized model, which scales by the
 * largest value of a run, would give it a different vector. Transformers return one vector per token, which are pooled;
 * static models (model2vec) take the concatenated tokens and the offset of each text, without special tokens.
 */
export const WORKER_PROGRAM = `
'use strict';
const { parentPort, workerData } = require('node:worker_threads');
const { readFile } = require('node:fs/promises');
const { runtime, tokenizers, file, maxTokens, pooling } = workerData;
const { InferenceSession, Tensor, env } = require(runtime);
const { Tokenizer } = require(tokenizers);

const FILLED = { input_ids: undefined, attention_mask: 1n, token_type_ids: 0n, offsets: 0n };
const WHOLE = ['sentence_embedding', 'embeddings'];

async function load() {
  env.wasm.numThreads = 1;
  env.logLevel = 'error';
  const tokenizer = new Tokenizer(workerData.tokenizer, workerData.tokenizerConfig);
  const session = await InferenceSession.create(await readFile(file), { executionProviders: ['wasm'] });
  const strange = session.inputNames.filter((name) => !(name in FILLED));
  if (strange.length > 0 || !session.inputNames.includes('input_ids')) {
    throw new Error('its inputs are ' + session.inputNames.join(', ') + ', not those of a sentence embedding model');
  }
  const isStatic = session.inputNames.includes('offsets');
  const output = WHOLE.find((name) => session.outputNames.includes(name)) ?? session.outputNames[0];
  const options = { add_special_tokens: !isStatic };
  const end = tokenizer.encode('', options).ids.slice(-1);

  function idsOf(text) {
    const { ids } = tokenizer.encode(text, options);
    return ids.length <= maxTokens ? ids : [...ids.slice(0, maxTokens - end.length), ...end];
  }

  return async (text) => {
    const ids = BigInt64Array.from(idsOf(text), BigInt);
    const tensorOf = (name) => {
      const values = name === 'input_ids' ? ids : new BigInt64Array(name === 'offsets' ? 1 : ids.length).fill(FILLED[name]);
      return new Tensor('int64', values, isStatic ? [values.length] : [1, values.length]);
    };
    const inputs = Object.fromEntries(session.inputNames.map((name) => [name, tensorOf(name)]));
    const { [output]: found } = await session.run(inputs, [output]);
    return found.dims.length === 3 ? pooled(found.data, found.dims[2]) : Float32Array.from(found.data);
  };
}

function pooled(data, dimensions) {
  if (pooling === 'cls') return Float32Array.from(data.subarray(0, dimensions));
  const sum = new Float32Array(dimensions);
  for (let place = 0; place < data.length; place += 1) sum[place % dimensions] += data[place];
  return sum;
}

const reason = (error) => ({ failure: String((error && error.message) || error).split('\\n')[0] });

async function serve() {
  const embed = await load();
  // Compile now what would otherwise be compiled at the first request.
  await embed('hello');
  parentPort.on('message', (text) => {
    embed(text).then(
      (vector) => parentPort.postMessage({ vector }, [vector.buffer]),
      (error) => parentPort.postMessage(reason(error)),
    );
  });
  parentPort.postMessage({ ready: true });
}

serve().catch((error) => parentPort.postMessage(reason(error)));
`;
