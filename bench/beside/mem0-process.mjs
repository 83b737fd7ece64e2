import { createRequire } from 'node:module';
import { join } from 'node:path';

// Answers `add` and `search` from its parent with mem0's library, until the parent disconnects.

const [packagesDir, folder, baseURL, dimensions] = process.argv.slice(2);
const { Memory } = createRequire(join(packagesDir, 'package.json'))('mem0ai/oss');
const USER = 'bench';

const memory = new Memory({
  embedder: { provider: 'openai', config: { apiKey: 'none', baseURL, model: 'hashed-words' } },
  vectorStore: {
    provider: 'memory',
    config: { collectionName: 'bench', dimension: Number(dimensions), dbPath: join(folder, 'vectors.db') },
  },
  // Required, and never called: nothing is inferred.
  llm: { provider: 'openai', config: { apiKey: 'none', baseURL } },
  historyStore: { provider: 'sqlite', config: { historyDbPath: join(folder, 'history.db') } },
});

async function answer(call) {
  const { results } =
    call.add === undefined
      ? await memory.search(call.search, { topK: call.limit, filters: { user_id: USER } })
      : await memory.add(call.add, { userId: USER, infer: false });
  return results.map(({ id }) => id);
}

process.on('message', (call) => {
  answer(call).then(
    (ids) => process.send({ sequence: call.sequence, ids }),
    (error) => process.send({ sequence: call.sequence, error: String(error) }),
  );
});
