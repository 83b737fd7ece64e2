import { updateRedacted } from '../../../src/features/memories/memories-store.ts';
import { findVersionRows } from '../../../src/features/memory-stores/memory-stores-store.ts';
import { readerOf, write } from './twin-statements.ts';
import type { Scenario, Twin } from './twin-world.ts';

/** A memory store with its memory, which has an earlier version. */
export interface FilledStore {
  store: string;
  file: string;
  version: string;
}

export async function fillMemoryStore({ call, name }: Twin): Promise<FilledStore> {
  const { id: store } = (await call('POST /v1/memory_stores', { name: `Notes of ${name}` })).body;
  const files = `/v1/memory_stores/${store}/memories`;
  const { body } = await call(`POST ${files}`, { path: '/notes/boat.md', content: `The boat of ${name} leaks.` });
  await call(`POST ${files}/${body.id}`, { content: `The boat of ${name} floats.` });
  return { store, file: body.id, version: body.memory_version_id };
}

/** Memory stores, whose ids and paths are the same in both accounts. */
export const MEMORY_STORES: Record<string, Scenario> = {
  async 'use memory stores'({ call, filled: { memoryStore } }) {
    const { store, file, version } = memoryStore;
    const at = `/v1/memory_stores/${store}`;
    await call('GET /v1/memory_stores');
    await call(`GET ${at}`);
    await call(`GET ${at}/memories?view=full`);
    await call(`GET ${at}/memories?depth=1`);
    await call(`GET ${at}/memories/${file}`);
    await call(`GET ${at}/memory_versions?view=full`);
    await call(`GET ${at}/memory_versions/${version}`);
    await call(`POST ${at}/memory_versions/${version}/redact`);
    await call(`POST ${at}/memories/${file}`, { path: '/boat.md' });
    await call(`POST ${at}/memories`, { path: '/notes/boat.md', content: 'Another boat' });
    await call(`POST ${at}/memories`, { path: '/notes', content: 'Refused' });
    await call(`DELETE ${at}/memories/${file}`);
    await call(`GET ${at}/memory_versions?memory_id=${file}&operation=deleted`);
    await call(`GET /v1/memories/${file}/history`);
  },

  async 'address versions of memories by their row numbers'(twin) {
    const { tenantId, record } = twin;
    const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
    const own = await findVersionRows(readerOf(twin), tenantId, numbers);
    record('versions', [...own.values()].map(({ content }) => content).sort());
    const [row] = own.values();
    const others = numbers.filter((number) => !own.has(number));
    await write(twin, async (connection) => {
      for (const number of others) await updateRedacted(connection, { ...row!, number, content: 'Redacted' });
    });
  },
};
