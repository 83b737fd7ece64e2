// A program for Anthropic's memory stores that keeps them in svc: only the address and the key differ.
// npm install @anthropic-ai/sdk
import { createHash } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';

const baseURL = process.env.SVC_URL ?? 'http://127.0.0.1:8787';
const { beta } = new Anthropic({ baseURL, apiKey: process.env.SVC_API_KEY });

const store = await beta.memoryStores.create({ name: 'Preferences', description: 'What people like.' });
const { memories, memoryVersions } = beta.memoryStores;
const own = { memory_store_id: store.id };

const file = await memories.create(store.id, { path: '/people/ada.md', content: 'Drinks tea.' });
const content_sha256 = createHash('sha256').update('Drinks tea.').digest('hex');
const precondition = { type: 'content_sha256', content_sha256 };
await memories.update(file.id, { ...own, content: 'Drinks oolong tea.', precondition });
await memories
  .update(file.id, { ...own, content: 'Drinks coffee.', precondition })
  .catch((error) => console.log(error.status, error.type));

for await (const item of memories.list(store.id, { view: 'full' })) console.log(item.path, item.content);
await memoryVersions.redact(file.memory_version_id, own);
for await (const { operation, redacted_at } of memoryVersions.list(store.id)) {
  console.log(operation, redacted_at ? 'redacted' : 'kept');
}
