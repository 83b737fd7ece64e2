import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openConnection } from '../../src/db/connection.ts';
import { startEmbedder } from '../helpers/embedder.ts';
import { callAt, createWorkplaces, signInAt } from '../helpers/process.ts';

const CRASHES = 5;
const ADDED = 60;

const places = createWorkplaces();
afterEach(places.clean);

test('a daemon killed while embedding resumes where it was: nothing is missing and nothing is left over', {
  timeout: 120_000,
}, async () => {
  const embedder = await startEmbedder();
  const dataDir = await places.folder();
  const env = { SVC_DEFAULT_TIER: 'Enterprise', SVC_EMBEDDINGS: `${embedder.base}/v1#small` };
  let apiKey = '';
  for (let crash = 0; crash < CRASHES; crash += 1) {
    const daemon = await places.start({ dataDir, env });
    apiKey ||= await signInAt(daemon, 'ann@example.com');
    // Alternates between killing during requests and between them.
    embedder.state.holding = crash % 2 === 0;
    const asked = embedder.asked.length;
    const memories = Array.from({ length: ADDED }, (_, index) => ({ content: `automobile ${crash} ${index}` }));
    expect((await callAt(daemon.url, apiKey, '/v1/memories/batch', { body: { memories } })).status).toBe(201);
    await vi.waitFor(() => expect(embedder.asked.length).toBeGreaterThan(asked), { timeout: 10_000 });
    daemon.kill('SIGKILL');
    await daemon.exited;
    embedder.release();
  }
  const daemon = await places.start({ dataDir, env });
  const connection = await openConnection(join(dataDir, 'svc.db'), { readOnly: true });
  const countOf = async (table: string) =>
    (await connection.get<{ count: number }>(`SELECT COUNT(*) AS count FROM ${table}`))!.count;
  await vi.waitFor(async () => expect(await countOf('unembedded')).toBe(0), { timeout: 30_000, interval: 200 });
  expect(await countOf('vectors')).toBe(CRASHES * ADDED);
  await connection.close();
  const { body } = await callAt(daemon.url, apiKey, '/v1/search', { body: { query: 'fahrzeug' } });
  expect(body.results).toHaveLength(10);
  await embedder.close();
});
