import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { Job } from '../../src/contract/jobs.ts';
import { callAt, createWorkplaces, signInAt } from '../helpers/process.ts';
import { startProviderServer } from '../helpers/providers/server.ts';

const places = createWorkplaces();
afterEach(places.clean);

test('a killed daemon repeats at most one portion of a tidy job, and stores no suggestion twice', async () => {
  let isHanging = true;
  const server = await startProviderServer('openai', {
    answer({ prompt }) {
      const evidence = [...prompt.matchAll(/^\[(m\d+)\] \([^)]*\) (.+)$/gm)].map(([, memory, text]) => ({
        memory,
        text,
      }));
      const [one, other] = evidence;
      const memories = [one!.memory, other!.memory];
      const cited = [one, other];
      return {
        suggestions: [
          { kind: 'contradiction', memories, content: '', date: '', evidence: cited, reason: 'Both', confidence: 0.5 },
        ],
      };
    },
  });
  places.endLater({ end: server.close });
  let calls = 0;
  server.state.troubleFor = async ({ body }) => {
    if (!JSON.stringify(body ?? '').includes('Cluster 1')) return undefined;
    calls += 1;
    // The second portion is under way when the daemon dies.
    while (calls === 2 && isHanging) await sleep(20);
    return undefined;
  };
  const dataDir = await places.folder();
  const env = { SVC_DEFAULT_TIER: 'Enterprise', SVC_PROVIDER_HOSTS: '127.0.0.1' };
  let daemon = await places.start({ dataDir, env });
  const apiKey = await signInAt(daemon, 'ada@example.com');
  const call = async <T>(path: string, options = {}) => (await callAt(daemon.url, apiKey, path, options)).body as T;
  await call('/v1/provider-keys/openai', { method: 'PUT', body: { key: 'sk-of-ada', baseUrl: server.baseUrl } });
  for (let index = 0; index < 40; index += 1) {
    await call('/v1/memories', {
      body: { content: `The zebra of paddock ${index} grazes near the ${index % 7}th gate` },
    });
  }
  const { jobId } = await call<{ jobId: string }>('/v1/tidy', { method: 'POST' });
  await expect.poll(() => calls, { timeout: 20_000 }).toBe(2);
  expect((await call<Job>(`/v1/jobs/${jobId}`)).progress).toEqual({ done: 16, total: 40 });
  daemon.kill('SIGKILL');
  await daemon.exited;
  isHanging = false;

  daemon = await places.start({ dataDir, env });
  const ended = () => call<Job>(`/v1/jobs/${jobId}`).then(({ state }) => state);
  await expect.poll(ended, { timeout: 20_000 }).toBe('done');
  const job = await call<Job>(`/v1/jobs/${jobId}`);
  expect(job).toMatchObject({ progress: { done: 40, total: 40 }, error: null });
  // Three portions, of which the second was asked about again.
  expect(calls).toBe(4);
  const { data } = await call<{ data: { id: string }[] }>('/v1/suggestions');
  expect(data).toHaveLength(job.tidied!.suggested);
  expect(job.tidied!.suggested + job.tidied!.known).toBe(3);
}, 90_000);
