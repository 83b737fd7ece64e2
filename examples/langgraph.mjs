// A store of LangGraph that keeps its items in svc. A graph takes it as `graph.compile({ store })`.
// npm install @svc-memory/client @langchain/langgraph-checkpoint @langchain/core
import { createClient } from '@svc-memory/client';
import { SvcStore } from '@svc-memory/client/langgraph';

const question = process.argv[2] ?? 'What does Ada drink?';
const store = new SvcStore({ client: createClient() });

await store.put(['ada', 'facts'], 'tea', { text: 'Ada prefers oolong tea', sure: true });
await store.put(['ada', 'facts'], 'city', { text: 'Ada may have moved to Graz', sure: false });

for (const { key, value } of await store.search(['ada'], { query: question, filter: { sure: true }, limit: 3 })) {
  console.log(`${key}: ${value.text}`);
}
for (const namespace of await store.listNamespaces({ prefix: ['ada'] })) console.log(namespace.join('/'));
